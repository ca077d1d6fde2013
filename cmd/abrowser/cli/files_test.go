package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// pictures returns a handler that answers the verb screenshot with a picture. The handler stores
// each request in the variable to which asked points.
func pictures(asked *verbs.ScreenshotIn) wire.Handler {
	return wire.Bind(verbs.Screenshot, func(_ context.Context, _ *wire.Call, in verbs.ScreenshotIn) (verbs.ScreenshotOut, error) {
		*asked = in
		return verbs.ScreenshotOut{Path: in.Path, Image: []byte("picture")}, nil
	})
}

func TestScreenshotIsWrittenByTheCaller(t *testing.T) {
	tests := []struct {
		args           string
		selector, path string // DIR is the caller's directory
	}{
		{"page.png", "", "DIR/page.png"},
		{"./page", "", "DIR/page"},
		{"../x.jpg", "", "UP/x.jpg"},
		{"sub/page.png", "", "DIR/sub/page.png"},
		{"PAGE.JPEG", "", "DIR/PAGE.JPEG"},
		{"'#a' page.png", "#a", "DIR/page.png"},
		{"e3 page", "e3", "DIR/page"},
		{"'#a'", "#a", ""},
		{".card", ".card", ""},
		{"@e2", "@e2", ""},
		{"h1", "h1", ""},
		{"//h1", "//h1", ""},
		{"text=a/b.png", "text=a/b.png", ""},
		{"", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			b := newBench(t)
			var asked verbs.ScreenshotIn
			b.serve("default", pictures(&asked))
			b.file(filepath.Join(b.dir, "sub", "keep"), "x")
			stdout, stderr, status := b.run(words(t, "screenshot "+tt.args)...)
			if stderr != "" || status != 0 {
				t.Fatalf("screenshot: %q, %q, %d", stdout, stderr, status)
			}
			want := strings.NewReplacer("DIR", b.dir, "UP", filepath.Dir(b.dir)).Replace(tt.path)
			if asked.Selector != tt.selector || asked.Path != want {
				t.Errorf("asked for %q in %q, want %q in %q", asked.Selector, asked.Path, tt.selector, want)
			}
			written := strings.TrimSuffix(stdout, "\n")
			if want == "" && !strings.HasPrefix(written, b.root.Path("screenshots", "default-")) || want != "" && written != want {
				t.Errorf("printed %q, want %q", written, want)
			}
			if got, err := os.ReadFile(written); err != nil || string(got) != "picture" {
				t.Errorf("the file is %q, %v", got, err)
			}
		})
	}
}

func TestUnwritableFilesAreRefusedFirst(t *testing.T) {
	b := newBench(t)
	var asked verbs.ScreenshotIn
	b.serve("default", pictures(&asked))
	b.file(filepath.Join(b.dir, "file"), "x")
	for path, want := range map[string]string{
		"nope/x.png": "directory " + b.dir + "/nope not found",
		"./":         "is a directory",
		"file/x.png": "is not a directory",
	} {
		_, stderr, status := b.run("screenshot", path)
		if !strings.Contains(stderr, want) || status != wire.ExitUsage {
			t.Errorf("screenshot %s: %q, %d, want %q", path, stderr, status, want)
		}
		if asked != (verbs.ScreenshotIn{}) {
			t.Errorf("screenshot %s reached the daemon", path)
		}
	}
}

func TestScripts(t *testing.T) {
	tests := []struct{ args, stdin, script, refused string }{
		{args: "eval 1 + 1", script: "1 + 1"},
		{args: "eval -b MSsx", script: "1+1"},
		{args: "eval --stdin", stdin: "2+2\n", script: "2+2\n"},
		{args: "eval --stdin -b", stdin: "MSsx\n", script: "1+1"},
		{args: "eval", refused: "eval needs a script"},
		{args: "eval --stdin", refused: "eval needs a script"},
		{args: "eval --stdin 1", refused: "not both"},
		{args: "eval -b '!'", refused: "is not base64"},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			b := newBench(t)
			b.stdin = tt.stdin
			var got verbs.EvalIn
			b.serve("default", wire.Bind(verbs.Eval, func(_ context.Context, _ *wire.Call, in verbs.EvalIn) (verbs.EvalOut, error) {
				got = in
				return verbs.EvalOut{Result: []byte("1")}, nil
			}))
			_, stderr, status := b.run(words(t, tt.args)...)
			if tt.refused != "" {
				if !strings.Contains(stderr, tt.refused) || status != wire.ExitUsage {
					t.Errorf("%s: %q, %d, want %q", tt.args, stderr, status, tt.refused)
				}
				return
			}
			if status != 0 || got.Script != tt.script || got.Base64 || got.Stdin {
				t.Errorf("%s sent %+v, want script %q", tt.args, got, tt.script)
			}
		})
	}
}
