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

// recordings is the directory, below the root, for files without a path that show what a page did.
const recordings = "recordings"

// TraceStartIn is the input of [TraceStart].
type TraceStartIn struct {
	NoScreenshots bool `json:"noScreenshots,omitzero" help:"record no film of the pages, which costs less"`
}

// TraceStartOut is the output of [TraceStart].
type TraceStartOut struct {
	Started bool `json:"started"`
}

// Text is empty, because there is nothing to tell.
func (o TraceStartOut) Text() string { return "" }

// TraceStart starts to record a trace of the session's pages.
var TraceStart = wire.Verb[TraceStartIn, TraceStartOut]{Spec: wire.Spec{
	Name: "trace start", Group: groupDiagnosis, Short: "Record what the session does, for Playwright's trace viewer",
	Long: "The trace has the commands, snapshots of the pages, their requests and what they log; it contains what is typed into them, including passwords. " +
		"It is lost if the browser or Playwright's driver is restarted, and if the session ends before trace stop.",
	Example: "abrowser trace start",
}}

// TraceStopIn is the input of [TraceStop].
type TraceStopIn struct {
	Path string `json:"path,omitzero" arg:"0" file:"out" help:"the file to write; the default is a new file in ~/.abrowser/recordings"`
}

// TraceStopOut is the output of [TraceStop].
type TraceStopOut struct {
	Path string `json:"path"`
	// Source is the path of a file that contains the trace. The caller moves it to Path.
	Source string `json:"source,omitzero"`
}

// Text returns the path of the file.
func (o TraceStopOut) Text() string { return o.Path }

// TakeFile returns the trace, which the caller then writes to a file; see [wire.Filer].
func (o *TraceStopOut) TakeFile() (wire.File, bool) {
	f := wire.File{Path: o.Path, Ext: ".zip", Dir: recordings, Name: "trace.zip", Source: o.Source}
	o.Source = ""
	return f, true
}

// SetPath sets the path to which the trace was written.
func (o *TraceStopOut) SetPath(path string) { o.Path = path }

// TraceStop ends a trace and returns it.
var TraceStop = wire.Verb[TraceStopIn, TraceStopOut]{Spec: wire.Spec{
	Name: "trace stop", Group: groupDiagnosis, Short: "Stop recording and write the trace",
	Long:    "npx playwright show-trace FILE shows it, and so does trace.playwright.dev.",
	Example: "abrowser trace stop trace.zip",
}}

// ProfilerStartIn is the input of [ProfilerStart].
type ProfilerStartIn struct {
	Interval int `json:"interval,omitzero" min:"100" help:"the time between two samples in microseconds; the default is 1000"`
	TimeoutIn
}

const maxInterval = 1_000_000 // microseconds

// Check returns [wire.CodeBadInput] for an interval of more than a second.
func (in ProfilerStartIn) Check() error {
	if in.Interval > maxInterval {
		return wire.Errorf(wire.CodeBadInput, "the interval is %d; it takes at most %d microseconds", in.Interval, maxInterval).WithHint("abrowser help profiler start")
	}
	return nil
}

// ProfilerStartOut is the output of [ProfilerStart].
type ProfilerStartOut struct {
	Started bool `json:"started"`
}

// Text is empty, because there is nothing to tell.
func (o ProfilerStartOut) Text() string { return "" }

// ProfilerStart starts to record what the page's scripts do.
var ProfilerStart = wire.Verb[ProfilerStartIn, ProfilerStartOut]{Spec: wire.Spec{
	Name: "profiler start", Group: groupDiagnosis, Short: "Record in which functions the page's scripts spend their time",
	Long: "The main thread of this page is recorded, also after it navigates within the site. Frames of other sites, workers and other tasks are not. " +
		"The recording ends with the session's daemon and with the tab.",
	Example: "abrowser profiler start",
}}

// ProfilerStopIn is the input of [ProfilerStop].
type ProfilerStopIn struct {
	Path string `json:"path,omitzero" arg:"0" file:"out" help:"the file to write; the default is a new file in ~/.abrowser/recordings"`
	TimeoutIn
}

// ProfilerStopOut is the output of [ProfilerStop].
type ProfilerStopOut struct {
	Path       string `json:"path"`
	EventCount int    `json:"eventCount"` // the number of samples
	Profile    []byte `json:"profile,omitzero"`
}

// Text returns the path of the file and the number of samples in it.
func (o ProfilerStopOut) Text() string { return fmt.Sprintf("%s (%d samples)", o.Path, o.EventCount) }

// TakeFile returns the profile, which the caller then writes to a file; see [wire.Filer].
func (o *ProfilerStopOut) TakeFile() (wire.File, bool) {
	f := wire.File{Path: o.Path, Ext: ".cpuprofile", Dir: recordings, Content: o.Profile}
	o.Profile = nil
	return f, true
}

// SetPath sets the path to which the profile was written.
func (o *ProfilerStopOut) SetPath(path string) { o.Path = path }

// ProfilerStop ends a recording and returns it.
var ProfilerStop = wire.Verb[ProfilerStopIn, ProfilerStopOut]{Spec: wire.Spec{
	Name: "profiler stop", Group: groupDiagnosis, Short: "Stop recording and write the profile, for the panel Performance of DevTools",
	Example: "abrowser profiler stop slow.cpuprofile",
}}
