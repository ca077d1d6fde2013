package daemon

import (
	"context"
	"encoding/json"
	"net/url"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	recordTime = time.Second // for the driver to return what it has
	recordSize = 1 << 20     // of one session; the help of [verbs.SessionExport] states it
)

// keepRecord saves what the session's pages have logged and requested, for [verbs.SessionExport]. It
// is called before the connection is closed. It saves nothing of an incognito session, and nothing if
// the connection is lost. Requests are saved without queries, headers and content, because these have
// what people type, and tokens.
func (s *Session) keepRecord(ctx context.Context) {
	if !s.IsConnected() || s.settings.SessionMode() == wire.ModeIncognito {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, recordTime)
	defer cancel()
	record, err := s.backend.Record(ctx)
	if err != nil {
		s.Log.Warn("reading the record", "error", err)
		return
	}
	if len(record.Console)+len(record.Errors)+len(record.Requests) == 0 {
		return
	}
	record.At = time.Now()
	for i := range record.Requests {
		record.Requests[i] = bare(record.Requests[i])
	}
	raw, err := encodeRecord(record)
	if err == nil {
		err = s.Root.KeepRecord(s.Root.RecordFile(s.Name), raw)
	}
	if err != nil {
		s.Log.Warn("saving the record", "error", err)
	}
}

// bare returns a request without its query, headers and content.
func bare(r verbs.Request) verbs.Request {
	r.Headers, r.ResponseHeaders, r.PostData = nil, nil, ""
	if u, err := url.Parse(r.URL); err != nil || u.Opaque != "" {
		r.URL = ""
	} else {
		u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment, u.User = "", false, "", "", nil
		r.URL = u.String()
	}
	return r
}

// encodeRecord returns a record as JSON. It leaves out the oldest entries until the rest has at most
// recordSize bytes.
func encodeRecord(r verbs.SessionRecord) ([]byte, error) {
	for {
		raw, err := json.Marshal(r)
		if err != nil || len(raw) <= recordSize {
			return raw, err
		}
		r.Console, r.Errors, r.Requests = newerHalf(r.Console), newerHalf(r.Errors), newerHalf(r.Requests)
	}
}

func newerHalf[T any](all []T) []T { return all[(len(all)+1)/2:] }
