package verbs

import (
	"os"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// RouteIn is the input of [Route].
type RouteIn struct {
	URL          string         `json:"url" arg:"0" required:"true" help:"a glob for URLs: * stands for any text without a slash, ** for any text, {a,b} for a or b"`
	Abort        bool           `json:"abort,omitzero" help:"let the requests fail"`
	Body         *string        `json:"body,omitzero" help:"answer with this text"`
	File         string         `json:"file,omitzero" flag:"body-file" file:"in" help:"answer with the content of this file, which is read for each request"`
	Status       int            `json:"status,omitzero" help:"the status of the answer, instead of 200"`
	Headers      StringOrObject `json:"headers,omitzero" help:"the headers of the answer, a JSON object of names and values"`
	AllowOrigin  string         `json:"allowOrigin,omitzero" help:"the origin whose pages may read the answer"`
	Delay        int            `json:"delay,omitzero" min:"1" help:"milliseconds to wait before the answer; without an answer, before the request is sent"`
	ResourceType string         `json:"resourceType,omitzero" help:"only requests of these types, as in network requests; several after commas"`
}

const (
	maxRouteFile  = 50 << 20 // bytes
	maxRouteBody  = 1 << 20
	maxRouteDelay = 10 * 60 * 1000 // milliseconds
	hintRoute     = `abrowser network route '**/data.json' --body '{"a":1}'`
)

// Answers reports whether the route itself answers requests. Otherwise it only aborts or delays
// them.
func (in RouteIn) Answers() bool {
	return in.Body != nil || in.File != "" || in.Status != 0 || in.Headers != "" || in.AllowOrigin != ""
}

// Types returns the resource types of the requests to which the route applies. An empty result
// means all types.
func (in RouteIn) Types() []string {
	all, _ := parseTypes(in.ResourceType) // Check has returned the error
	return all
}

// Check returns an error for a route that does nothing, that cannot answer, or whose options
// contradict each other.
func (in RouteIn) Check() error {
	bad := func(format string, args ...any) error {
		return wire.Errorf(wire.CodeBadInput, format, args...).WithHint("%s", hintRoute)
	}
	if _, err := parseTypes(in.ResourceType); err != nil {
		return err
	}
	if in.Headers != "" {
		if _, err := ParseHeaders(in.Headers); err != nil {
			return err
		}
	}
	switch {
	case len(in.URL) > 4096:
		return bad("the glob has %d bytes; it may have 4096", len(in.URL))
	case strings.ContainsAny(in.URL, " \t\r\n\x00"):
		return bad("%.100q is not a glob for URLs: it contains a space", in.URL)
	case in.Abort && (in.Answers() || in.Delay != 0):
		return bad("--abort excludes an answer and a delay")
	case in.Body != nil && in.File != "":
		return bad("network route takes --body or --body-file, not both")
	case !in.Abort && !in.Answers() && in.Delay == 0:
		return bad("network route needs --abort, an answer such as --body, or --delay")
	case in.Status != 0 && (in.Status < 200 || in.Status > 599):
		return bad("status is %d; an answer has a status from 200 to 599", in.Status)
	case in.Delay > maxRouteDelay:
		return bad("delay is %d; it takes %d milliseconds at most", in.Delay, maxRouteDelay)
	case in.Body != nil && len(*in.Body) > maxRouteBody:
		return wire.Errorf(wire.CodeTooLarge, "the body has %d bytes; it may have %d", len(*in.Body), maxRouteBody).WithHint("abrowser network route '**/data.json' --body-file data.json")
	case strings.ContainsAny(in.AllowOrigin, "\r\n\x00"):
		return bad("%.100q is not an origin", in.AllowOrigin)
	case in.File != "":
		info, err := os.Stat(in.File)
		if err != nil || !info.Mode().IsRegular() {
			return bad("%.200s is not a file that can be read", in.File)
		}
		if info.Size() > maxRouteFile {
			return wire.Errorf(wire.CodeTooLarge, "%.200s has %d bytes; it may have %d", in.File, info.Size(), maxRouteFile).WithHint("%s", hintRoute)
		}
	}
	return nil
}

// RouteOut is the output of [Route].
type RouteOut struct {
	Routed string `json:"routed"` // the glob
}

// Text returns an empty string, since the caller has the glob already.
func (o RouteOut) Text() string { return "" }

// Route answers, aborts or delays requests instead of their servers.
var Route = wire.Verb[RouteIn, RouteOut]{Spec: wire.Spec{
	Name: "network route", Group: groupDiagnosis, Short: "Answer requests in the place of their servers, abort or delay them",
	Long: "The route is for all pages of the session, also popups, and for no other session. It ends with the session. A newer route comes first, " +
		"and replaces one for the same URLs and types. A type that --headers does not name is guessed from the body or the file.",
	Example: hintRoute,
}}

// UnrouteIn is the input of [Unroute].
type UnrouteIn struct {
	URL string `json:"url,omitzero" arg:"0" help:"the glob of the routes to remove, as it was given; without it all are removed"`
}

// UnrouteOut is the output of [Unroute].
type UnrouteOut struct {
	Unrouted string `json:"unrouted"` // the glob, or "all"
	Removed  int    `json:"removed"`  // the number of routes
}

// Text returns the number of routes that were removed.
func (o UnrouteOut) Text() string { return "removed " + counted(o.Removed, "route", "routes") }

// Unroute removes routes.
var Unroute = wire.Verb[UnrouteIn, UnrouteOut]{Spec: wire.Spec{
	Name: "network unroute", Group: groupDiagnosis, Short: "Let requests reach their servers again",
	Example: "abrowser network unroute",
}}
