package config

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// testHome is a working directory, a home directory and variables.
type testHome struct {
	dir, config string
	env         map[string]string
}

// newHome creates a testHome. The parameters project and user are the contents of ./abrowser.json
// and of the user's configuration file. A file with empty content is not created.
func newHome(t *testing.T, env map[string]string, project, user string) testHome {
	t.Helper()
	h := testHome{dir: t.TempDir(), env: map[string]string{"HOME": t.TempDir()}}
	h.config = filepath.Join(h.env["HOME"], ".config", "abrowser")
	for name, value := range env {
		h.env[name] = value
	}
	for path, content := range map[string]string{filepath.Join(h.dir, "abrowser.json"): project, filepath.Join(h.config, "config.json"): user} {
		if content == "" {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

func (h testHome) lookup(name string) (string, bool) { v, ok := h.env[name]; return v, ok }

// names replaces the directories in text by names.
func (h testHome) names(text string) string {
	return strings.NewReplacer(h.dir, "DIR", h.config, "CONFIG", h.env["HOME"], "HOME").Replace(text)
}

func TestSettingsPrecedence(t *testing.T) {
	tests := []struct {
		name          string
		flags         map[string]any
		env           map[string]string
		project, user string
		want          string // settings and output
		warning       string
	}{
		{name: "nothing", want: `{} {}`},
		{name: "flag", flags: map[string]any{"headed": true}, want: `{"headed":true} {}`},
		{name: "flag over variable", flags: map[string]any{"headed": false}, env: map[string]string{"ABROWSER_HEADED": "true"}, want: `{} {}`},
		{name: "variable", env: map[string]string{"ABROWSER_HEADED": "1"}, want: `{"headed":true} {}`},
		{name: "the other tool's variable", env: map[string]string{"AGENT_BROWSER_EXECUTABLE_PATH": "/usr/bin/x"}, want: `{"executablePath":"/usr/bin/x"} {}`},
		{name: "ours over theirs", env: map[string]string{"AGENT_BROWSER_ARGS": "--a", "ABROWSER_ARGS": "--b,--c"}, want: `{"args":["--b","--c"]} {}`},
		{name: "empty variable is unset", env: map[string]string{"ABROWSER_HEADED": ""}, user: `{"headed":true}`, want: `{"headed":true} {}`},
		{name: "variable over user's file", env: map[string]string{"ABROWSER_PROFILE": "work"}, user: `{"profile":"home","headed":true}`, want: `{"headed":true,"profile":"work"} {}`},
		{name: "project over user's file", project: `{"maxOutput":5}`, user: `{"maxOutput":9,"json":true}`, want: `{} {"json":true,"maxOutput":5}`},
		{name: "variable over project", env: map[string]string{"ABROWSER_JSON": "false"}, project: `{"json":true}`, want: `{} {}`},
		{name: "project may not choose what runs", project: `{"executablePath":"/tmp/evil","json":true}`, want: `{} {"json":true}`, warning: "executablePath is ignored"},
		{name: "project may not show a page's text as ours", project: `{"contentBoundaries":false}`, user: `{"contentBoundaries":true}`, want: `{} {"contentBoundaries":true}`, warning: "contentBoundaries is ignored"},
		{name: "a broken project file", project: "{\n\"json\": tru }", user: `{"maxOutput":9}`, want: `{} {"maxOutput":9}`, warning: "abrowser.json is not a JSON object: line 2: invalid character ' ' in literal true (expecting 'e'); it is ignored"},
		{name: "unknown key", user: `{"hedaed":true}`, want: `{} {}`, warning: "hedaed is ignored"},
		{name: "list as text", user: `{"args":"--a,--b"}`, want: `{"args":["--a","--b"]} {}`},
		{name: "relative path of a flag", flags: map[string]any{"executablePath": "./chrome"}, want: `{"executablePath":"DIR/chrome"} {}`},
		{name: "name of a flag", flags: map[string]any{"profile": "work"}, want: `{"profile":"work"} {}`},
		{name: "relative path of the user's file", user: `{"profile":"./p"}`, want: `{"profile":"CONFIG/p"} {}`},
		{name: "an endpoint over a variable's profile", flags: map[string]any{"cdp": "9222"}, env: map[string]string{"ABROWSER_PROFILE": "work", "ABROWSER_HEADED": "1", "ABROWSER_EXECUTABLE_PATH": "/x"}, want: `{"cdp":"9222"} {}`},
		{name: "a mode over a variable's endpoint", flags: map[string]any{"mode": "incognito"}, env: map[string]string{"ABROWSER_CDP": "9222", "ABROWSER_HEADED": "1"}, want: `{"headed":true,"mode":"incognito"} {}`},
		{name: "a mode and a variable's profile", flags: map[string]any{"mode": "persistent"}, env: map[string]string{"AGENT_BROWSER_PROFILE": "work"}, want: `{"mode":"persistent","profile":"work"} {}`},
		{name: "a profile over the user's mode", flags: map[string]any{"profile": "work"}, user: `{"mode":"incognito"}`, want: `{"profile":"work"} {}`},
		{name: "two of one layer are both kept, to be refused", flags: map[string]any{"profile": "work", "cdp": "9222"}, want: `{"profile":"work","cdp":"9222"} {}`},
		{name: "a tilde that the shell left", flags: map[string]any{"profile": "~/p"}, want: `{"profile":"HOME/p"} {}`},
		{name: "null is unset", user: `{"headed":null}`, want: `{} {}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHome(t, tt.env, tt.project, tt.user)
			c, err := Resolve(tt.flags, h.lookup, h.dir)
			if err != nil {
				t.Fatal(err)
			}
			settings, err := json.Marshal(c.settings)
			if err != nil {
				t.Fatal(err)
			}
			output, err := json.Marshal(c.Output)
			if err != nil {
				t.Fatal(err)
			}
			if got := h.names(string(settings) + " " + string(output)); got != tt.want {
				t.Errorf("settings and output are %s, want %s", got, tt.want)
			}
			warnings := strings.Join(c.Warnings, "; ")
			if (tt.warning == "") != (warnings == "") || !strings.Contains(warnings, tt.warning) {
				t.Errorf("warnings are %q, want %q", warnings, tt.warning)
			}
		})
	}
}

func TestSettingsRefused(t *testing.T) {
	tests := []struct {
		name          string
		flags         map[string]any
		env           map[string]string
		project, user string
		want          string
	}{
		{name: "variable", env: map[string]string{"ABROWSER_HEADED": "perhaps"}, want: `ABROWSER_HEADED takes true or false, not "perhaps"`},
		{name: "their variable", env: map[string]string{"AGENT_BROWSER_MAX_OUTPUT": "x"}, want: "AGENT_BROWSER_MAX_OUTPUT takes a whole number"},
		{name: "list as configuration", user: "[]", want: "config.json is not a JSON object"},
		{name: "wrong type", user: `{"headed":"yes"}`, want: `config.json: headed takes true or false, not "yes"`},
		{name: "too small", project: `{"maxOutput":-1}`, want: "abrowser.json: maxOutput takes 0 or more"},
		{name: "named file is missing", flags: map[string]any{"config": "nope.json"}, want: "configuration file DIR/nope.json not found"},
		{name: "default timeout", env: map[string]string{"ABROWSER_DEFAULT_TIMEOUT": "0"}, want: "ABROWSER_DEFAULT_TIMEOUT takes 1 or more"},
		{name: "empty session", env: map[string]string{"ABROWSER_SESSION": ""}, want: "ABROWSER_SESSION is set and empty"},
		{name: "their empty session", env: map[string]string{"AGENT_BROWSER_SESSION": ""}, want: "AGENT_BROWSER_SESSION is set and empty"},
		{name: "two sessions", env: map[string]string{"ABROWSER_SESSION": "a", "AGENT_BROWSER_SESSION": "b"}, want: `ABROWSER_SESSION is "a" and AGENT_BROWSER_SESSION is "b"`},
		{name: "empty flag", flags: map[string]any{"session": ""}, env: map[string]string{"ABROWSER_SESSION": "a"}, want: "--session is empty"},
		{name: "bad name", flags: map[string]any{"session": "../x"}, want: "contains '/'"},
		{name: "unicode", flags: map[string]any{"session": "Aufgäbe"}, want: "contains 'ä'"},
		{name: "dot", flags: map[string]any{"session": "."}, want: "is not a session's name"},
		{name: "relative home", env: map[string]string{"ABROWSER_HOME": "x"}, want: "ABROWSER_HOME"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHome(t, tt.env, tt.project, tt.user)
			c, err := Resolve(tt.flags, h.lookup, h.dir)
			if err == nil {
				_, err = c.Identify()
			}
			for _, f := range (wire.Verb[verbs.TimeoutIn, verbs.Empty]{}).Fields() {
				if err == nil {
					_, err = c.Value(f)
				}
			}
			if !errors.Is(err, wire.CodeBadInput) || !strings.Contains(h.names(err.Error()), tt.want) {
				t.Errorf("Resolve() = %v, want %q and %s", err, tt.want, wire.CodeBadInput)
			}
		})
	}
}
