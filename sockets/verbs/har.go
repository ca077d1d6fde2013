package verbs

import (
	"fmt"
	"os"

	"github.com/abrowser/abrowser/sockets/wire"
)

// HARStartIn is the input of [HARStart].
type HARStartIn struct {
	Path    string `json:"path,omitzero" arg:"0" file:"out" help:"the file to write; without it one below ~/.abrowser/har"`
	Content string `json:"content,omitzero" default:"all" enum:"all|text|none" help:"which bodies are kept"`
}

// HARStartOut is what [HARStart] answers.
type HARStartOut struct {
	Started bool   `json:"started"`
	Path    string `json:"path"`
}

// Text is where it will be written.
func (o HARStartOut) Text() string { return o.Path }

// HARStart begins to record the session's requests.
var HARStart = wire.Verb[HARStartIn, HARStartOut]{Spec: wire.Spec{
	Name: "network har start", Aliases: []string{"har start", "start har"}, Group: groupPolicy, Short: "Record the session's requests into a HAR file",
	Long:    "This session's alone. The file is written by har stop, and when the session is closed. It has headers and bodies, and with them what is secret in them.",
	Example: "abrowser network har start trace.har",
}}

// HARStopIn is the input of [HARStop].
type HARStopIn struct {
	Path string `json:"path,omitzero" arg:"0" file:"out" help:"the file to write, in place of the one given at the start"`
}

// HARStopOut is what [HARStop] answers.
type HARStopOut struct {
	Path         string `json:"path"`
	RequestCount int    `json:"requestCount"`
}

// Text is the file and how much is in it.
func (o HARStopOut) Text() string { return fmt.Sprintf("%s (%d requests)", o.Path, o.RequestCount) }

// HARStop writes what was recorded.
var HARStop = wire.Verb[HARStopIn, HARStopOut]{Spec: wire.Spec{
	Name: "network har stop", Aliases: []string{"har stop", "stop har"}, Group: groupPolicy, Short: "Write the HAR file and stop recording",
	Example: "abrowser network har stop",
}}

// CheckHARFiles refuses HAR files that are not there to be answered from.
func CheckHARFiles(paths []string) error {
	for _, path := range paths {
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			return wire.Errorf(wire.CodeBadInput, "HAR replay file not found at %q", path).WithHint("abrowser network har start %s records one", path)
		}
	}
	return nil
}
