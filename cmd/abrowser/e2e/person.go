//go:build linux

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
)

// PersonTime is how long one call to a person's browser may take on a busy machine.
const PersonTime = 20 * time.Second

// Person is a browser that abrowser has not started. Its methods do what the person who uses this
// browser does, over a CDP connection that is independent of abrowser's.
type Person struct {
	t       *testing.T // the test or, after In, the subtest
	whole   *testing.T
	Profile string
	Port    string
	cmd     *exec.Cmd
	client  *CDPClient
}

type sessionParam struct {
	SessionID string `json:"sessionId"`
}

// In makes a failed action of the person fail the subtest t. After the end of t, a failed action
// fails the enclosing test again.
func (p *Person) In(t *testing.T) {
	p.t = t
	t.Cleanup(func() { p.t = p.whole })
}

// NewPerson starts a browser with a debugging port, as [Person.Start] does, and kills it when the
// test ends.
func NewPerson(t *testing.T, h *Home, port string) *Person {
	t.Helper()
	p := &Person{t: t, whole: t, Profile: filepath.Join(h.Outer, "person")}
	p.Start(port)
	t.Cleanup(p.End)
	return p
}

// Start starts the browser with the given debugging port and connects to it. If port is empty or
// "0", the browser chooses a port, and Start sets p.Port to it.
func (p *Person) Start(port string) {
	p.t.Helper()
	outer := filepath.Dir(p.Profile)
	note := filepath.Join(p.Profile, "DevToolsActivePort")
	_ = os.Remove(note) // an earlier browser with this profile may have written it
	for _, dir := range []string{"ph", "pt"} {
		if err := os.MkdirAll(filepath.Join(outer, dir), 0o700); err != nil {
			p.t.Fatal(err)
		}
	}
	if port == "" {
		port = "0"
	}
	args := []string{"--headless=new", "--remote-debugging-port=" + port, "--user-data-dir=" + p.Profile, "--no-first-run", "--disable-popup-blocking"}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	// The browser is not bound to a context: [Person.End] ends it.
	p.cmd = exec.Command(BrowserPath(p.t), append(args, "about:blank")...) //nolint:noctx // see above
	p.cmd.Env = []string{"HOME=" + filepath.Join(outer, "ph"), "TMPDIR=" + filepath.Join(outer, "pt"), "PATH=" + os.Getenv("PATH")}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.Port = port
	if port == "0" && !Await(PersonTime, func() bool {
		raw, err := os.ReadFile(note)
		p.Port, _, _ = strings.Cut(string(raw), "\n")
		return err == nil && p.Port != ""
	}) {
		p.t.Fatalf("the person's browser wrote no %s", note)
	}
	ctx, cancel := context.WithTimeout(p.t.Context(), PersonTime)
	defer cancel()
	p.client = DialCDP(p.whole, p.address(ctx))
}

// address waits until the browser listens and returns the WebSocket URL of its debugger.
func (p *Person) address(ctx context.Context) string {
	var version struct {
		Address string `json:"webSocketDebuggerUrl"`
	}
	if !Await(PersonTime, func() bool {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1:"+p.Port+"/json/version", nil)
		if err != nil {
			return false
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		return json.NewDecoder(resp.Body).Decode(&version) == nil
	}) {
		p.t.Fatalf("the person's browser does not listen at %s", p.Port)
	}
	return version.Address
}

// End kills the browser.
func (p *Person) End() {
	if p.cmd == nil {
		return
	}
	p.client.Close()
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	_ = p.cmd.Wait()
	p.cmd = nil
}

// Alive reports whether the browser still runs.
func (p *Person) Alive() bool { return Process{PID: p.cmd.Process.Pid}.Alive() }

// call sends a CDP request to the browser and returns the result.
func (p *Person) call(method string, params any, session string) (result json.RawMessage) {
	p.t.Helper()
	p.client.t = p.t
	p.client.Call(session, method, params, &result)
	return result
}

// Open opens a tab in the foreground, as a person does, and returns its target id.
func (p *Person) Open(url string) string {
	p.t.Helper()
	var out struct{ TargetID string }
	if err := json.Unmarshal(p.call("Target.createTarget", map[string]any{"url": url}, ""), &out); err != nil {
		p.t.Fatal(err)
	}
	return out.TargetID
}

// Eval runs a script in a tab, and returns the script's value as text. The browser treats the
// script as the result of a click by the person, so the script may open a popup, for example.
func (p *Person) Eval(target, script string) string {
	p.t.Helper()
	var on sessionParam
	if err := json.Unmarshal(p.call("Target.attachToTarget", map[string]any{"targetId": target, "flatten": true}, ""), &on); err != nil {
		p.t.Fatal(err)
	}
	defer p.call("Target.detachFromTarget", on, "")
	var out struct{ Result struct{ Value any } }
	raw := p.call("Runtime.evaluate", map[string]any{"expression": script, "userGesture": true, "awaitPromise": true, "returnByValue": true}, on.SessionID)
	if err := json.Unmarshal(raw, &out); err != nil {
		p.t.Fatal(err)
	}
	return fmt.Sprint(out.Result.Value)
}

// Click presses and releases the mouse in a tab.
func (p *Person) Click(target string, x, y float64) {
	p.t.Helper()
	var on sessionParam
	if err := json.Unmarshal(p.call("Target.attachToTarget", map[string]any{"targetId": target, "flatten": true}, ""), &on); err != nil {
		p.t.Fatal(err)
	}
	defer p.call("Target.detachFromTarget", on, "")
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		p.call("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}, on.SessionID)
	}
}

// Tab describes a page of the person's browser. Attached is true if a CDP client is attached to
// the page.
type Tab struct {
	URL      string
	Title    string
	Attached bool
	OpenerID string
}

// Tabs returns all pages of the browser, by target id.
func (p *Person) Tabs() map[string]Tab {
	p.t.Helper()
	var out struct {
		TargetInfos []struct {
			Tab
			TargetID, Type string
		}
	}
	if err := json.Unmarshal(p.call("Target.getTargets", nil, ""), &out); err != nil {
		p.t.Fatal(err)
	}
	all := map[string]Tab{}
	for _, info := range out.TargetInfos {
		if info.Type == "page" {
			all[info.TargetID] = info.Tab
		}
	}
	return all
}

// Window returns the id, position and size of the window that contains a tab, as JSON.
func (p *Person) Window(target string) string {
	p.t.Helper()
	return string(p.call("Browser.getWindowForTarget", map[string]any{"targetId": target}, ""))
}

// BrowserPath returns the path of the browser that abrowser uses by default.
func BrowserPath(t *testing.T) string {
	t.Helper()
	h := &Home{Binary: os.Getenv(EnvBinary), Outer: t.TempDir()}
	h.Dir, h.Cwd = filepath.Join(h.Outer, "r"), h.Outer
	h.Env = []string{"ABROWSER_DRIVER_PATH=" + os.Getenv(EnvDriver)}
	for _, part := range Ask[verbs.PartsOut](t, h, "", "doctor").Parts {
		if part.Name != "browser" {
			continue
		}
		for _, word := range strings.Fields(part.Detail) {
			if word = strings.Trim(word, ",;:()"); strings.HasPrefix(word, "/") {
				return word
			}
		}
	}
	t.Fatal("doctor names no browser")
	return ""
}
