package verbs

import "github.com/abrowser/abrowser/sockets/wire"

// FrameIn is the input of [FrameSelect].
type FrameIn struct {
	Selector string `json:"selector" arg:"0" required:"true" help:"the frame: a selector, a ref or the frame's name"`
	TimeoutIn
}

// ElementName returns the selector or ref.
func (in FrameIn) ElementName() string { return in.Selector }

// FrameOut is the output of [FrameSelect] and [FrameMain].
type FrameOut struct {
	// Frame is the frame's name, or the caller's selector if the frame has no name. It is "main" for
	// the main frame.
	Frame string `json:"frame"`
}

// FrameSelect makes the session's later commands act in a frame.
var FrameSelect = wire.Verb[FrameIn, FrameOut]{Spec: wire.Spec{
	Name: "frame", Group: groupTabs, Short: "Act in a frame from now on",
	Long: "Selectors, snapshot, eval, find, wait and screenshot are then about that frame, whatever its origin. A frame inside it is chosen by another frame command. " +
		"abrowser frame main returns to the page; so does open, and a change of the tab. Refs work in every frame.",
	Example: "abrowser frame '#inner'",
}}

// FrameMain makes the session's commands act in the main frame.
var FrameMain = wire.Verb[Empty, FrameOut]{Spec: wire.Spec{
	Name: "frame main", Group: groupTabs, Short: "Act in the page again, not in one of its frames", Example: "abrowser frame main",
}}
