package verbs

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// RequestsIn is the input of [Requests].
type RequestsIn struct {
	Clear  bool   `json:"clear,omitzero" help:"remove the records instead of listing them"`
	Filter string `json:"filter,omitzero" help:"list only requests whose URL contains this text"`
	Type   string `json:"type,omitzero" help:"list only these resource types: document, stylesheet, image, media, font, script, xhr, fetch, websocket, other; several after commas"`
	Method string `json:"method,omitzero" help:"list only requests with this method, as POST"`
	Status string `json:"status,omitzero" help:"list only responses with this status: 404, 2xx or 400-499"`
	AsideIn
}

// resourceTypes returns the resource types by which requests can be selected.
func resourceTypes() []string {
	return []string{
		"document", "stylesheet", "image", "media", "font", "script", "texttrack", "xhr", "fetch", "prefetch", "eventsource", "websocket",
		"manifest", "ping", "cspreport", "other",
	}
}

// parseTypes splits a list of resource types.
func parseTypes(list string) ([]string, error) {
	var all []string
	for name := range strings.SplitSeq(list, ",") {
		name = strings.ToLower(strings.TrimSpace(name))
		if name == "" {
			continue
		}
		if !slices.Contains(resourceTypes(), name) {
			return nil, wire.Errorf(wire.CodeBadInput, "%.50q is not a resource type; the types are %s", name, strings.Join(resourceTypes(), ", ")).
				WithHint("abrowser network requests --type xhr,fetch")
		}
		all = append(all, name)
	}
	return all, nil
}

// Types returns the resource types to list. An empty result means all types.
func (in RequestsIn) Types() []string {
	all, _ := parseTypes(in.Type) // Check has returned the error
	return all
}

// WantedMethod returns the method of the requests to list, in capitals. An empty result means all
// methods.
func (in RequestsIn) WantedMethod() string { return strings.ToUpper(in.Method) }

// StatusRange returns the first and the last status to list. Both are 0 if every status is to be
// listed. StatusRange returns [wire.CodeBadInput] for an invalid status.
func (in RequestsIn) StatusRange() (from, to int, err error) {
	first, last, isRange := strings.Cut(in.Status, "-")
	class, isClass := strings.CutSuffix(strings.ToLower(in.Status), "xx")
	switch {
	case in.Status == "":
		return 0, 0, nil
	case isClass:
		n, failed := strconv.Atoi(class)
		from, to, err = n*100, n*100+99, failed
	case isRange:
		from, err = strconv.Atoi(first)
		if err == nil {
			to, err = strconv.Atoi(last)
		}
	default:
		from, err = strconv.Atoi(in.Status)
		to = from
	}
	if err != nil || from < 100 || to > 599 || from > to {
		return 0, 0, wire.Errorf(wire.CodeBadInput, "status is %.50q; it takes a status from 100 to 599, a class or a range", in.Status).
			WithHint("abrowser network requests --status 4xx")
	}
	return from, to, nil
}

// Check returns an error for an unknown type or status.
func (in RequestsIn) Check() error {
	if _, err := parseTypes(in.Type); err != nil {
		return err
	}
	_, _, err := in.StatusRange()
	return err
}

// Request is a request of a page, and its response as far as it was received.
type Request struct {
	RequestID       string            `json:"requestId"`
	URL             string            `json:"url"`
	Method          string            `json:"method"`
	Headers         map[string]string `json:"headers"`
	PostData        string            `json:"postData,omitzero"`
	Timestamp       float64           `json:"timestamp"` // milliseconds since 1970
	ResourceType    string            `json:"resourceType"`
	Status          int               `json:"status,omitzero"` // 0 if there is no response
	MIMEType        string            `json:"mimeType"`
	ResponseHeaders map[string]string `json:"responseHeaders"`
	Failure         string            `json:"failure,omitzero"` // why the request failed
}

// outcome returns the status, or the reason why there is no status.
func (r Request) outcome() string {
	switch {
	case r.Failure != "":
		return r.Failure
	case r.Status == 0:
		return "pending"
	default:
		return strconv.Itoa(r.Status)
	}
}

// RequestsOut is the output of [Requests].
type RequestsOut struct {
	Requests []Request `json:"requests"`
	Dropped  int       `json:"dropped,omitzero"` // the number of older requests that were not kept
	Cleared  *int      `json:"cleared,omitzero"` // the number of requests that were removed
}

