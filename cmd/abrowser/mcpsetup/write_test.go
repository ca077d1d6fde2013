package mcpsetup

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/wire"
)

func client(t *testing.T, name string) Client {
	t.Helper()
	for _, c := range Clients() {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no client %q", name)
	return Client{}
}

const abrowserEntry = `{
      "command": "/opt/abrowser",
      "args": [
        "mcp"
      ]
    }`

// Write does not change the rest of the file, including comments and indentation.
func TestWrite(t *testing.T) {
	for name, test := range map[string]struct{ before, after string }{
		"no file":      {"", "{\n  \"mcpServers\": {\n    \"abrowser\": " + abrowserEntry + "\n  }\n}\n"},
		"empty object": {"{}\n", "{\n  \"mcpServers\": {\n    \"abrowser\": " + abrowserEntry + "\n  }\n}\n"},
		"other members": {
			"{\"theme\": 1, // mine\n \"mcpServers\": {\"x\": {\"env\": {\"TOKEN\": \"s\"}}}}",
			"{\"theme\": 1, // mine\n \"mcpServers\": {\"x\": {\"env\": {\"TOKEN\": \"s\"}},\n    \"abrowser\": " + abrowserEntry + "}}",
		},
		"an older one of ours": {
			"{\"mcpServers\": {\"abrowser\": {\"command\": \"/old\"}, \"y\": {}}}",
			"{\"mcpServers\": {\"abrowser\": " + abrowserEntry + ", \"y\": {}}}",
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := Dirs{Project: t.TempDir()}
			c := client(t, "claude-code")
			file := c.File(d)
			if test.before != "" {
				if err := os.WriteFile(file, []byte(test.before), 0o640); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 { // the second call changes nothing
				if err := c.Write(d, Server{"abrowser", "/opt/abrowser", []string{"mcp"}}); err != nil {
					t.Fatal(err)
				}
				got, err := os.ReadFile(file)
				if err != nil || string(got) != test.after {
					t.Errorf("%v, the file is\n%s\nwant\n%s", err, got, test.after)
				}
			}
			mode := os.FileMode(0o600)
			if test.before != "" {
				mode = 0o640
			}
			if info, err := os.Stat(file); err != nil || info.Mode().Perm() != mode {
				t.Errorf("%v, its mode is %v, want %v", err, info.Mode(), mode)
			}
			if all, err := os.ReadDir(d.Project); err != nil || len(all) != 1 {
				t.Errorf("%v, left beside it: %v", err, all)
			}
		})
	}
}

func TestWriteRefuses(t *testing.T) {
	for name, before := range map[string]string{
		"garbage":           "{",
		"a list":            "[]",
		"servers in a list": `{"mcpServers": []}`,
	} {
		t.Run(name, func(t *testing.T) {
			d := Dirs{Home: t.TempDir()}
			c := client(t, "cursor")
			if err := os.Mkdir(filepath.Dir(c.File(d)), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(c.File(d), []byte(before), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := c.Write(d, Server{"abrowser", "/opt/abrowser", nil}); !errors.Is(err, wire.CodeBadInput) {
				t.Errorf("Write = %v", err)
			}
			if got, err := os.ReadFile(c.File(d)); err != nil || string(got) != before {
				t.Errorf("%v, the file is %q", err, got)
			}
		})
	}
}

// If the client's file is a link, Write changes the file that it links to and keeps the link.
func TestWriteThroughLink(t *testing.T) {
	d := Dirs{Config: t.TempDir()}
	c := client(t, "vscode")
	to := filepath.Join(t.TempDir(), "dotfiles.json")
	if err := errors.Join(os.WriteFile(to, []byte("{}"), 0o600), os.MkdirAll(filepath.Dir(c.File(d)), 0o700), os.Symlink(to, c.File(d))); err != nil {
		t.Fatal(err)
	}
	if err := c.Write(d, Server{"abrowser", "/opt/abrowser", []string{"mcp"}}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(to)
	if err != nil || !strings.Contains(string(got), `"type": "stdio"`) {
		t.Errorf("%v, the file is %s", err, got)
	}
	if info, err := os.Lstat(c.File(d)); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("%v, the link is %v", err, info.Mode())
	}
}

func TestTOML(t *testing.T) {
	c := client(t, "codex")
	got, err := c.Text(Server{"abrowser", `/opt/a "b"`, []string{"mcp", "--tools"}})
	want := "[mcp_servers.abrowser]\ncommand = \"/opt/a \\\"b\\\"\"\nargs = [\"mcp\", \"--tools\"]\n"
	if err != nil || got != want {
		t.Errorf("%v, %s", err, got)
	}
}

func TestAddTOML(t *testing.T) {
	const ours = "[mcp_servers.abrowser]\ncommand = \"/opt/abrowser\"\nargs = [\"mcp\"]\n"
	for name, test := range map[string]struct{ before, after string }{
		"no file":       {"", ours},
		"other tables":  {"model = \"x\" # mine\n\n[mcp_servers.other]\ncommand = \"y\"\nargs = [\n  \"z\",\n]\n", "model = \"x\" # mine\n\n[mcp_servers.other]\ncommand = \"y\"\nargs = [\n  \"z\",\n]\n\n" + ours},
		"lists of them": {"[[rules]] # first\na = 1\n", "[[rules]] # first\na = 1\n\n" + ours},
		"an older one of ours": {
			"[ mcp_servers.\"abrowser\" ]\nargs = []\nstartup_timeout_sec = 20\ncommand = \"/old\"\n[mcp_servers.abrowser.env]\nA = \"b\"\n",
			"[ mcp_servers.\"abrowser\" ]\ncommand = \"/opt/abrowser\"\nargs = [\"mcp\"]\nstartup_timeout_sec = 20\n[mcp_servers.abrowser.env]\nA = \"b\"\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			after := []byte(test.before)
			for range 2 { // the second call changes nothing
				var err error
				if after, err = client(t, "codex").add(after, Server{"abrowser", "/opt/abrowser", []string{"mcp"}}); err != nil || string(after) != test.after {
					t.Errorf("%v, the file is\n%s\nwant\n%s", err, after, test.after)
				}
			}
		})
	}
	for name, before := range map[string]string{
		"inline":           "mcp_servers = { abrowser = { command = \"x\" } }\n",
		"dotted":           "mcp_servers.abrowser.command = \"x\"\n",
		"in the one above": "[mcp_servers]\nabrowser = { command = \"x\" }\n",
		"twice":            ours + ours,
		"args on lines":    "[mcp_servers.abrowser]\nargs = [\n\"mcp\"\n]\n",
		"texts on lines":   "a = \"\"\"\n[mcp_servers.abrowser]\n\"\"\"\n",
		"a broken table":   "[mcp_servers\n",
	} {
		t.Run(name, func(t *testing.T) {
			d := Dirs{Home: t.TempDir()}
			file := client(t, "codex").File(d)
			if err := errors.Join(os.Mkdir(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(before), 0o600)); err != nil {
				t.Fatal(err)
			}
			err := client(t, "codex").Write(d, Server{"abrowser", "/opt/abrowser", []string{"mcp"}})
			if got, _ := os.ReadFile(file); !errors.Is(err, wire.CodeBadInput) || string(got) != before {
				t.Errorf("%v, the file is %q", err, got)
			}
		})
	}
}
