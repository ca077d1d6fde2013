//go:build linux

package main_test

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

	"github.com/coder/websocket"
)

// personTime is what one question to a person's browser may take on a busy machine.
const personTime = 20 * time.Second

// person is a browser that somebody else started, and what its person does in it:
// by a connection of its own, beside the product's.
type person struct {
	t       *testing.T
	profile string
	port    string
	cmd     *exec.Cmd
	conn    *websocket.Conn
	last    int
}

type sessionParam struct {
	SessionID string `json:"sessionId"`
}

// in has a part of the test fail where the person does.
func (p *person) in(t *testing.T) {
	whole := p.t
	p.t = t
	t.Cleanup(func() { p.t = whole })
}

// newPerson starts a browser that listens at a port: any, or the one given.
func newPerson(t *testing.T, h *home, port string) *person {
	t.Helper()
	p := &person{t: t, profile: filepath.Join(h.outer, "person")}
	p.start(port)
	t.Cleanup(p.end)
	return p
}

func (p *person) start(port string) {
	p.t.Helper()
	outer := filepath.Dir(p.profile)
	note := filepath.Join(p.profile, "DevToolsActivePort")
	_ = os.Remove(note) // of the one before
	for _, dir := range []string{"ph", "pt"} {
		if err := os.MkdirAll(filepath.Join(outer, dir), 0o700); err != nil {
			p.t.Fatal(err)
		}
	}
	if port == "" {
		port = "0"
	}
	args := []string{"--headless=new", "--remote-debugging-port=" + port, "--user-data-dir=" + p.profile, "--no-first-run", "--disable-popup-blocking"}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	// It ends by end, not with a context.
	p.cmd = exec.Command(browserPath(p.t), append(args, "about:blank")...) //nolint:noctx // its life is not the test's context
	p.cmd.Env = []string{"HOME=" + filepath.Join(outer, "ph"), "TMPDIR=" + filepath.Join(outer, "pt"), "PATH=" + os.Getenv("PATH")}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.port = port
	if port == "0" && !await(personTime, func() bool {
		raw, err := os.ReadFile(note)
		p.port, _, _ = strings.Cut(string(raw), "\n")
		return err == nil && p.port != ""
	}) {
		p.t.Fatalf("the person's browser wrote no %s", note)
	}
	ctx, cancel := context.WithTimeout(p.t.Context(), personTime)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, p.address(ctx), nil) //nolint:bodyclose // a handshake has none that is to be closed
	if err != nil {
		p.t.Fatal(err)
	}
	conn.SetReadLimit(16 << 20)
	p.conn = conn
}

// address is where the browser listens, as soon as it does.
func (p *person) address(ctx context.Context) string {
	var version struct {
		Address string `json:"webSocketDebuggerUrl"`
	}
	if !await(personTime, func() bool {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1:"+p.port+"/json/version", nil)
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
		p.t.Fatalf("the person's browser does not listen at %s", p.port)
	}
	return version.Address
}

// end ends the browser, as hard as it can be.
func (p *person) end() {
	if p.cmd == nil {
		return
	}
	_ = p.conn.CloseNow()
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	_ = p.cmd.Wait()
	p.cmd = nil
}

// alive reports whether the browser still runs.
func (p *person) alive() bool { return process{pid: p.cmd.Process.Pid}.alive() }

// call asks the browser something and waits for its answer.
func (p *person) call(method string, params any, session string) json.RawMessage {
	p.t.Helper()
	p.last++
	msg := map[string]any{"id": p.last, "method": method}
	if params != nil {
		msg["params"] = params
	}
	if session != "" {
		msg["sessionId"] = session
	}
	raw, err := json.Marshal(msg)
	if err != nil {
		p.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), personTime)
	defer cancel()
	if err := p.conn.Write(ctx, websocket.MessageText, raw); err != nil {
		p.t.Fatalf("%s: %v", method, err)
	}
	for {
		_, raw, err := p.conn.Read(ctx)
		if err != nil {
			p.t.Fatalf("the person's browser does not answer %s: %v", method, err)
		}
		var answer struct {
			ID     int
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := json.Unmarshal(raw, &answer); err != nil {
			p.t.Fatal(err)
		}
		if answer.ID == p.last {
			if answer.Error != nil {
				p.t.Fatalf("%s: %s", method, answer.Error)
			}
			return answer.Result
		}
	}
}

// open opens a tab as a person does, in front.
func (p *person) open(url string) string {
	p.t.Helper()
	var out struct{ TargetID string }
	if err := json.Unmarshal(p.call("Target.createTarget", map[string]any{"url": url}, ""), &out); err != nil {
		p.t.Fatal(err)
	}
	return out.TargetID
}

// eval runs a script in a tab, as if the person had done it by a click.
func (p *person) eval(target, script string) string {
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

// tab is a page of the person's browser, and whether anybody's debugger is on it.
type tab struct {
	URL      string
	Title    string
	Attached bool
	OpenerID string
}

// tabs are all pages of the browser by target id.
func (p *person) tabs() map[string]tab {
	p.t.Helper()
	var out struct {
		TargetInfos []struct {
			tab
			TargetID, Type string
		}
	}
	if err := json.Unmarshal(p.call("Target.getTargets", nil, ""), &out); err != nil {
		p.t.Fatal(err)
	}
	all := map[string]tab{}
	for _, info := range out.TargetInfos {
		if info.Type == "page" {
			all[info.TargetID] = info.tab
		}
	}
	return all
}

// window is the size and place of the window that a tab is in.
func (p *person) window(target string) string {
	p.t.Helper()
	return string(p.call("Browser.getWindowForTarget", map[string]any{"targetId": target}, ""))
}
