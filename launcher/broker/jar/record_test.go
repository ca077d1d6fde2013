package broker

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestJarPutsBackWhatWasLost(t *testing.T) {
	began := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	at := func(s int) time.Time { return began.Add(time.Duration(s) * time.Second) }
	later := float64(at(3600).Unix())
	persistent := func(value string) cookie {
		return cookie{Name: "c", Value: value, Domain: "a.example", Path: "/", Expires: later}
	}
	session := cookie{Name: "c", Value: "s", Domain: "a.example", Path: "/", Expires: -1, Session: true}
	type seen struct {
		at int
		cs []cookie
	}
	one := func(c cookie) []cookie { return []cookie{c} }
	for _, tt := range []struct {
		name  string
		looks []seen
		clean bool
		died  int
		now   int
		have  []cookie // in the browser after it
		want  string   // the value put back; empty: nothing
	}{
		{"set just before", []seen{{0, one(persistent("x"))}}, false, 1, 5, nil, "x"},
		{"had for long and gone: deleted", []seen{{0, one(persistent("x"))}}, false, 300, 305, nil, ""},
		{"written already", []seen{{0, one(persistent("x"))}}, false, 40, 45, one(persistent("x")), ""},
		{"changed just before", []seen{{0, one(persistent("x"))}, {300, one(persistent("y"))}}, false, 301, 305, one(persistent("x")), "y"},
		{"changed since the last look", []seen{{0, one(persistent("x"))}, {300, one(persistent("y"))}}, false, 340, 345, one(persistent("z")), ""},
		{"deleted before the last look", []seen{{0, one(persistent("x"))}, {2, nil}}, false, 3, 5, nil, ""},
		{"deleted, and the browser has not written it", []seen{{0, one(persistent("x"))}, {300, nil}}, false, 301, 305, one(persistent("x")), ""},
		{"of a session", []seen{{0, one(session)}}, false, 9000, 9005, nil, "s"},
		{"of a session, and the browser was closed", []seen{{0, one(session)}}, true, 9000, 9005, nil, "s"},
		{"the browser was closed", []seen{{0, one(persistent("x"))}}, true, 1, 5, nil, ""},
		{"expired meanwhile", []seen{{0, one(persistent("x"))}}, false, 1, 3600, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "jar.json")
			j := &jar{Profile: "p", Cookies: map[string]kept{}}
			for _, look := range tt.looks {
				j.look(at(look.at), look.cs)
			}
			j.Clean = tt.clean
			if err := j.save(path); err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the file is %v %v, want mode 0600", info, err)
			}
			j, err := loadJar(path, "p")
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, c := range j.missing(at(tt.now), at(tt.died), tt.have) {
				got += c.Value
			}
			if got != tt.want {
				t.Errorf("put back is %q, want %q", got, tt.want)
			}
			if other, err := loadJar(path, "another profile"); err != nil || len(other.Cookies) != 0 {
				t.Errorf("for another profile the jar has %d cookies, %v", len(other.Cookies), err)
			}
		})
	}
}

// What was put back is lost again by a browser that dies before it has written it.
func TestJarPutsBackTwice(t *testing.T) {
	began := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	c := cookie{Name: "c", Value: "x", Domain: "a.example", Path: "/", Expires: float64(began.Unix() + 1e6)}
	j := &jar{Cookies: map[string]kept{}}
	j.look(began, []cookie{c})
	back := began.Add(time.Hour)
	lost := j.missing(back, began.Add(time.Second), nil)
	if !slices.Equal(lost, []cookie{c}) {
		t.Fatalf("put back is %v", lost)
	}
	j.putBack(lost, back)
	j.look(back, lost)
	if lost := j.missing(back.Add(5*time.Second), back.Add(4*time.Second), nil); len(lost) != 1 {
		t.Errorf("the second time %d cookies are put back, want 1", len(lost))
	}
}
