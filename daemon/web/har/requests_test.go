package har

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/abrowser/abrowser/sockets/verbs"
)

func TestWriteRequests(t *testing.T) {
	path := filepath.Join(t.TempDir(), "requests.har")
	for _, requests := range [][]verbs.Request{nil, {
		{
			URL: "http://h/a?q=1", Method: "POST", Timestamp: 1e12, PostData: "x=1", ResourceType: "Fetch", Status: 201, MIMEType: "text/plain",
			Headers: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, ResponseHeaders: map[string]string{"X-Test": "yes"},
		},
		{URL: "http://h/gone", Method: "GET", Failure: "net::ERR_FAILED"},
	}} {
		if err := WriteRequests(path, requests); err != nil {
			t.Fatal(err)
		}
		if err := Check(path); err != nil {
			t.Errorf("with %d requests it is no HAR: %v", len(requests), err)
		}
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Log struct{ Entries []Entry } `json:"log"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	first, second := file.Log.Entries[0], file.Log.Entries[1]
	if first.Started != "2001-09-09T01:46:40.000000000Z" || first.Request.PostData.Text != "x=1" || first.Request.Query[0] != (Pair{"q", "1"}) ||
		first.Response.Status != 201 || first.Response.Headers[0] != (Pair{"X-Test", "yes"}) || first.Response.Content.MIMEType != "text/plain" {
		t.Errorf("the first request is %+v", first)
	}
	if second.Response.Failure != "net::ERR_FAILED" || second.Response.Status != 0 {
		t.Errorf("the second request is %+v", second)
	}
}
