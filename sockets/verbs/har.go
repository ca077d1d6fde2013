package verbs

import (
	"fmt"
	"os"

	"github.com/abrowser/abrowser/sockets/wire"
)

// HARStartIn is the input of [HARStart].
type HARStartIn struct {
	Path    string `json:"path,omitzero" arg:"0" file:"out" help:"the file to write; the default is a new file in ~/.abrowser/har"`
	Content string `json:"content,omitzero" default:"all" enum:"all|text|none" help:"which bodies to record"`
}

// HARStartOut is the output of [HARStart].
type HARStartOut struct {
	Started bool   `json:"started"`
	Path    string `json:"path"`
}

// Text returns the path of the file.
func (o HARStartOut) Text() string { return o.Path }

// HARStart starts to record the session's requests.
var HARStart = wire.Verb[HARStartIn, HARStartOut]{Spec: wire.Spec{
	Name: "network har start", Aliases: []string{"har start", "start har"}, Group: groupDiagnosis, Short: "Record the session's requests into a HAR file",
	Long:    "Only requests of this session are recorded. The file is written by har stop or when the session is closed. It contains headers and bodies, including secrets.",
	Example: "abrowser network har start trace.har",
}}

// HARStopIn is the input of [HARStop].
type HARStopIn struct {
	Path string `json:"path,omitzero" arg:"0" file:"out" help:"the file to write, instead of the one given to har start"`
}

// HARStopOut is the output of [HARStop].
type HARStopOut struct {
	Path         string `json:"path"`
	RequestCount int    `json:"requestCount"`
}

// Text returns the path of the file and the number of requests in it.
func (o HARStopOut) Text() string { return fmt.Sprintf("%s (%d requests)", o.Path, o.RequestCount) }

// HARStop stops recording and writes the HAR file.
var HARStop = wire.Verb[HARStopIn, HARStopOut]{Spec: wire.Spec{
	Name: "network har stop", Aliases: []string{"har stop", "stop har"}, Group: groupDiagnosis, Short: "Write the HAR file and stop recording",
	Example: "abrowser network har stop",
}}

// CheckHARFiles returns an error if one of the paths is not a regular file. The paths are those
// in [OpenIn.HARs]: the HAR files from which the requests of pages are answered.
func CheckHARFiles(paths []string) error {
	for _, path := range paths {
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			return wire.Errorf(wire.CodeBadInput, "HAR replay file not found at %q", path).WithHint("abrowser network har start %s records one", path)
		}
	}
	return nil
}
