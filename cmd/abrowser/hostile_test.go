//go:build linux

package main_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/args"
	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// hostile returns texts that an agent may pass on from a page, and that no verb may stumble over.
func hostile() map[string]string {
	return map[string]string{
		"1 MB":    strings.Repeat("a", 1<<20),
		"outside": "../kept",
		"NUL":     "a\x00b",
		"lines":   "one\r\ntwo\n",
		"markup":  `<img src=x onerror=alert(1)>'"]`,
		"colons":  ":::",
		"braces":  "${HOME}{{}}*?[",
	}
}

// notTried returns the verbs that the test of hostile texts does not run, each with the reason.
func notTried() map[string]string {
	return map[string]string{
		verbs.Inspect.Name: "it serves until its input ends",
	}
}

// conversation sends lines to `abrowser --json repl` and reads an answer to each.
type conversation struct {
	in  io.WriteCloser
	out *bufio.Reader
}

func converse(t *testing.T, h *e2e.Home, session string) *conversation {
	t.Helper()
	cmd := h.Prepared(context.WithoutCancel(t.Context()), session, "--json", "repl")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	return &conversation{in, bufio.NewReaderSize(out, 1<<20)}
}

func (c *conversation) say(t *testing.T, words ...string) (e e2e.Envelope) {
	t.Helper()
	line, err := json.Marshal(words)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.in.Write(append(line, '\n')); err != nil {
		t.Fatal(err)
	}
	answer, err := c.out.ReadBytes('\n')
	if err != nil {
		t.Fatalf("%.200s: %v", line, err)
	}
	if err := json.Unmarshal(answer, &e); err != nil {
		t.Fatalf("%.200s is answered with %.200s: %v", line, answer, err)
	}
	return e
}

func TestHostileTextOfEveryVerb(t *testing.T) {
	t.Parallel()
	pages := httptest.NewServer(http.FileServer(http.Dir("testdata")))
	t.Cleanup(pages.Close)
	h := e2e.NewHome(t)
	h.Cwd = filepath.Join(t.TempDir(), "work")
	if err := os.Mkdir(h.Cwd, 0o700); err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(h.Cwd, "../kept")
	h.Env = append(h.Env, "ABROWSER_DEFAULT_TIMEOUT=300")
	c := converse(t, h, "hostile")
	for _, v := range verbs.All() {
		spec := v.Describe()
		if spec.Hidden || spec.By != wire.ByDaemon || notTried()[spec.Name] != "" {
			continue
		}
		began, n := time.Now(), 0
		c.say(t, "open", pages.URL+"/examples.html")
		for what, words := range hostileLines(t, v) {
			if err := os.WriteFile(kept, []byte("kept"), 0o600); err != nil {
				t.Fatal(err)
			}
			n++
			start := time.Now()
			e := c.say(t, words...)
			if took := time.Since(start); took > 2*time.Second {
				fmt.Printf("SLOW %s %s: %s %v\n", spec.Name, what, took, e.Code)
			}
			if !e.Success && (e.Code == wire.CodeInternal || e.Error == nil || *e.Error == "") {
				t.Errorf("%s, %s: %+v", spec.Name, what, e)
			}
			if e.Error != nil && len(*e.Error) > 2000 {
				t.Errorf("%s, %s: the message has %d bytes", spec.Name, what, len(*e.Error))
			}
			if text, err := os.ReadFile(kept); err != nil || string(text) != "kept" {
				fmt.Printf("KEPT %s, %s: %.20q (%v) %v\n", spec.Name, what, text, err, e.Success)
			}
			if !e.Success {
				fmt.Printf("%s|%s|%s|%.150s|%.100s\n", spec.Name, what, e.Code, *e.Error, e.Hint)
			}
		}
		fmt.Printf("VERB %s %d %s\n", spec.Name, n, time.Since(began))
	}
}

func hostileLines(t *testing.T, v wire.AnyVerb) map[string][]string {
	t.Helper()
	spec := v.Describe()
	given, err := args.Split(strings.TrimPrefix(spec.Example, "abrowser "))
	if err != nil {
		t.Fatal(err)
	}
	words := len(strings.Fields(spec.Name))
	lines := map[string][]string{}
	for name, text := range hostile() {
		for i := words; i < len(given); i++ {
			if !strings.HasPrefix(given[i], "-") {
				line := slices.Clone(given)
				line[i] = text
				lines[fmt.Sprintf("%s for %q", name, given[i])] = line
			}
		}
		for _, f := range v.Fields() {
			if f.Flag != "" && f.IsText() {
				lines[name+" for --"+f.Flag] = append(slices.Clone(given), "--"+f.Flag+"="+text)
			}
		}
	}
	return lines
}
