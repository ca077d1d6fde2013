package verbs

import (
	"fmt"
	"path/filepath"

	"github.com/abrowser/abrowser/sockets/wire"
)

// RecordStartIn is the input of [RecordStart] and [RecordRestart].
type RecordStartIn struct {
	Path string `json:"path" arg:"0" required:"true" file:"out" help:"the file to write, .webm or .mp4"`
	URL  string `json:"url,omitzero" arg:"1" help:"the page to open first; without it the session's page"`
	FPS  int    `json:"fps,omitzero" min:"1" help:"pictures a second, up to 30; the default is 10"`
	TimeoutIn
}

const maxFPS = 30

// Check returns [wire.CodeBadInput] for a file that is no video, and for too many pictures a second.
func (in RecordStartIn) Check() error {
	if ext := filepath.Ext(in.Path); ext != ".webm" && ext != ".mp4" {
		return wire.Errorf(wire.CodeBadInput, "the file has to end in .webm or .mp4").WithHint("abrowser record start film.webm")
	}
	if in.FPS > maxFPS {
		return wire.Errorf(wire.CodeBadInput, "fps is %d; it takes at most %d", in.FPS, maxFPS).WithHint("abrowser record start film.webm")
	}
	return nil
}

// RecordStartOut is the output of [RecordStart] and [RecordRestart].
type RecordStartOut struct {
	Started bool   `json:"started"`
	Path    string `json:"path"`
	// Stopped is the recording that was running before. Only [RecordRestart] sets it.
	Stopped *RecordStopOut `json:"stopped,omitzero"`
}

// Text returns what [RecordRestart] has stopped.
func (o RecordStartOut) Text() string {
	if o.Stopped == nil {
		return ""
	}
	return o.Stopped.Text()
}

// RecordStart starts a video of the session's page.
var RecordStart = wire.Verb[RecordStartIn, RecordStartOut]{Spec: wire.Spec{
	Name: "record start", Group: groupDiagnosis, Short: "Record a video of the session's page",
	Long: "It needs ffmpeg. The video shows this tab, also after it navigates, until record stop; it ends by itself after an hour, " +
		"and when the tab or the session is closed. The file is written then.",
	Example: "abrowser record start film.webm",
}}

// RecordRestart stops a recording and starts another one.
var RecordRestart = wire.Verb[RecordStartIn, RecordStartOut]{Spec: wire.Spec{
	Name: "record restart", Group: groupDiagnosis, Short: "Stop recording, if a video is being recorded, and record another one",
	Example: "abrowser record restart second.webm",
}}

// RecordStopOut is the output of [RecordStop].
type RecordStopOut struct {
	Path     string  `json:"path"`
	Frames   int     `json:"frames"`   // the number of pictures
	Duration float64 `json:"duration"` // in seconds
}

// Text returns the path of the video and its length.
func (o RecordStopOut) Text() string { return fmt.Sprintf("%s (%.1f s)", o.Path, o.Duration) }

// RecordStop ends a recording.
var RecordStop = wire.Verb[Empty, RecordStopOut]{Spec: wire.Spec{
	Name: "record stop", Group: groupDiagnosis, Short: "Stop recording and write the video",
	Example: "abrowser record stop",
}}