// Text returns a line for each request, or the number of requests that were removed.
func (o RequestsOut) Text() string {
	var all []string
	for _, r := range o.Requests {
		all = append(all, fmt.Sprintf("[%s] %s %s (%s) %s", r.RequestID, r.Method, r.URL, r.ResourceType, r.outcome()))
	}
	return recordsText(all, "requests", o.Dropped, o.Cleared)
}

// Requests lists the requests of the session's pages.
var Requests = wire.Verb[RequestsIn, RequestsOut]{Spec: wire.Spec{
	Name: "network requests", PageText: true, Group: groupDiagnosis, Short: "List the requests of the session's pages",
	Long: "The requests are those of all pages of the session since it was opened, also of popups, frames, workers and closed pages, " +
		"and include those that were made while no command ran. Requests of a service worker belong to no session. " +
		"The newest 1000 are kept, or fewer if they are longer than 4 MB. They end with the session, and if its daemon or the driver is restarted.",
	Example: "abrowser network requests --type xhr,fetch --status 4xx", ReadOnly: true,
}}

// RequestIn is the input of [RequestDetail].
type RequestIn struct {
	ID string `json:"requestId" arg:"0" required:"true" help:"the number in brackets of network requests"`
}

// RequestOut is the output of [RequestDetail].
type RequestOut struct {
	Request
	StatusText   string `json:"statusText,omitzero"`
	ResponseBody string `json:"responseBody"`
	Base64       bool   `json:"base64Encoded,omitzero"` // the body is not text, and is encoded in base64
	// BodySize is the size of the body in bytes if ResponseBody contains only the beginning of it.
	BodySize  int    `json:"bodySize,omitzero"`
	BodyError string `json:"bodyError,omitzero"` // why ResponseBody is missing
}

// Text returns the request and its response in a form that is similar to HTTP.
func (o RequestOut) Text() string {
	all := []string{fmt.Sprintf("> %s %s", o.Method, o.URL)}
	headers := func(mark string, of map[string]string) {
		for _, name := range slices.Sorted(maps.Keys(of)) {
			for value := range strings.SplitSeq(of[name], "\n") {
				all = append(all, fmt.Sprintf("%s %s: %s", mark, name, value))
			}
		}
	}
	headers(">", o.Headers)
	all = append(all, o.PostData, strings.TrimSpace(fmt.Sprintf("< %s %s", o.outcome(), o.StatusText)))
	headers("<", o.ResponseHeaders)
	switch {
	case o.BodyError != "":
		all = append(all, "(no body: "+o.BodyError+")")
	case o.Base64:
		all = append(all, "(the body in base64) "+o.ResponseBody)
	default:
		all = append(all, o.ResponseBody)
	}
	if o.BodySize > 0 {
		all = append(all, fmt.Sprintf("(the body has %d bytes; this is its beginning)", o.BodySize))
	}
	return lines(all...)
}

// RequestDetail shows a request with the body of its response.
var RequestDetail = wire.Verb[RequestIn, RequestOut]{Spec: wire.Spec{
	Name: "network request", PageText: true, Group: groupDiagnosis, Short: "Show a request with its headers and the body of its response",
	Long:    "The browser keeps the bodies of the present documents. Of a body, the first MB is shown.",
	Example: "abrowser network request 1234.1", ReadOnly: true,
}}

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

// maxReplay is the size in bytes of the largest HAR file that is replayed. The driver reads the
// whole file, and meanwhile the sessions that share the driver wait: 200 MB takes almost a second.
const maxReplay = 64 << 20

// CheckHARFiles returns an error if one of the paths is not a regular file or is too large. The
// paths are those in [OpenIn.HARs]: the HAR files from which the requests of pages are answered.
func CheckHARFiles(paths []string) error {
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err != nil, !info.Mode().IsRegular():
			return wire.Errorf(wire.CodeBadInput, "HAR replay file not found at %q", path).WithHint("abrowser network har start %s records one", wire.ShellWord(path))
		case info.Size() > maxReplay:
			return wire.Errorf(wire.CodeTooLarge, "%s has %d MB, more than %d", path, info.Size()>>20, maxReplay>>20).
				WithHint("abrowser network har start FILE --content none records a smaller one")
		}
	}
	return nil
}
