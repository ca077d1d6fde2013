//go:build linux

package main_test

import (
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

// toolsOf maps a verb's name to the name of its MCP tool, for verbs whose tool has a different
// name. A value that contains a space is not a name: it says why the verb has no tool.
func toolsOf() map[string]string {
	return map[string]string{
		verbs.Batch.Name:         "execute_sequence",
		verbs.PoolRequest.Name:   "request_tab_space",
		verbs.PoolGrant.Name:     "grant_tab_space",
		verbs.PoolRequests.Name:  "get_slot_requests",
		verbs.Session.Name:       "every result names the session",
		verbs.REPL.Name:          "the client sends one call after the other anyway",
		verbs.Man.Name:           "it is for people",
		verbs.Upgrade.Name:       "it is for people",
		verbs.SkillsInstall.Name: "it is for people who set up an agent",
		verbs.MCP.Name:           "it is the server of the tools",
		verbs.MCPInstall.Name:    "it is for people who set up a client",
		verbs.Install.Name:       "it is for people: doctor says what is missing",
		verbs.CDP.Name:           "its port is for programs that speak CDP",
		verbs.Inspect.Name:       "it is for people",
		verbs.Questions.Name:     "it is for people",
		verbs.Login.Name:         "it is for people",
		verbs.SessionExport.Name: "it is for people",
	}
}

// withoutExample returns the verbs whose example is not run, each with the reason.
func withoutExample() map[string]string {
	return map[string]string{
		verbs.Connect.Name:       "it needs a browser at this port; TestAttachedConnect runs the command",
		verbs.Inspect.Name:       "it serves until its input ends; the transcript inspect-page runs the command",
		verbs.Confirm.Name:       "its argument is different each time; the transcript policy-actions runs the command",
		verbs.Deny.Name:          "its argument is different each time; the transcript policy-actions runs the command",
		verbs.ReactTree.Name:     "it needs a page with React; TestReact runs the command",
		verbs.ReactInspect.Name:  "it needs a page with React; TestReact runs the command",
		verbs.ReactSuspense.Name: "it needs a page with React; TestReact runs the command",
		verbs.TabShow.Name:       "it serves until it is interrupted; TestWindowShowsASessionsPage runs the command",
		verbs.Login.Name:         "it waits for a person; TestLogin runs the command",
		verbs.Review.Name:        "it serves until it is interrupted; TestReview runs the command",
		verbs.AskPerson.Name:     "it waits for a person; the transcript ask-person runs the command",
		verbs.AnswerPerson.Name:  "its argument is different each time; the transcript ask-person runs the command",
		verbs.CDP.Name:           "npx would download the program; the transcript cdp-endpoint and others run the command",
		verbs.RequestDetail.Name: "its argument is different each time; the transcript network-requests runs the command",
		verbs.Install.Name:       "--with-deps changes the machine; TestTamperedArchiveIsRefused and others run install",
		verbs.Doctor.Name:        "its exit status depends on the machine; TestDoctorMendsTheDriver and others run it",
	}
}

const saveLogin = "auth save shop --url https://example.com --username me --password-file password.txt"

// before returns the commands that must run before a verb's example.
func before() map[string][]string {
	return map[string][]string{
		verbs.Back.Name:           {"open https://example.com/second"},
		verbs.Forward.Name:        {"open https://example.com/second", "back"},
		verbs.TabSwitch.Name:      {"tab new https://example.com", "tab t1"},
		verbs.KeyboardInsert.Name: {"focus #name"},
		verbs.TabClose.Name:       {"tab new", "tab new"},
		verbs.HandBack.Name:       {"take-over"},
		verbs.PolicyAnswer.Name:   {"policy permission ask-human geolocation", "eval navigator.geolocation.getCurrentPosition(()=>{});1"},
		verbs.PolicyRespond.Name:  {"policy file-picker allow"},
		verbs.DiffSnapshot.Name:   {"snapshot"},
		verbs.DiffScreenshot.Name: {"screenshot before.png"},
		verbs.SetReset.Name:       {"set viewport 800 600"},
		verbs.ClipboardCopy.Name:  {"fill #name Ada", "press Control+a"},
		verbs.ClipboardPaste.Name: {"clipboard write Hello", "focus #name"},
		verbs.StateLoad.Name:      {"state save login"},
		verbs.StateShow.Name:      {"state save login"},
		verbs.StateClear.Name:     {"state save login"},
		verbs.StateRename.Name:    {"state save login"},
		verbs.AuthLogin.Name:      {saveLogin},
		verbs.AuthShow.Name:       {saveLogin},
		verbs.AuthDelete.Name:     {saveLogin},
		verbs.SessionLog.Name:     {"--session task_123 open https://example.com", "--session task_123 close --page"},
	}
}

// after returns the commands that must run after a verb's example. They restore the state that the
// examples of other verbs need.
func after() map[string][]string {
	return map[string][]string{verbs.SetOffline.Name: {"set offline off"}, verbs.TakeOver.Name: {"hand-back"}}
}

// Every verb that is not hidden is complete: it has a help text, an example that succeeds, an MCP
// tool and a row in COMMANDS.md.
func TestEveryVerbIsComplete(t *testing.T) {
	t.Parallel()
	pages := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store") // otherwise the browser caches the page or not, depending on the age of the file
		http.ServeFile(w, r, "testdata/examples.html")
	}))
	t.Cleanup(pages.Close)
	dir := t.TempDir()
	h := e2e.NewHome(t)
	tools := dialMCP(t, h, "--tools", "all").tools()
	table, err := os.ReadFile("COMMANDS.md")
	if err != nil {
		t.Fatal(err)
	}
	h.Cwd = dir
	if err := os.WriteFile(filepath.Join(h.Cwd, "report.pdf"), []byte("%PDF"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h.Cwd, "password.txt"), []byte("open sesame\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, v := range verbs.All() {
		doc := v.Describe()
		if doc.Hidden {
			continue
		}
		if help := h.Text(t, "", append([]string{"--help"}, strings.Fields(doc.Name)...)...); !strings.Contains(help, doc.Short) || !strings.Contains(help, doc.Example) {
			t.Errorf("the help on %s lacks its description or example:\n%s", doc.Name, help)
		}
		tool := toolsOf()[doc.Name]
		if tool == "" {
			tool = strings.ReplaceAll(doc.Name, " ", "_")
		}
		if !doc.Person && !strings.Contains(tool, " ") && !slices.Contains(tools, tool) {
			t.Errorf("%s has no MCP tool %s", doc.Name, tool)
		}
		if !strings.Contains(string(table), "\n| `"+doc.Name) {
			t.Errorf("COMMANDS.md has no row for %s: run just docs", doc.Name)
		}
		if withoutExample()[doc.Name] != "" {
			continue
		}
		if doc.By == wire.ByDaemon {
			h.Text(t, "examples", "open", pages.URL)
		}
		for _, command := range slices.Concat(before()[doc.Name], []string{strings.TrimPrefix(doc.Example, "abrowser ")}, after()[doc.Name]) {
			words, err := args.Split(strings.ReplaceAll(command, "https://example.com", pages.URL))
			if err != nil {
				t.Fatal(err)
			}
			session := []string{"--session", "examples"} // not in the environment, because some verbs are for people
			if slices.Contains(words, "--session") {
				session = nil
			}
			if r := h.Try("", append(session, words...)...); r.Status != wire.ExitDone {
				t.Errorf("the example of %s: %s", doc.Name, r)
			}
		}
	}
	for _, written := range []string{".cursor", ".claude"} { // by mcp install and skills install
		if err := os.RemoveAll(filepath.Join(h.Outer, "h", written)); err != nil {
			t.Error(err)
		}
	}
}
