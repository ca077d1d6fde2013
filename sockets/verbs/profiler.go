package verbs

import (
	"fmt"

	"github.com/abrowser/abrowser/sockets/wire"
)

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
