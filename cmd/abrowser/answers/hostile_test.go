//go:build linux

package answers_test

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
		"command": `$(touch run-by-a-shell)`,
		"colons":  ":::",
		"braces":  "${HOME}{{}}*?[",
	}
}

// local returns the verbs to try that the daemon does not serve: those that end, and that do not end
// the session.
func local() []string {
	return []string{
		verbs.StateList.Name, verbs.StateShow.Name, verbs.StateClear.Name, verbs.StateClean.Name, verbs.StateRename.Name,
		verbs.AuthSave.Name, verbs.AuthList.Name, verbs.AuthShow.Name, verbs.AuthDelete.Name,
		verbs.SessionInfo.Name, verbs.SessionLog.Name, verbs.SessionExport.Name, verbs.SessionID.Name,
		verbs.Tabs.Name, verbs.TabKeep.Name, verbs.TabPrune.Name, verbs.Questions.Name, verbs.SessionList.Name,
		verbs.SkillsGet.Name, verbs.SkillsList.Name, verbs.Profiles.Name, verbs.Man.Name,
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

// Hostile text in any argument or flag of a verb that a daemon serves, or of one in local, has no effect but an answer: the daemon goes on, no
// file is overwritten that the command does not name as its output, and a hint quotes the text, so
// that it can be pasted into a shell.
func TestHostileTextOfEveryVerb(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("testdata/examples.html")
	if err != nil {
		t.Fatal(err)
	}
	pages := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write(page)
	}))
	t.Cleanup(pages.Close)
	work := filepath.Join(t.TempDir(), "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(work, "../kept")
	h := e2e.NewHome(t)
	h.Cwd = work
	h.Env = append(h.Env, "ABROWSER_DEFAULT_TIMEOUT=100")
	c := converse(t, h, "hostile")
	c.say(t, "open", pages.URL)
	daemon := h.Daemon("hostile").PID
	for _, v := range verbs.All() {
		spec := v.Describe()
		if spec.Hidden || spec.By != wire.ByDaemon && !slices.Contains(local(), spec.Name) || spec.Person || spec.Name == verbs.Inspect.Name {
			continue // inspect serves until its input ends
		}
		c.say(t, "open", pages.URL, "--timeout", "20000")
		for what, words := range hostileLines(t, v, pages.URL) {
			if err := os.WriteFile(kept, []byte("kept"), 0o600); err != nil {
				t.Fatal(err)
			}
			e := c.say(t, words...)
			switch {
			case e.Success:
			case e.Code == wire.CodeInternal, e.Error == nil, *e.Error == "", len(*e.Error) > 5000, len(e.Hint) > 5000:
				t.Errorf("%s, %s: %.300s", spec.Name, what, fmt.Sprint(e.Code, *e.Error))
			case strings.Contains(e.Hint, "$(touch") && !strings.Contains(e.Hint, "$(touch run-by-a-shell)'"):
				t.Errorf("%s, %s: the hint does not quote the text: %s", spec.Name, what, e.Hint)
			}
			if text, err := os.ReadFile(kept); (err != nil || string(text) != "kept") && !(e.Success && namesOutput(v)) {
				t.Errorf("%s, %s: the file contains %.20q (%v)", spec.Name, what, text, err)
			}
		}
	}
	if now := h.Daemon("hostile").PID; now != daemon {
		t.Errorf("the daemon is process %d, and was %d", now, daemon)
	}
}

// namesOutput reports whether an argument of the verb is the path of a file to write.
func namesOutput(v wire.AnyVerb) bool {
	return slices.ContainsFunc(args.Arguments(v.Fields()), func(f wire.Field) bool { return f.File != "" && f.File != "in" })
}

// hostileLines returns command lines of a verb with a hostile text in the place of one argument of
// its example, or in one flag.
func hostileLines(t *testing.T, v wire.AnyVerb, site string) map[string][]string {
	t.Helper()
	spec := v.Describe()
	given, err := args.Split(strings.ReplaceAll(strings.TrimPrefix(spec.Example, "abrowser "), "https://example.com", site))
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
