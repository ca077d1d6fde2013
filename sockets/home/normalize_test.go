package home

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/wire"
)

func noVariables(string) (string, bool) { return "", false }

func TestNormalizeProfile(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := Root{Dir: filepath.Join(dir, "r")}
	if err := os.MkdirAll(filepath.Join(dir, "real", "profile"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(root.Path("profiles", "work"), 0o700); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{"link": "real/profile", "above": "real", "named": root.Path("profiles", "work")} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		want      string
		spellings []string
	}{
		{filepath.Join(dir, "real", "profile"), []string{"real/profile", "real/profile/", "real/./profile", "real/../real/profile", "link", "link/", "above/profile"}},
		{filepath.Join(dir, "real", "new", "er"), []string{"real/new/er", "above/new/er/"}}, // this directory does not exist yet
		{"work", []string{"r/profiles/work", "named", "r/profiles/work/"}},
	} {
		for _, spelled := range tt.spellings {
			s, err := root.Normalize(wire.Settings{Profile: dir + "/" + spelled}, "a", noVariables)
			if err != nil || s.Profile != tt.want {
				t.Errorf("Normalize(%s) = %q, %v, want %q", spelled, s.Profile, err, tt.want)
			}
		}
	}
	if s, err := root.Normalize(wire.Settings{Mode: wire.ModePersistent}, "task_1", noVariables); err != nil || s.Profile != "task_1" || s.Mode != "" {
		t.Errorf("persistent without a profile is %+v, %v, want the session's name", s, err)
	}
}

// Allowed domains imply the mode incognito. If a configuration file has them, both are defaults, so
// that a session that runs without them is used as it is.
func TestNormalizeAllowedDomains(t *testing.T) {
	root := Root{Dir: t.TempDir()}
	given := []string{"B.example", "a.example"}
	for _, tt := range []struct {
		name     string
		settings wire.Settings
		differs  bool // from those of a shared session
	}{
		{"requested", wire.Settings{AllowedDomains: given}, true},
		{"with the mode", wire.Settings{AllowedDomains: given, Mode: wire.ModeIncognito}, true},
		{"with another mode by default", wire.Settings{AllowedDomains: given, Mode: wire.ModeShared, Defaults: []string{"mode"}}, true},
		{"by default", wire.Settings{AllowedDomains: given, Defaults: []string{"allowedDomains"}}, false},
	} {
		s, err := root.Normalize(tt.settings, "a", noVariables)
		if err != nil || s.Mode != wire.ModeIncognito || !slices.Equal(s.AllowedDomains, []string{"a.example", "b.example"}) {
			t.Errorf("%s: %+v, %v", tt.name, s, err)
		}
		if names := s.Diff(wire.Settings{}); (len(names) > 0) != tt.differs {
			t.Errorf("%s: a shared session differs in %v", tt.name, names)
		}
	}
	for _, bad := range []wire.Settings{
		{AllowedDomains: given, Mode: wire.ModeShared},
		{AllowedDomains: given, Profile: "work"},
		{AllowedDomains: given, CDP: "9222"},
		{AllowedDomains: []string{"a b"}},
	} {
		if s, err := root.Normalize(bad, "a", noVariables); !errors.Is(err, wire.CodeBadInput) {
			t.Errorf("%+v is normalized to %+v, %v", bad, s, err)
		}
	}
}

func TestProfileIsRefused(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := Root{Dir: filepath.Join(home, "r")}
	lookup := func(name string) (string, bool) { return home, name == "HOME" }
	own := PersonalProfiles(lookup)[0]
	if err := os.MkdirAll(filepath.Join(own, "Default"), 0o700); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{"sly": own, "loose": "nowhere"} {
		if err := os.Symlink(to, filepath.Join(home, from)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(home, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name     string
		settings wire.Settings
		want     string
	}{
		{"a browser's own", wire.Settings{Profile: own}, "of your own Chrome"},
		{"a directory in it", wire.Settings{Profile: filepath.Join(own, "Default")}, "of your own Chrome"},
		{"by a link", wire.Settings{Profile: filepath.Join(home, "sly")}, "of your own Chrome"},
		{"a link to nothing", wire.Settings{Profile: filepath.Join(home, "loose")}, "a dangling link"},
		{"below a file", wire.Settings{Profile: filepath.Join(home, "file", "x")}, "is not a directory"},
		{"not a name", wire.Settings{Profile: "a b"}, "not a profile's name"},
		{"a hash name", wire.Settings{Profile: "dir-0123456789abcdef"}, "not a profile's name"},
		{"the shared profile's name", wire.Settings{Profile: "default"}, "shared profile"},
		{"the shared profile's directory", wire.Settings{Profile: root.Path("profiles", "default")}, "shared profile"},
		{"with a mode", wire.Settings{Profile: "work", Mode: wire.ModeIncognito}, "contradict"},
		{"with an endpoint", wire.Settings{Profile: "work", CDP: "9222"}, "contradict"},
		{"an endpoint with a mode", wire.Settings{CDP: "9222", Mode: wire.ModeShared}, "contradict"},
		{"attached to nothing", wire.Settings{Mode: wire.ModeAttached}, "needs the browser"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := root.Normalize(tt.settings, "a", lookup)
			if e := wire.AsError(err); e == nil || e.Code != wire.CodeBadInput || e.Hint == "" || !strings.Contains(e.Message, tt.want) {
				t.Errorf("Normalize = %+v, want %q and a hint", e, tt.want)
			}
		})
	}
	if _, err := root.Normalize(wire.Settings{Mode: wire.ModePersistent}, "default", lookup); !errors.Is(err, wire.CodeBadInput) {
		t.Errorf("Normalize(persistent, session default) = %v", err)
	}
	if _, err := root.Normalize(wire.Settings{Profile: own + "-mine"}, "a", lookup); err != nil {
		t.Errorf("Normalize(a directory next to a browser's own) = %v", err)
	}
	err = MakeProfile(wire.Settings{Profile: filepath.Join(home, "file")})
	if e := wire.AsError(err); e == nil || e.Code != wire.CodeBadInput || !strings.Contains(e.Message, "is not a directory") {
		t.Errorf("MakeProfile(a file) = %v", err)
	}
	if err := MakeProfile(wire.Settings{Profile: filepath.Join(home, "new", "er")}); err != nil {
		t.Errorf("MakeProfile(new) = %v", err)
	}
	closed := filepath.Join(home, "closed")
	if err := os.Mkdir(closed, 0o500); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		closed = "/sys/abrowser" // root can write everywhere else
	}
	err = MakeProfile(wire.Settings{Profile: closed})
	if e := wire.AsError(err); e == nil || e.Code != wire.CodePermission || e.Hint == "" {
		t.Errorf("MakeProfile(a directory that cannot be written) = %+v", e)
	}
}

func TestNormalizeEndpoint(t *testing.T) {
	for _, tt := range []struct{ given, want string }{
		{"9222", "http://localhost:9222"},
		{"localhost:9222", "http://localhost:9222"},
		{"http://127.0.0.1:9222/", "http://localhost:9222"},
		{"http://[::1]:9222/json/version", "http://localhost:9222"},
		{"HTTP://Box.Example:9222", "http://box.example:9222"},
		{"ws://127.0.0.1:9222/devtools/browser/ab-CD", "ws://localhost:9222/devtools/browser/ab-CD"},
		{"wss://127.0.0.1/x?token=t", "wss://127.0.0.1/x?token=t"},
		{"https://grid.example/chrome/?token=t", "https://grid.example/chrome?token=t"},
		{"0", ""},
		{"70000", ""},
		{"-1", ""},
		{"ftp://x", ""},
		{"http://", ""},
		{"ws://:9222/x", ""},
		{"http://a:b", ""},
		{"http://a b", ""},
	} {
		got, err := normalizeEndpoint(tt.given)
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("normalizeEndpoint(%q) = %q, %v, want %q", tt.given, got, err, tt.want)
		}
		if err != nil && (!errors.Is(err, wire.CodeBadInput) || wire.AsError(err).Hint == "") {
			t.Errorf("normalizeEndpoint(%q): %v, want bad_input with a hint", tt.given, err)
		}
	}
	if got := RedactCDP("wss://user:secret@grid.example/path?token=secret"); got != "wss://grid.example" {
		t.Errorf("RedactCDP() = %q", got)
	}
}

