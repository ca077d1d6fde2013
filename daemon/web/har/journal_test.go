package har

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestJournal(t *testing.T) {
	dir := t.TempDir()
	j := Journal{Path: filepath.Join(dir, "journal")}
	path := filepath.Join(dir, "sub", "a.har")
	if n, err := j.WriteArchive(path); n != 0 || err != nil {
		t.Errorf("WriteArchive() without a journal = %d, %v", n, err)
	}
	began := time.Now()
	over := NewEntry(began, "GET", "http://a.test/early?b=2&a=1", "document")
	over.Response.Status = 200
	for _, e := range []Entry{
		NewEntry(began.Add(time.Second), "GET", "http://a.test/late", "fetch"),
		NewEntry(began, "GET", "http://a.test/early?b=2&a=1", "document"),
		NewEntry(began.Add(time.Nanosecond), "GET", "http://a.test/early", "fetch"),
		over,
	} {
		if err := j.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.OpenFile(j.Path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString(`{"startedDateTime":"20`) // a daemon was killed here
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	n, err := j.WriteArchive(path)
	if n != 3 || err != nil {
		t.Fatalf("WriteArchive() = %d, %v", n, err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var archive struct {
		Log struct{ Entries []Entry }
	}
	if err := json.Unmarshal(raw, &archive); err != nil {
		t.Fatal(err)
	}
	all := archive.Log.Entries
	if len(all) != 3 || all[0].Request.URL != over.Request.URL || len(all[0].Request.Query) != 2 || all[0].Request.Query[0].Name != "a" || all[0].Response.Status != 200 {
		t.Errorf("the entries are %+v", all)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode is %v, %v", info.Mode(), err)
	}
	full := Journal{Path: "/dev/full"}
	if _, err := os.Stat(full.Path); err == nil && full.Append(Entry{}) == nil {
		t.Error("Append() to a full disk has no error")
	}
	aside, err := j.SetAside()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(aside); err != nil {
		t.Error(err)
	}
	if err := j.Remove(); err != nil { // the file does not exist any more
		t.Error(err)
	}
}

func TestResponseBody(t *testing.T) {
	for _, tt := range []struct {
		name, contentType, bodies string
		status                    int
		body                      []byte
		failed                    error
		want                      content
	}{
		{"text", "text/html; charset=utf-8", "text", 200, []byte("<p>"), nil, content{Size: 3, MIMEType: "text/html; charset=utf-8", Text: "<p>"}},
		{"an image among text", "image/png", "text", 200, []byte("x"), nil, content{MIMEType: "image/png"}},
		{"an image", "image/png", "all", 200, []byte("x"), nil, content{Size: 1, MIMEType: "image/png", Text: "eA==", Encoding: "base64"}},
		{"a redirect", "text/html", "all", 302, []byte("x"), nil, content{MIMEType: "text/html"}},
		{"no body wanted", "text/html", "none", 200, []byte("x"), nil, content{MIMEType: "text/html"}},
		{"a body that is gone", "", "all", 200, nil, errors.New("no resource"), content{MIMEType: unknownType, Comment: "the body is not there any more"}},
		{"a body that is too large", "text/css", "all", 200, make([]byte, maxBody+1), nil, content{Size: maxBody + 1, MIMEType: "text/css", Comment: "the body is too large"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := Response{Status: tt.status}
			var headers []Pair
			if tt.contentType != "" {
				headers = []Pair{{"Content-Type", tt.contentType}, {"Set-Cookie", "a=b; Path=/"}}
			}
			r.SetHeaders(headers)
			if r.WantsBody(tt.bodies) {
				r.SetBody(tt.body, tt.failed)
			}
			if r.Content != tt.want || len(r.Cookies) != len(headers)/2 {
				t.Errorf("got %+v with the cookies %v, want %+v", r.Content, r.Cookies, tt.want)
			}
		})
	}
}

// The body of a request is recorded if it is wanted, is text, and is not too large.
func TestRequestBody(t *testing.T) {
	for _, tt := range []struct {
		name string
		body []byte
		keep bool
		want bool
	}{
		{"text", []byte("a=b"), true, true},
		{"not wanted", []byte("a=b"), false, false},
		{"not text", []byte{0xff}, true, false},
		{"the largest", make([]byte, maxBody), true, true},
		{"too large", make([]byte, maxBody+1), true, false},
	} {
		var r Request
		r.SetBody(tt.body, tt.keep)
		if got := r.PostData != nil; got != tt.want || r.BodySize != len(tt.body) {
			t.Errorf("%s: recorded %t, want %t, with the size %d", tt.name, got, tt.want, r.BodySize)
		}
	}
}
