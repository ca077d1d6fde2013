//go:build linux

package main_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// TestScripts runs the transcripts in testdata/script. Each transcript shows how a command
// behaves. All transcripts use one browser, each in its own session, as tasks do.
func TestScripts(t *testing.T) {
	scripts(t, "testdata/script", e2e.NewHome(t))
}

// TestScriptsAlone runs the transcripts that cannot share a home. Most of them list or close all
// sessions of the home, or stop its browser. Each of them has its own home.
func TestScriptsAlone(t *testing.T) {
	scripts(t, "testdata/alone", nil)
}

func scripts(t *testing.T, dir string, shared *e2e.Home) {
	s := site.Start(t)
	update := flag.Lookup("update").Value.(flag.Getter).Get().(bool)
	testscript.Run(t, testscript.Params{
		Dir: dir, UpdateScripts: update, RequireExplicitExec: true, RequireUniqueNames: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"confirmation": confirmation, "question": question},
		Setup: func(e *testscript.Env) error {
			h := shared
			if h == nil {
				h = e2e.NewHome(e.T().(testing.TB))
			}
			session := strings.TrimPrefix(filepath.Base(e.WorkDir), "script-")
			e.Vars = append(h.Environ(session),
				"PATH="+filepath.Dir(h.Binary)+":"+os.Getenv("PATH"),
				"WORK="+e.WorkDir, "TMPDIR="+filepath.Join(e.WorkDir, ".tmp"), "SESSION="+session,
				"SITE="+strings.TrimSuffix(s.URL("/"), "/"), "CROSS="+strings.TrimSuffix(s.CrossURL("/"), "/"),
				// Each transcript has its own host, because all transcripts share the browser's
				// cookies.
				"HOST="+session+".localhost", "OWN="+strings.Replace(strings.TrimSuffix(s.CrossURL("/"), "/"), "localhost", session+".localhost", 1),
			)
			if shared != nil {
				e.Defer(func() {
					if t := e.T().(testing.TB); t.Failed() {
						h.ShowLog(t, session)
					}
					ctx, cancel := context.WithTimeout(context.Background(), e2e.CommandDeadline)
					defer cancel()
					h.Command(ctx, session, "close", "--page")
				})
			}
			return nil
		},
	})
}

// confirmation is a command of the transcripts. It stores the id that the last error's hint tells to
// confirm in a variable.
func confirmation(ts *testscript.TestScript, _ bool, args []string) {
	id := regexp.MustCompile(`c-[0-9a-f]{16}`).FindString(ts.ReadFile("stderr"))
	if id == "" {
		ts.Fatalf("the error has no id to confirm")
	}
	ts.Setenv(args[0], id)
}

// question is a command of the transcripts. It waits until a task asks a person, and stores the id of
// the question with this text in a variable.
func question(ts *testscript.TestScript, _ bool, args []string) {
	asked := regexp.MustCompile(`(?m)^(p\d+) .*` + regexp.QuoteMeta(args[1]))
	for end := time.Now().Add(e2e.CommandDeadline); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		ts.Check(ts.Exec("abrowser", "questions"))
		if found := asked.FindStringSubmatch(ts.ReadFile("stdout")); found != nil {
			ts.Setenv(args[0], found[1])
			return
		}
	}
	ts.Fatalf("no task asks %q", args[1])
}

// Every verb occurs in a transcript, except the hidden ones, which only processes of abrowser use.
func TestEveryVerbHasATranscript(t *testing.T) {
	t.Parallel()
	var lines []string
	command := regexp.MustCompile(`abrowser(?: --(?:json|headed|session \S+|max-output \d+|content-boundaries))* ([a-z][a-z0-9 -]*)`)
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range command.FindAllStringSubmatch(string(content), -1) {
			lines = append(lines, found[1]+" ")
		}
	}
	for _, verb := range verbs.All() {
		doc := verb.Describe()
		shown := func(name string) bool {
			return slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, name+" ") })
		}
		if !doc.Hidden && !shown(doc.Name) && !slices.ContainsFunc(doc.Aliases, shown) {
			t.Errorf("no transcript shows %s", doc.Name)
		}
	}
}
