package home

import (
	"path/filepath"
	"testing"

	"github.com/abrowser/abrowser/sockets/wire"
)

func TestBrowserOf(t *testing.T) {
	root := Root{Dir: "/r"}
	for _, tt := range []struct{ profile, name, lock string }{
		{"", "default", "/r/profiles/default/abrowser.lock"},
		{"work", "work", "/r/profiles/work/abrowser.lock"},
		{"/home/me/profile/", "", "/home/me/profile/abrowser.lock"},
	} {
		p, err := root.BrowserOf(wire.Settings{Profile: tt.profile})
		if err != nil || p.Lock != tt.lock || tt.name != "" && p.Name != tt.name || CheckName(p.Name) != nil {
			t.Errorf("BrowserOf(profile %q) = %+v, %v; want name %q, lock %q", tt.profile, p, err, tt.name, tt.lock)
		}
	}
	a, _ := root.BrowserOf(wire.Settings{Profile: "/home/me/profile/"})
	b, _ := root.BrowserOf(wire.Settings{Profile: "/home/me/profile"})
	if a != b || filepath.Dir(a.Socket) != "/r/run/b" {
		t.Errorf("one directory has two endpoints: %+v, %+v", a, b)
	}
	if _, err := root.BrowserOf(wire.Settings{Profile: "../x"}); err == nil {
		t.Error("a profile named ../x was accepted")
	}
}
