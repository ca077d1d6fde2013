package jar

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestLost(t *testing.T) {
	began := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	at := func(s int) time.Time { return began.Add(time.Duration(s) * time.Second) }
	later := float64(at(3600).Unix())
	persistent := func(value string) cookie {
		return cookie{Name: "c", Value: value, Domain: "a.example", Path: "/", Expires: later}
	}
	session := cookie{Name: "c", Value: "s", Domain: "a.example", Path: "/", Expires: -1, Session: true}
	type update struct {
		at      int
		cookies []cookie
	}
	one := func(c cookie) []cookie { return []cookie{c} }
	for _, tt := range []struct {
		name  string
		seen  []update
		clean bool
		died  int
		now   int
		have  []cookie // the cookies of the next browser
		want  string   // the value that was lost, or empty if none was
	}{
		{"set just before", []update{{0, one(persistent("x"))}}, false, 1, 5, nil, "x"},
		{"written and missing: deleted", []update{{0, one(persistent("x"))}}, false, 300, 305, nil, ""},
		{"written already", []update{{0, one(persistent("x"))}}, false, 40, 45, one(persistent("x")), ""},
		{"changed just before", []update{{0, one(persistent("x"))}, {300, one(persistent("y"))}}, false, 301, 305, one(persistent("x")), "y"},
		{"changed since the last update", []update{{0, one(persistent("x"))}, {300, one(persistent("y"))}}, false, 340, 345, one(persistent("z")), ""},
		{"deleted before the last update", []update{{0, one(persistent("x"))}, {2, nil}}, false, 3, 5, nil, ""},
		{"deleted, which the browser has not written", []update{{0, one(persistent("x"))}, {300, nil}}, false, 301, 305, one(persistent("x")), ""},
		{"a session cookie", []update{{0, one(session)}}, false, 9000, 9005, nil, "s"},
		{"a session cookie, and the browser was closed", []update{{0, one(session)}}, true, 9000, 9005, nil, "s"},
		{"the browser was closed", []update{{0, one(persistent("x"))}}, true, 1, 5, nil, ""},
		{"expired meanwhile", []update{{0, one(persistent("x"))}}, false, 1, 3600, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "jar.json")
			r := &record{Profile: "p", Cookies: map[string]entry{}}
			for _, seen := range tt.seen {
				r.update(at(seen.at), seen.cookies)
			}
			r.Clean = tt.clean
			if err := r.write(path); err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the file is %v %v, want mode 0600", info, err)
			}
			r, err := load(path, "p")
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, c := range r.lost(at(tt.now), at(tt.died), tt.have) {
				got += c.Value
			}
			if got != tt.want {
				t.Errorf("lost = %q, want %q", got, tt.want)
			}
			if other, err := load(path, "another profile"); err != nil || len(other.Cookies) != 0 {
				t.Errorf("for another profile the record has %d cookies, %v", len(other.Cookies), err)
			}
		})
	}
}

// If the next browser also dies, before it has written a cookie that was restored, lost returns
// that cookie a second time.
func TestLostTwice(t *testing.T) {
	began := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	c := cookie{Name: "c", Value: "x", Domain: "a.example", Path: "/", Expires: float64(began.Unix() + 1e6)}
	r := &record{Cookies: map[string]entry{}}
	r.update(began, []cookie{c})
	back := began.Add(time.Hour)
	lost := r.lost(back, began.Add(time.Second), nil)
	if !slices.Equal(lost, []cookie{c}) {
		t.Fatalf("lost = %v", lost)
	}
	r.restored(lost, back)
	r.update(back, lost)
	if lost := r.lost(back.Add(5*time.Second), back.Add(4*time.Second), nil); len(lost) != 1 {
		t.Errorf("the second time %d cookies are lost, want 1", len(lost))
	}
}
