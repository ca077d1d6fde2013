package verbs

import "github.com/abrowser/abrowser/sockets/wire"

// TapOut is the output of [Tap].
type TapOut struct {
	Tapped string `json:"tapped"` // the selector
	Effects
}

// Tap touches an element.
var Tap = wire.Verb[ElementIn, TapOut]{Spec: wire.Spec{
	Name: "tap", Group: groupInput, Short: "Touch an element with a finger", Example: "abrowser tap '#buy'",
	Long: "The page gets touch events, and then the click that the browser makes of them. set device makes a page believe that it is on a phone.",
}}

// SwipeIn is the input of [Swipe].
type SwipeIn struct {
	Direction string `json:"direction" arg:"0" required:"true" enum:"up|down|left|right" help:"where the finger moves; the page scrolls the other way"`
	Distance  int    `json:"distance,omitzero" arg:"1" default:"300" min:"1" help:"how far, in CSS pixels"`
	TimeoutIn
}

// maxSwipe is the longest swipe in CSS pixels.
const maxSwipe = 100_000

// Check returns an error for a distance that is too long.
func (in SwipeIn) Check() error {
	if in.Distance > maxSwipe {
		return wire.Errorf(wire.CodeBadInput, "distance is %d; it takes 1 to %d", in.Distance, maxSwipe).WithHint("abrowser swipe up 300")
	}
	return nil
}

// SwipeOut is the output of [Swipe].
type SwipeOut struct {
	Swiped string `json:"swiped"` // the direction
}

// Swipe moves a finger over the page.
var Swipe = wire.Verb[SwipeIn, SwipeOut]{Spec: wire.Spec{
	Name: "swipe", Group: groupInput, Short: "Move a finger over the middle of the page", Example: "abrowser swipe up",
}}

// HighlightOut is the output of [Highlight].
type HighlightOut struct {
	Highlighted string `json:"highlighted"` // the selector
}

// Highlight marks elements for a person who looks at the page, and for screenshots.
var Highlight = wire.Verb[ElementIn, HighlightOut]{Spec: wire.Spec{
	Name: "highlight", Group: groupInput, Short: "Mark an element until the page goes to another document", Example: "abrowser highlight '#buy'",
	Long: "The mark is visible to a person and in screenshots, and takes no clicks.",
}}
