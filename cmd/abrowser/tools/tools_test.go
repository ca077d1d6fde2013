//go:build linux

package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
)

// found is what a tool found in its session.
type found struct {
	Before     []string // the URLs of the pages at the beginning
	Snapshot   string   // the snapshot of /form
	Sent       string   // what the form sent
	Screenshot int      // the size of a screenshot in bytes
	Popup      string   // what the popup of /popups shows
	Download   string   // the content of a file
	User       string   // the name of the user who is logged in
	After      []string // the URLs of the pages at the end
}

// rig consists of the home, the site and the npm packages that all tools of a test use.
type rig struct {
	*e2e.Home
	site    *site.Site
	modules string // the directory of npm's packages
}

// run returns the command that runs a tool through `abrowser cdp` in the session with the given
// name. In the tool's arguments, {cdp} stands for the URL of the session's endpoint. The parameter
// dir is the tool's working directory, HOME and TMPDIR.
func (r *rig) run(t *testing.T, session, dir string, command ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), e2e.CommandDeadline)
	t.Cleanup(cancel)
	cmd := r.Prepared(ctx, session, append([]string{"cdp", "--"}, command...)...)
	cmd.Dir = dir
	// The last two variables keep chrome-devtools-mcp itself from using the network.
	cmd.Env = append(cmd.Env, "HOME="+dir, "TMPDIR="+dir, "CHROME_DEVTOOLS_MCP_NO_USAGE_STATISTICS=1", "CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS=1")
	return cmd
}

// Each tool does in its session what it does in a browser of its own: it opens a page, reads it,
// clicks, fills, takes a picture, follows a popup and gets a file. It finds the login that another
// session has made, and no page but its own. Meanwhile, two tasks of abrowser work in the same
// browser.
func TestTools(t *testing.T) {
	dir, err := Dir()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	modules, err := Install(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{Home: e2e.NewHome(t), site: site.Start(t), modules: modules}
	r.Text(t, "other", "open", r.site.URL("/login"))
	r.Text(t, "other", "fill", "[name=user]", "ada")
	r.Text(t, "other", "click", "button")
	r.Text(t, "other", "tab", "new", r.site.URL("/page/foreign"))
	tools := map[string]func(*testing.T, *rig, string, string) found{
		"puppeteer-core": script("puppeteer.mjs"), "playwright-core": script("playwright.mjs"),
		"playwright-mcp": playwrightMCP, "chrome-devtools-mcp": devtoolsMCP, "agent-browser": agentBrowserCDP,
	}
	done := make(chan struct{})
	var tasks sync.WaitGroup
	for _, session := range []string{"task-1", "task-2"} {
		tasks.Go(func() { r.work(t, session, done) })
	}
	t.Run("tools", func(t *testing.T) {
		for name, use := range tools {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				r.check(t, use(t, r, name, t.TempDir()))
				if got := r.Text(t, name, "session"); got != name {
					t.Errorf("the session is %s", got)
				}
			})
		}
	})
	close(done)
	tasks.Wait()
	if got := r.Text(t, "other", "tab", "list"); strings.Count(got, "\n") != 1 || !strings.Contains(got, "/page/foreign") {
		t.Errorf("afterwards the other session has the tabs\n%s", got)
	}
}

// work does a task of abrowser again and again until done is closed.
func (r *rig) work(t *testing.T, session string, done <-chan struct{}) {
	for n := 1; ; n++ {
		text := fmt.Sprint(session, " ", n)
		for _, command := range [][]string{{"open", r.site.URL("/form")}, {"fill", "#name", text}, {"click", "#agree"}, {"get", "value", "#name"}} {
			got := r.Try(session, command...)
			if got.Status != 0 || command[0] == "get" && strings.TrimSpace(got.Stdout) != text {
				t.Errorf("%s of %s, round %d: %s", command[0], session, n, got)
				return
			}
		}
		if got := r.Try(session, "tab", "list"); strings.Count(got.Stdout, "\n") != 1 || !strings.Contains(got.Stdout, "/form") {
			t.Errorf("%s has the tabs %s", session, got)
			return
		}
		select {
		case <-done:
			return
		case <-time.After(300 * time.Millisecond): // the tools need the processor, too
		}
	}
}

func (r *rig) check(t *testing.T, f found) {
	t.Helper()
	for _, address := range append(f.Before, f.After...) {
		if !strings.HasPrefix(address, r.site.URL("/")) && address != "about:blank" || strings.Contains(address, "foreign") || strings.Contains(address, "login") {
			t.Errorf("it found the page %s", address)
		}
	}
	if !strings.Contains(strings.Join(f.After, " "), "/me") {
		t.Errorf("at last it found the pages %q", f.After)
	}
	if !strings.Contains(f.Snapshot, "I agree") {
		t.Errorf("the snapshot is %q", f.Snapshot)
	}
	if !strings.Contains(f.Sent, "agree=on") || !strings.Contains(f.Sent, "name=Ada") {
		t.Errorf("the form sent %q", f.Sent)
	}
	if f.Screenshot < 1000 {
		t.Errorf("the picture has %d bytes", f.Screenshot)
	}
	if !strings.Contains(f.Popup, "window-open") {
		t.Errorf("the popup shows %q", f.Popup)
	}
	if f.Download != "from a\n" {
		t.Errorf("the file has %q", f.Download)
	}
	if !strings.Contains(f.User, "ada") {
		t.Errorf("the user is %q", f.User)
	}
}

// script returns a function that runs a script of testdata.
func script(name string) func(*testing.T, *rig, string, string) found {
	return func(t *testing.T, r *rig, session, dir string) (f found) {
		path, err := filepath.Abs(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		cmd := r.run(t, session, dir, "node", path, r.modules, "{cdp}", strings.TrimSuffix(r.site.URL("/"), "/"), dir)
		var complaints strings.Builder
		cmd.Stderr = &complaints
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, complaints.String())
		}
		if err := json.Unmarshal(out, &f); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		return f
	}
}

// agentBrowserCDP runs agent-browser, which has a daemon of its own that stays connected.
func agentBrowserCDP(t *testing.T, r *rig, session, dir string) (f found) {
	server := r.StartCDP(t, session)
	try := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), agentBrowser(r.modules), append([]string{"--cdp", server.URL}, args...)...)
		cmd.Env = append(r.Environ(""), "HOME="+dir, "AGENT_BROWSER_SOCKET_DIR="+filepath.Join(dir, "s"))
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("agent-browser %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return strings.TrimSuffix(string(out), "\n")
	}
	defer try("close")
	f.Before = addresses(try("tab", "list"))
	try("open", r.site.URL("/form"))
	f.Snapshot = try("snapshot")
	try("fill", "#name", "Ada")
	try("click", "#agree")
	try("click", "#send")
	try("wait", "#sent") // click does not wait for the next document
	f.Sent = try("get", "text", "#sent")
	try("screenshot", filepath.Join(dir, "page.png"))
	f.Screenshot = size(t, filepath.Join(dir, "page.png"))
	try("open", r.site.URL("/popups"))
	try("click", "#open")
	try("wait", "#name")
	f.Popup = try("get", "text", "#name")
	try("tab", "t1")
	try("open", r.site.URL("/downloads"))
	try("download", "#a", filepath.Join(dir, "report.txt"))
	f.Download = content(t, filepath.Join(dir, "report.txt"))
	try("open", r.site.URL("/me"))
	f.User = try("get", "text", "#who")
	f.After = addresses(try("tab", "list"))
	return f
}

func size(t *testing.T, file string) int { return len(content(t, file)) }

func content(t *testing.T, file string) string {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Error(err)
	}
	return string(raw)
}
