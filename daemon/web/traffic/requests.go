// Package traffic lists the requests of the session's pages, and returns the bodies of responses.
// The driver records the requests: see traffic.js of launcher/driver.
package traffic

import (
	"context"
	"time"

	"github.com/abrowser/abrowser/daemon/web/direct"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Requests lists the session's requests. If in.Clear is set, it removes them from the records
// instead.
func Requests(ctx context.Context, at *direct.Driver, in verbs.RequestsIn) (verbs.RequestsOut, error) {
	out := verbs.RequestsOut{Requests: []verbs.Request{}}
	var answer struct {
		Entries []verbs.Request `json:"entries"`
		Dropped int             `json:"dropped"`
		Cleared int             `json:"cleared"`
	}
	if in.Clear {
		if err := at.MaySet(ctx); err != nil {
			return out, err
		}
		err := at.Ask("Abrowser.console", map[string]any{"kind": "requests", "clear": true}, &answer)
		out.Cleared = &answer.Cleared
		return out, err
	}
	ask := map[string]any{"filter": in.Filter, "method": in.WantedMethod()}
	if types := in.Types(); len(types) > 0 {
		ask["types"] = types
	}
	from, to, err := in.StatusRange()
	if err != nil {
		return out, err
	}
	if to > 0 {
		ask["from"], ask["to"] = from, to
	}
	if err := at.Ask("Abrowser.requests", ask, &answer); err != nil {
		return out, err
	}
	if answer.Entries != nil {
		out.Requests = answer.Entries
	}
	out.Dropped = answer.Dropped
	return out, nil
}

// bodyTime is how long a command waits for the rest of a response.
const bodyTime = 3 * time.Second

// Request returns a request with the body of its response.
func Request(_ context.Context, at *direct.Driver, in verbs.RequestIn) (verbs.RequestOut, error) {
	var answer struct {
		Entry *struct {
			verbs.RequestOut
			Response *struct {
				Body   string `json:"body"`
				Base64 string `json:"base64"`
				Size   int    `json:"size"`
				Error  string `json:"error"`
			} `json:"response"`
		} `json:"entry"`
	}
	err := at.Ask("Abrowser.request", map[string]any{"requestId": in.ID, "limit": bodyTime.Milliseconds()}, &answer)
	if err != nil {
		return verbs.RequestOut{}, err
	}
	if answer.Entry == nil {
		return verbs.RequestOut{}, wire.Errorf(wire.CodeNotFound, "request %.100q not found", in.ID).WithHint("abrowser network requests")
	}
	out := answer.Entry.RequestOut
	if r := answer.Entry.Response; r != nil {
		out.ResponseBody, out.BodySize, out.BodyError = r.Body, r.Size, r.Error
		if r.Base64 != "" {
			out.ResponseBody, out.Base64 = r.Base64, true
		}
	}
	return out, nil
}
