package daemon

import (
	"context"
	"encoding/json"
	"net/url"
	"path/filepath"
	"time"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Limits of the records, which the help of [verbs.SessionExport] states.
const (
	recordTime  = time.Second // for the driver to return what it has
	recordAge   = 7 * 24 * time.Hour
	recordSize  = 1 << 20 // of one session
	recordsSize = 64 << 20
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
	file := s.Root.RecordFile(s.Name)
	if err := saveRecord(file, record); err != nil {
		s.Log.Warn("saving the record", "error", err)
	}
	if err := home.Trim(filepath.Dir(file), recordAge, recordsSize); err != nil {
		s.Log.Warn("removing old records", "error", err)
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

// saveRecord writes a record to a file. It leaves out the oldest entries until the rest has at most
// recordSize bytes.
func saveRecord(file string, r verbs.SessionRecord) error {
	for {
		raw, err := json.Marshal(r)
		if err != nil {
			return err
		}
		if len(raw) <= recordSize {
			return home.WriteFile(file, raw)
		}
		r.Console, r.Errors, r.Requests = newerHalf(r.Console), newerHalf(r.Errors), newerHalf(r.Requests)
	}
}

func newerHalf[T any](all []T) []T { return all[(len(all)+1)/2:] }
