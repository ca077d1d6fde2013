package verbs

import "github.com/abrowser/abrowser/sockets/wire"

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
