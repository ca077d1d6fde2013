//go:build linux

package modes_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// All sessions that use a profile, with any spelling of its path, share one browser. A profile
// shares no logins with other profiles. It keeps its logins when its browser is stopped.
func TestProfiles(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Cwd = filepath.Join(h.Outer, "cwd")
	dir := filepath.Join(h.Outer, "kept", "profile")
	if err := os.MkdirAll(h.Cwd, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(h.Outer, "kept"), filepath.Join(h.Outer, "link")); err != nil {
		t.Fatal(err)
	}
	login(t, h, s, "shared", "ada")
	login(t, h, s, "a", "eve", "--profile", dir) // the directory does not exist yet
	for i, spelled := range []string{dir + "/", "../kept/profile", "../link/profile", "../cwd/../kept/./profile"} {
		if got := who(t, h, s, "also"+string(rune('0'+i)), "--profile", spelled); got != "eve" {
			t.Errorf("--profile %s is logged in as %q, want eve", spelled, got)
		}
	}
	if got := who(t, h, s, "named", "--profile", "work"); got != "nobody" {
		t.Errorf("another profile is logged in as %q", got)
	}
	if got := who(t, h, s, "named2", "--profile", filepath.Join(h.Dir, "profiles", "work")); got != "nobody" {
		t.Errorf("a profile's directory has other logins than its name: %q", got)
	}
	if got := who(t, h, s, "mine", "--mode", "persistent"); got != "nobody" {
		t.Errorf("a profile of the session's own is logged in as %q", got)
	}
	if n := len(h.Of(e2e.KindBrowser)); n != 4 {
		t.Errorf("%d browsers run, want four: %v", n, h.Of(e2e.KindBrowser))
	}
	modes := map[string]string{}
	for _, e := range e2e.Ask[verbs.SessionListOut](t, h, "a", "session", "list").Sessions {
		modes[e.SessionID] = e.Type + " " + e.Mode
	}
	if modes["a"] != "browser persistent" || modes["shared"] != "browser shared" {
		t.Errorf("session list: %v", modes)
	}
	// Session a keeps using the browser of its profile without the flag, and its logins outlive
	// that browser.
	if got := e2e.Ask[verbs.BrowserStatusOut](t, h, "a", "browser", "status"); got.Mode != wire.ModePersistent || got.Profile != dir {
		t.Errorf("browser status of the session: %+v", got)
	}
	h.Text(t, "a", "browser", "stop")
	if got := who(t, h, s, "a"); got != "eve" {
		t.Errorf("after a stop of its browser the session is %q, want eve", got)
	}
	// After close, the session is not bound to the profile any more.
	h.Text(t, "a", "close")
	if got := who(t, h, s, "a"); got != "ada" {
		t.Errorf("after close, without the flag, the session is %q, want the shared one's login", got)
	}
}

// If a profile cannot be used, an error says why: another program's browser uses the profile, the
// profile is not valid, or the flags contradict each other. abrowser then starts no browser. It
// changes neither the other program's profile nor the tabs of that program's browser.
func TestProfileIsRefused(t *testing.T) {
	t.Parallel()
	h := e2e.NewHome(t)
	p := e2e.NewPerson(t, h, "")
	tabs, files := slices.Sorted(maps.Keys(p.Tabs())), names(p.Profile)
	userHome := filepath.Join(h.Outer, "h")
	file := filepath.Join(h.Outer, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		flags   []string
		code    wire.Code
		message string
	}{
		{"another program's", []string{"--profile", p.Profile}, wire.CodeHeld, "another program's browser"},
		{"a person's own", []string{"--profile", filepath.Join(userHome, ".config", "chromium")}, wire.CodeBadInput, "your own Chromium"},
		{"a person's own, in it", []string{"--profile", "./.config/google-chrome/Default"}, wire.CodeBadInput, "your own Chrome"},
		{"a file", []string{"--profile", file}, wire.CodeBadInput, "is not a directory"},
		{"not writable", []string{"--profile", "/sys/profile"}, wire.CodePermission, "using the profile's directory"},
		{"no name", []string{"--profile", "my profile"}, wire.CodeBadInput, "not a profile's name"},
		{"the shared one", []string{"--profile", "default"}, wire.CodeBadInput, "shared profile"},
		{"incognito", []string{"--profile", "work", "--mode", "incognito"}, wire.CodeBadInput, "contradict"},
		{"attached", []string{"--profile", "work", "--cdp", "9222"}, wire.CodeBadInput, "contradict"},
		{"headed", []string{"--cdp", "9222", "--headed"}, wire.CodeBadInput, "attaches to a running one"},
		{"nothing to attach to", []string{"--mode", "attached"}, wire.CodeBadInput, "needs the browser"},
		{"no mode", []string{"--mode", "private"}, wire.CodeBadInput, "incognito"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := h.Fails(t, tt.code, "a", append(tt.flags, "open", "about:blank")...)
			if !strings.Contains(*e.Error+e.Hint, tt.message) || e.Hint == "" {
				t.Errorf("the error is %q with hint %q, want %q", *e.Error, e.Hint, tt.message)
			}
			left := func() []e2e.Process { // without the driver, which ends some seconds later
				return slices.DeleteFunc(h.Running(), func(p e2e.Process) bool { return p.Kind() == e2e.KindDriver })
			}
			if !e2e.Await(e2e.PersonTime, func() bool { return len(left()) == 0 }) {
				t.Errorf("left running: %v", left())
			}
		})
	}
	if !p.Alive() || !slices.Equal(slices.Sorted(maps.Keys(p.Tabs())), tabs) {
		t.Errorf("the other program's browser has %v, had %v", p.Tabs(), tabs)
	}
	left := names(p.Profile)
	for _, name := range files {
		if strings.HasPrefix(name, "Singleton") && !slices.Contains(left, name) {
			t.Errorf("%s is gone from the other program's profile", name)
		}
	}
	// When the other program has ended, the profile can be used, even if that program has left
	// lock files.
	p.End()
	h.Text(t, "a", "--profile", p.Profile, "open", "about:blank")
}

