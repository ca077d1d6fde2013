package site_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/daemon/daemontest/site"
)

func TestFiles(t *testing.T) {
	s := site.Start(t)
	for _, test := range []struct {
		path, want string
		status     int
	}{
		{"/files?to=/file/a/x.txt", `id="save" href="/file/a/x.txt" download`, 200},
		{"/files/frames?to=/file/a/x.txt", s.CrossURL("/files?to=%2Ffile%2Fa%2Fx.txt"), 200},
		{"/files/frames?deep=1&to=/file/a/x.txt", s.URL("/files?to=%2Ffile%2Fa%2Fx.txt"), 200},
		{"/file/a/x.txt?size=2000&ms=1", string(site.FileContent("a", 2000)), 200},
	} {
		status, body := get(t, http.DefaultClient, s.URL(test.path))
		if status != test.status || !strings.Contains(body, test.want) {
			t.Errorf("GET %s = %d %q, want %d and %q", test.path, status, body, test.status, test.want)
		}
	}
	if len(site.FileContent("a", 1000)) != 1000 || string(site.FileContent("a", 1000)) == string(site.FileContent("b", 1000)) {
		t.Error("two seeds' files are the same, or not as long as asked for")
	}
}