func TestResume(t *testing.T) {
	root := newRoot(t)
	work := wire.Settings{Profile: "work"}
	resume := func(asked wire.Settings) string {
		s, err := root.Resume("a", asked)
		if err != nil {
			return string(wire.AsError(err).Code)
		}
		return strings.Join([]string{s.SessionMode(), s.Profile}, " ")
	}
	if got := resume(work); got != "persistent work" {
		t.Errorf("without a saved location: %s", got)
	}
	if err := root.SaveLocation("a", wire.Settings{Profile: "work", Headed: true}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		asked wire.Settings
		want  string
	}{
		{wire.Settings{}, "persistent work"},
		{wire.Settings{Headed: true}, "persistent work"},
		{work, "persistent work"},
		{wire.Settings{Profile: "home"}, "settings_differ"},
		{wire.Settings{Mode: wire.ModeShared}, "settings_differ"},
		{wire.Settings{Mode: wire.ModeIncognito}, "settings_differ"},
		{wire.Settings{CDP: "http://localhost:1"}, "settings_differ"},
	} {
		if got := resume(tt.asked); got != tt.want {
			t.Errorf("asked for %+v: %s, want %s", tt.asked, got, tt.want)
		}
	}
	if err := os.WriteFile(root.locationFile("a"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := root.Resume("a", wire.Settings{}); wire.AsError(err) == nil || wire.AsError(err).Hint == "" {
		t.Errorf("Resume() with an invalid file = %v, want an error with a hint", err)
	}
	if err := errors.Join(root.Forget("a"), root.Forget("a")); err != nil {
		t.Fatal(err)
	}
	if got := resume(wire.Settings{}); got != "shared " {
		t.Errorf("after Forget: %s", got)
	}
}