// names lists the entries of a directory.
func names(dir string) []string {
	entries, _ := os.ReadDir(dir) // a directory that does not exist has no entries
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// All sessions of a browser have the launch settings that it was started with. A command may
// repeat these settings; other settings are an error. The settings do not apply to the next
// browser.
func TestSettingsOfTheBrowserAgree(t *testing.T) {
	t.Parallel()
	h := e2e.NewHome(t)
	h.Text(t, "first", "--args", "--lang=de", "open", "about:blank")
	h.Text(t, "second", "open", "about:blank")
	for _, session := range []string{"second", "first"} {
		h.Text(t, session, "--args", "--lang=de", "get", "title")
		e := h.Fails(t, wire.CodeSettingsDiffer, session, "--args", "--lang=fr", "get", "title")
		want := "abrowser --session " + session + " browser stop ends it, for all sessions that work in it; abrowser --profile NAME open starts another"
		if e.Hint != want || *e.Error != "the browser of session "+session+" runs with other settings than asked for: args" {
			t.Errorf("of session %s: %q, with the hint %q, want %q", session, *e.Error, e.Hint, want)
		}
	}
	// The next browser does not inherit the settings of the one that was stopped.
	h.Text(t, "first", "browser", "stop")
	h.Text(t, "third", "open", "about:blank")
	h.Text(t, "second", "open", "about:blank")
	h.Fails(t, wire.CodeSettingsDiffer, "second", "--args", "--lang=de", "get", "title")
}

// A command whose flags contradict the settings of its running session or browser fails, and
// changes neither. The error's hint is the command that ends the session or the browser, so that
// it can be started with other settings.
func TestSettingsDiffer(t *testing.T) {
	t.Parallel()
	h := e2e.NewHome(t)
	h.Text(t, "shared", "open", "about:blank")
	h.Text(t, "quiet", "--mode", "incognito", "open", "about:blank")
	h.Text(t, "work", "--profile", "work", "open", "about:blank")
	ended := func(session string) {
		if err := e2e.Kill(h.Daemon(session)); err != nil {
			t.Fatal(err)
		}
	}
	for _, state := range []string{"its daemon runs", "its daemon is killed"} {
		t.Run(state, func(t *testing.T) {
			for _, tt := range []struct {
				session string
				flags   string
				hint    string
			}{
				{"shared", "--mode incognito", "abrowser --session shared close"},
				{"shared", "--profile work", "abrowser --session shared close"},
				{"shared", "--mode persistent", "abrowser --session shared close"},
				{"shared", "--cdp 9222", "abrowser --session shared close"},
				{"quiet", "--mode shared", "abrowser --session quiet close"},
				{"quiet", "--profile work", "abrowser --session quiet close"},
				{"work", "--mode shared", "abrowser --session work close"},
				{"work", "--mode incognito", "abrowser --session work close"},
				{"work", "--profile home", "abrowser --session work close"},
				{"work", "--cdp http://localhost:1", "abrowser --session work close"},
			} {
				if state == "its daemon is killed" && h.Daemon(tt.session).PID != 0 {
					ended(tt.session)
				}
				e := h.Fails(t, wire.CodeSettingsDiffer, tt.session, append(strings.Fields(tt.flags), "get", "url")...)
				if e.Hint != tt.hint {
					t.Errorf("%s of %s: the hint is %q, want %q", tt.flags, tt.session, e.Hint, tt.hint)
				}
			}
			for session, mode := range map[string]string{"shared": "shared", "quiet": "incognito", "work": "persistent"} {
				for _, flags := range [][]string{nil, {"--mode", mode}} {
					if got := h.Text(t, session, append(flags, "get", "url")...); got != "about:blank" {
						t.Errorf("session %s is at %s", session, got)
					}
				}
			}
		})
	}
	t.Run("the browser's", func(t *testing.T) {
		const others = " ends it, for all sessions that work in it; abrowser --profile NAME open starts another"
		before := len(h.Of(e2e.KindDaemon))
		for _, tt := range []struct{ flags, hint string }{
			{"--headed", "abrowser browser stop" + others},
			{"--executable-path /bin/true", "abrowser browser stop" + others},
			{"--args --lang=de", "abrowser browser stop" + others},
			{"--headed --profile work", "abrowser --profile work browser stop" + others},
			{"--headed --mode incognito", "abrowser browser stop" + others},
		} {
			e := h.Fails(t, wire.CodeSettingsDiffer, "new", append(strings.Fields(tt.flags), "open", "about:blank")...)
			if e.Hint != tt.hint {
				t.Errorf("%s: the hint is %q, want %q", tt.flags, e.Hint, tt.hint)
			}
			if now := len(h.Of(e2e.KindDaemon)); now != before {
				t.Errorf("%s: %d daemons run, were %d", tt.flags, now, before)
			}
		}
		// The failed commands have left nothing that prevents a session of the same name.
		h.Text(t, "new", "--mode", "incognito", "open", "about:blank")
	})
	t.Run("tabs of a closed session", func(t *testing.T) {
		h.Text(t, "shared", "close")
		e := h.Fails(t, wire.CodeSettingsDiffer, "shared", "--mode", "incognito", "open", "about:blank")
		if e.Hint != "abrowser --session shared close --page" {
			t.Errorf("the hint is %q", e.Hint)
		}
		h.Text(t, "shared", "close", "--page")
		h.Text(t, "shared", "--mode", "incognito", "open", "about:blank")
	})
}
