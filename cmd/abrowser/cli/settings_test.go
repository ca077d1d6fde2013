package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// settle runs a command with a bench's configuration and returns what its
// settings came to.
func settle(t *testing.T, b *bench, args ...string) (a *app, err error) {
	t.Helper()
	a = newApp(System{
		Lookup: func(name string) (string, bool) { v, ok := b.env[name]; return v, ok },
		Dir:    func() (string, error) { return b.dir, nil },
	}, b.program)
	l, err := read(a.names, args)
	if err != nil {
		return a, err
	}
	return a, a.configure(l.global)
}

func TestSettingsPrecedence(t *testing.T) {
	tests := []struct {
		name          string
		args          string
		env           map[string]string
		project, user string
		want          string // settings and output
		warning       string
	}{
		{name: "nothing", args: "open", want: `{} {}`},
		{name: "flag", args: "open --headed", want: `{"headed":true} {}`},
		{name: "flag over variable", args: "open --headed=false", env: map[string]string{"ABROWSER_HEADED": "true"}, want: `{} {}`},
		{name: "variable", args: "open", env: map[string]string{"ABROWSER_HEADED": "1"}, want: `{"headed":true} {}`},
		{name: "the other tool's variable", args: "open", env: map[string]string{"AGENT_BROWSER_EXECUTABLE_PATH": "/usr/bin/x"}, want: `{"executablePath":"/usr/bin/x"} {}`},
		{name: "ours over theirs", args: "open", env: map[string]string{"AGENT_BROWSER_ARGS": "--a", "ABROWSER_ARGS": "--b,--c"}, want: `{"args":["--b","--c"]} {}`},
		{name: "empty variable is unset", args: "open", env: map[string]string{"ABROWSER_HEADED": ""}, user: `{"headed":true}`, want: `{"headed":true} {}`},
		{name: "variable over user's file", args: "open", env: map[string]string{"ABROWSER_PROFILE": "work"}, user: `{"profile":"home","headed":true}`, want: `{"headed":true,"profile":"work"} {}`},
		{name: "project over user's file", args: "open", project: `{"maxOutput":5}`, user: `{"maxOutput":9,"json":true}`, want: `{} {"json":true,"maxOutput":5}`},
		{name: "variable over project", args: "open", env: map[string]string{"ABROWSER_JSON": "false"}, project: `{"json":true}`, want: `{} {}`},
		{name: "project may not choose what runs", args: "open", project: `{"executablePath":"/tmp/evil","json":true}`, want: `{} {"json":true}`, warning: "executablePath is ignored"},
		{name: "unknown key", args: "open", user: `{"hedaed":true}`, want: `{} {}`, warning: "hedaed is ignored"},
		{name: "list as text", args: "open", user: `{"args":"--a,--b"}`, want: `{"args":["--a","--b"]} {}`},
		{name: "relative path of a flag", args: "open --executable-path ./chrome", want: `{"executablePath":"DIR/chrome"} {}`},
		{name: "name of a flag", args: "open --profile work", want: `{"profile":"work"} {}`},
		{name: "relative path of the user's file", args: "open", user: `{"profile":"./p"}`, want: `{"profile":"CONFIG/p"} {}`},
		{name: "an endpoint over a variable's profile", args: "open --cdp 9222", env: map[string]string{"ABROWSER_PROFILE": "work", "ABROWSER_HEADED": "1", "ABROWSER_EXECUTABLE_PATH": "/x"}, want: `{"cdp":"9222"} {}`},
		{name: "a mode over a variable's endpoint", args: "open --mode incognito", env: map[string]string{"ABROWSER_CDP": "9222", "ABROWSER_HEADED": "1"}, want: `{"headed":true,"mode":"incognito"} {}`},
		{name: "a mode and a variable's profile", args: "open --mode persistent", env: map[string]string{"AGENT_BROWSER_PROFILE": "work"}, want: `{"mode":"persistent","profile":"work"} {}`},
		{name: "a profile over the user's mode", args: "open --profile work", user: `{"mode":"incognito"}`, want: `{"profile":"work"} {}`},
		{name: "two of one layer are both kept, to be refused", args: "open --profile work --cdp 9222", want: `{"profile":"work","cdp":"9222"} {}`},
		{name: "a tilde that the shell left", args: "open --profile=~/p", want: `{"profile":"HOME/p"} {}`},
		{name: "null is unset", args: "open", user: `{"headed":null}`, want: `{} {}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t)
			for name, value := range tt.env {
				b.env[name] = value
			}
			config := filepath.Join(b.env["HOME"], ".config", "abrowser")
			b.file(filepath.Join(b.dir, "abrowser.json"), tt.project)
			b.file(filepath.Join(config, "config.json"), tt.user)
			a, err := settle(t, b, words(t, tt.args)...)
			if err != nil {
				t.Fatal(err)
			}
			settings, err := json.Marshal(a.settings)
			if err != nil {
				t.Fatal(err)
			}
			output, err := json.Marshal(a.printer.Output)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.NewReplacer(b.dir, "DIR", config, "CONFIG", b.env["HOME"], "HOME").Replace(string(settings) + " " + string(output))
			if got != tt.want {
				t.Errorf("settings and output are %s, want %s", got, tt.want)
			}
			said := strings.Join(a.printer.said(), "; ")
			if (tt.warning == "") != (said == "") || !strings.Contains(said, tt.warning) {
				t.Errorf("warnings are %q, want %q", said, tt.warning)
			}
		})
	}
}

func TestSettingsRefused(t *testing.T) {
	tests := []struct {
		name, args    string
		env           map[string]string
		project, user string
		want          string
	}{
		{name: "variable", args: "status", env: map[string]string{"ABROWSER_HEADED": "perhaps"}, want: `ABROWSER_HEADED takes true or false, not "perhaps"`},
		{name: "their variable", args: "status", env: map[string]string{"AGENT_BROWSER_MAX_OUTPUT": "x"}, want: "AGENT_BROWSER_MAX_OUTPUT takes a whole number"},
		{name: "broken project file", args: "status", project: "{\n\"json\": tru }", want: "DIR/abrowser.json is not a JSON object: line 2"},
		{name: "list as configuration", args: "status", user: "[]", want: "config.json is not a JSON object"},
		{name: "wrong type", args: "status", user: `{"headed":"yes"}`, want: `config.json: headed takes true or false, not "yes"`},
		{name: "too small", args: "status", project: `{"maxOutput":-1}`, want: "abrowser.json: maxOutput takes 0 or more"},
		{name: "named file is missing", args: "status --config nope.json", want: "there is no configuration file DIR/nope.json"},
		{name: "default timeout", args: "click a", env: map[string]string{"ABROWSER_DEFAULT_TIMEOUT": "0"}, want: "ABROWSER_DEFAULT_TIMEOUT takes 1 or more"},
		{name: "empty session", args: "status", env: map[string]string{"ABROWSER_SESSION": ""}, want: "ABROWSER_SESSION is set and empty"},
		{name: "their empty session", args: "status", env: map[string]string{"AGENT_BROWSER_SESSION": ""}, want: "AGENT_BROWSER_SESSION is set and empty"},
		{name: "two sessions", args: "status", env: map[string]string{"ABROWSER_SESSION": "a", "AGENT_BROWSER_SESSION": "b"}, want: "which one is meant?"},
		{name: "empty flag", args: "status --session ''", env: map[string]string{"ABROWSER_SESSION": "a"}, want: "--session is empty"},
		{name: "bad name", args: "status --session ../x", want: "contains '/'"},
		{name: "unicode", args: "status --session Aufgäbe", want: "contains 'ä'"},
		{name: "dot", args: "status --session .", want: "is not a session's name"},
		{name: "relative home", args: "status", env: map[string]string{"ABROWSER_HOME": "x"}, want: "ABROWSER_HOME"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t)
			for name, value := range tt.env {
				b.env[name] = value
			}
			b.file(filepath.Join(b.dir, "abrowser.json"), tt.project)
			b.file(filepath.Join(b.env["HOME"], ".config", "abrowser", "config.json"), tt.user)
			stdout, stderr, status := b.run(words(t, tt.args)...)
			stderr = strings.ReplaceAll(stderr, b.dir, "DIR")
			if stdout != "" || !strings.Contains(stderr, tt.want) || status != wire.ExitUsage {
				t.Errorf("%s: %q, %q, %d, want %q and %d", tt.args, stdout, stderr, status, tt.want, wire.ExitUsage)
			}
		})
	}
}

func TestSessionNames(t *testing.T) {
	tests := []struct {
		name, args string
		env        map[string]string
		want       string
	}{
		{name: "none", args: "session", want: "default"},
		{name: "ours", args: "session", env: map[string]string{"ABROWSER_SESSION": "a"}, want: "a"},
		{name: "theirs", args: "session", env: map[string]string{"AGENT_BROWSER_SESSION": "a"}, want: "a"},
		{name: "both alike", args: "session", env: map[string]string{"ABROWSER_SESSION": "a", "AGENT_BROWSER_SESSION": "a"}, want: "a"},
		{name: "flag over both", args: "--session c session", env: map[string]string{"ABROWSER_SESSION": "a", "AGENT_BROWSER_SESSION": "b"}, want: "c"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t)
			for name, value := range tt.env {
				b.env[name] = value
			}
			stdout, stderr, status := b.run(words(t, tt.args)...)
			if stdout != tt.want+"\n" || stderr != "" || status != 0 {
				t.Errorf("%s: %q, %q, %d, want %q", tt.args, stdout, stderr, status, tt.want)
			}
		})
	}
}

func TestTimeoutsTravel(t *testing.T) {
	b := newBench(t)
	var got verbs.ElementIn
	b.serve("default", wire.Bind(verbs.Hover, func(_ context.Context, _ *wire.Call, in verbs.ElementIn) (verbs.HoverOut, error) {
		got = in
		return verbs.HoverOut{}, nil
	}))
	b.env["AGENT_BROWSER_DEFAULT_TIMEOUT"] = "700"
	b.file(filepath.Join(b.dir, "abrowser.json"), `{"timeout":800}`)
	for _, tt := range []struct {
		args string
		want int
	}{{"hover a --timeout 600", 600}, {"hover a", 700}} {
		if _, stderr, status := b.run(words(t, tt.args)...); status != 0 || got.Timeout != tt.want {
			t.Errorf("%s sent timeout %d (%q), want %d", tt.args, got.Timeout, stderr, tt.want)
		}
	}
	delete(b.env, "AGENT_BROWSER_DEFAULT_TIMEOUT")
	if _, stderr, status := b.run("hover", "a"); status != 0 || got.Timeout != 800 {
		t.Errorf("hover sent timeout %d (%q), want the file's 800", got.Timeout, stderr)
	}
}

// file writes a file with its directory, where there is something to write.
func (b *bench) file(path, content string) {
	b.t.Helper()
	if content == "" {
		return
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		b.t.Fatal(err)
	}
}
