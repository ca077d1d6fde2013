package har

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
)

// WriteRequests writes requests as a HAR to the file with the given path. The HAR has neither the
// content of responses nor how long requests took.
func WriteRequests(path string, requests []verbs.Request) error {
	var entries []json.RawMessage
	for _, r := range requests {
		e := NewEntry(time.UnixMicro(int64(r.Timestamp*1000)), r.Method, r.URL, r.ResourceType)
		e.Request.SetHeaders(pairs(r.Headers))
		if r.PostData != "" {
			e.Request.SetBody([]byte(r.PostData), true)
		}
		e.Response.Status, e.Response.Failure = r.Status, r.Failure
		e.Response.SetHeaders(pairs(r.ResponseHeaders))
		if r.MIMEType != "" {
			e.Response.Content.MIMEType = r.MIMEType
		}
		raw, err := json.Marshal(e)
		if err != nil {
			return err
		}
		entries = append(entries, raw)
	}
	return writeArchive(path, entries)
}

func pairs(headers map[string]string) []Pair {
	all := []Pair{}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		all = append(all, Pair{name, headers[name]})
	}
	return all
}
