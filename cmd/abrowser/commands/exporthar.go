package commands

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/abrowser/abrowser/daemon/web/har"
	"github.com/abrowser/abrowser/sockets/verbs"
)

const harName = "requests.har"

// readRequests writes the requests that a running session knows. If the session does not answer, that
// is a warning.
func (e *export) readRequests(ctx context.Context, params map[string]any) error {
	result, err := e.Do(ctx, Command{Session: e.session, Verb: &verbs.Requests, Params: params, Running: true})
	out, ok := result.Output.(*verbs.RequestsOut)
	if err != nil || !ok {
		e.warn(harName + " is missing: the session does not answer")
		return nil
	}
	return e.writeHAR(out.Requests)
}

// writeHAR writes requests, without the bodies of their responses, as a HAR file.
func (e *export) writeHAR(requests []verbs.Request) error {
	var entries []har.Entry
	for _, r := range requests {
		began := time.UnixMicro(int64(r.Timestamp * 1000))
		entry := har.NewEntry(began, r.Method, r.URL, r.ResourceType)
		entry.Request.SetHeaders(pairs(r.Headers))
		if r.PostData != "" {
			entry.Request.SetBody([]byte(r.PostData), true)
		}
		entry.Response.Status, entry.Response.Failure = r.Status, r.Failure
		entry.Response.SetHeaders(pairs(r.ResponseHeaders))
		if r.MIMEType != "" {
			entry.Response.Content.MIMEType = r.MIMEType
		}
		entries = append(entries, entry)
	}
	if err := har.WriteArchive(filepath.Join(e.dir, harName), entries); err != nil {
		return err
	}
	e.files = append(e.files, harName)
	return nil
}

func pairs(headers map[string]string) []har.Pair {
	all := []har.Pair{}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		all = append(all, har.Pair{Name: name, Value: headers[name]})
	}
	return all
}
