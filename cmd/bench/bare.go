package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// bareBrowser is a browser that bench controls directly over the browser's pipe
// (--remote-debugging-pipe), without abrowser.
type bareBrowser struct {
	cmd  *exec.Cmd
	in   *os.File
	out  *os.File
	said *bufio.Reader
	last int
}

// bareMessage is a CDP message on the pipe.
type bareMessage struct {
	ID      int             `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

// startBare starts a bareBrowser with a new profile. The browser exits when ctx ends or when its
// method end is called.
func (b *bench) startBare(ctx context.Context, name string) (*bareBrowser, error) {
	profile, err := b.makeDir(name)
	if err != nil {
		return nil, err
	}
	browserIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer browserIn.Close()
	out, browserOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer browserOut.Close()
	args := append([]string{"--headless=new", window, "--remote-debugging-pipe", "--user-data-dir=" + profile}, b.flags()...)
	cmd := exec.CommandContext(ctx, b.browser, append(args, "about:blank")...)
	cmd.ExtraFiles = []*os.File{browserIn, browserOut}
	return &bareBrowser{cmd: cmd, in: in, out: out, said: bufio.NewReader(out)}, cmd.Start()
}

// end closes the browser and waits until it has exited.
func (b *bareBrowser) end() {
	// If the write fails, closing the pipe ends the browser.
	_, _ = io.WriteString(b.in, `{"id":999999,"method":"Browser.close"}`+"\x00")
	_ = b.in.Close()
	_, _ = io.Copy(io.Discard, b.said) // returns when the browser has exited
	_ = b.cmd.Wait()                   // the browser's exit status does not matter
	_ = b.out.Close()
}

// ask sends a CDP request and decodes the result into answer, unless answer is nil. session is the
// ID of the CDP session on which the request is sent. If it is empty, the request is for the
// browser itself.
func (b *bareBrowser) ask(session, method string, params, answer any) error {
	b.last++
	raw, err := json.Marshal(bareMessage{ID: b.last, Method: method, Session: session, Params: params})
	if err == nil {
		_, err = b.in.Write(append(raw, 0))
	}
	if err != nil {
		return err
	}
	m, err := b.await(func(m bareMessage) bool { return m.ID == b.last })
	switch {
	case err != nil:
		return err
	case m.Error != nil:
		return fmt.Errorf("the browser answers %s with %s", method, m.Error)
	case answer == nil:
		return nil
	}
	return json.Unmarshal(m.Result, answer)
}

// await reads messages until the function accept returns true for a message, and returns this
// message.
func (b *bareBrowser) await(accept func(bareMessage) bool) (bareMessage, error) {
	for {
		var m bareMessage
		raw, err := b.said.ReadBytes(0)
		if err == nil {
			err = json.Unmarshal(raw[:len(raw)-1], &m)
		}
		if err != nil || accept(m) {
			return m, err
		}
	}
}

// open creates a page in a new window and waits until the page has loaded url. It returns the
// page's target ID.
func (b *bareBrowser) open(url string) (target string, err error) {
	var made struct{ TargetID, SessionID string }
	if err := b.ask("", "Target.createTarget", map[string]any{"url": "about:blank", "newWindow": true}, &made); err != nil {
		return "", err
	}
	if err := b.ask("", "Target.attachToTarget", map[string]any{"targetId": made.TargetID, "flatten": true}, &made); err != nil {
		return "", err
	}
	if err := b.ask(made.SessionID, "Page.enable", nil, nil); err != nil {
		return "", err
	}
	if err := b.ask(made.SessionID, "Page.navigate", map[string]any{"url": url}, nil); err != nil {
		return "", err
	}
	_, err = b.await(func(m bareMessage) bool { return m.Method == "Page.loadEventFired" && m.Session == made.SessionID })
	return made.TargetID, err
}
