package cli

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// batches returns a handler that gives each step of a batch an answer that depends on the step's
// verb. The handler stores each request in the variable to which asked points.
func batches(asked *verbs.BatchIn) wire.Handler {
	return wire.Bind(verbs.Batch, func(_ context.Context, _ *wire.Call, in verbs.BatchIn) (verbs.BatchOut, error) {
		*asked = in
		var out verbs.BatchOut
		for _, s := range in.Steps {
			r := verbs.StepResult{Command: s.Command, Success: true}
			switch s.Verb {
			case "get title":
				r.Result = json.RawMessage(`{"title":"A & B"}`)
			case "screenshot":
				var in verbs.ScreenshotIn
				if err := json.Unmarshal(s.In, &in); err != nil {
					return out, err
				}
				r.Result, _ = json.Marshal(verbs.ScreenshotOut{Path: in.Path, Image: []byte("picture")})
			case "get text":
				message := "no element matches"
				r = verbs.StepResult{Command: s.Command, Error: &message, Code: wire.CodeNotFound, Hint: "abrowser snapshot"}
			default:
				r.Result = json.RawMessage(`{}`)
			}
			out.Results = append(out.Results, r)
		}
		return out, nil
	})
}

func TestBatch(t *testing.T) {
	b := newBench(t)
	var asked verbs.BatchIn
	b.serve("default", batches(&asked))
	stdout, stderr, status := b.run("batch", "get title", "fill '#a' \"x  y\" -z", "get text '#zz'", "screenshot shot.png", "--bail")
	if want := "A & B\n" + b.dir + "/shot.png\n"; stdout != want {
		t.Errorf("stdout %q, want %q", stdout, want)
	}
	if want := "abrowser: error: no element matches\nabrowser: hint: abrowser snapshot\n"; stderr != want {
		t.Errorf("stderr %q, want %q", stderr, want)
	}
	if status != wire.ExitFailed {
		t.Errorf("status %d, want %d", status, wire.ExitFailed)
	}
	if got, err := os.ReadFile(b.dir + "/shot.png"); err != nil || string(got) != "picture" {
		t.Errorf("the picture is %q, %v", got, err)
	}
	if !asked.Bail || len(asked.Commands) > 0 || len(asked.Steps) != 4 {
		t.Fatalf("asked %+v", asked)
	}
	if s := asked.Steps[1]; s.Verb != "fill" || string(s.In) != `{"selector":"#a","text":"x  y -z"}` || !slices.Equal(s.Command, []string{"fill", "#a", "x  y", "-z"}) {
		t.Errorf("second step %+v, %s", s, s.In)
	}
}

func TestBatchJSON(t *testing.T) {
	b := newBench(t)
	var asked verbs.BatchIn
	b.serve("default", batches(&asked))
	b.stdin = `[["get","title"],["get","text","#zz"],["screenshot","x.png"]]`
	stdout, stderr, status := b.run("batch", "--json")
	want := `[{"command":["get","title"],"error":null,"result":{"title":"A & B"},"success":true},` +
		`{"code":"not_found","command":["get","text","#zz"],"error":"no element matches","hint":"abrowser snapshot","result":null,"success":false},` +
		`{"command":["screenshot","x.png"],"error":null,"result":{"path":"` + b.dir + `/x.png"},"success":true}]` + "\n"
	if stdout != want || stderr != "" || status != wire.ExitFailed {
		t.Errorf("batch: %s, %q, %d, want %s", stdout, stderr, status, want)
	}
	b.stdin = `[]`
	if stdout, _, status := b.run("batch", "--json"); stdout != "[]\n" || status != 0 {
		t.Errorf("empty batch: %q, %d", stdout, status)
	}
}

// A batch with a bad command is refused before any of its commands runs.
func TestBatchRefusesWhole(t *testing.T) {
	tests := []struct{ command, want string }{
		{"bogus", "command 2 (bogus): unknown command bogus"},
		{"click", "command 2 (click): click needs SELECTOR"},
		{"wait --timeout abc", "command 2 (wait --timeout abc): --timeout takes a whole number"},
		{"wait", "command 2 (wait): wait needs one condition"},
		{"fill 'a b", "the quote ' is not closed"},
		{"--session b get url", "--session belongs before batch, not inside it"},
		{"session list", "session list cannot be part of a batch"},
		{"browser stop", "browser stop cannot be part of a batch"},
		{"batch 'get url'", "batch cannot be part of a batch"},
		{"help", "not a command for a batch"},
		{"eval --stdin", "eval --stdin cannot be part of a batch"},
		{"screenshot nope/x.png", "nope not found"},
		{"", "command 2 ()"},
	}
	for _, tt := range tests {
		t.Run(tt.command, func(t *testing.T) {
			b := newBench(t)
			_, stderr, status := b.run("batch", "get title", tt.command)
			if !strings.Contains(stderr, tt.want) || status != wire.ExitUsage {
				t.Errorf("batch %s: %q, %d, want %q", tt.command, stderr, status, tt.want)
			}
		})
	}
	b := newBench(t)
	for _, stdin := range []string{"notjson", `{"a":1}`, `["get url"]`, ""} {
		b.stdin = stdin
		if _, stderr, status := b.run("batch"); !strings.Contains(stderr, "is not a JSON array of word arrays") || status != wire.ExitUsage {
			t.Errorf("batch < %s: %q, %d", stdin, stderr, status)
		}
	}
}
