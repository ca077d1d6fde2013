package web

import (
	_ "embed" // for the script
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/daemon/web/prompts"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// promptsScript replaces the functions by which a page asks a person for permission. It runs in
// the page itself, because permissions that are granted in the browser would apply to all
// sessions that share its context. In the page, scripts can still find the browser's original
// functions and call them. The original functions respond as if the person had not been asked
// yet.
//
//go:embed prompts.js
var promptsScript string

const promptsBinding = "__abrowserAsk"

// promptsInstaller returns the script that every document runs: promptsScript with its
// configuration. In a session with allowed domains, the script also removes WebRTC, which does not use
// the proxy that keeps the pages to these domains.
func (conn *connection) promptsInstaller(p *prompts.Prompts) (string, error) {
	config, err := json.Marshal(map[string]any{
		"binding": promptsBinding, "names": verbs.PermissionNames(), "pickers": verbs.PickerNames(), "notifications": p.NotificationPermission(), "filtered": conn.filtered,
	})
	return fmt.Sprintf("%s(%s)", strings.TrimSpace(promptsScript), config), err
}

// respond decides about a request for a permission, a notification or a file, and passes the
// decision to the frame, which waits for it. The parameter text is the request in JSON.
func (conn *connection) respond(p *prompts.Prompts, frame playwright.Frame, text string) {
	var q prompts.Request
	v := prompts.Denied()
	if json.Unmarshal([]byte(text), &q) == nil {
		v = p.Decide(conn.lost, originOf(frame.URL()), q)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		raw = []byte(`{"do":"deny"}`)
	}
	// The decision is not the result of the binding, because another client of the page may answer
	// the call of the binding first: see prompts.js. If the frame is gone, nothing waits for the
	// decision.
	_, _ = frame.Evaluate(fmt.Sprintf("globalThis[Symbol.for('abrowser.asks')]?.answer(%d, %s)", q.ID, raw))
}

// offerChooser lets a person, or a command, answer a file chooser that a page has opened.
func (p *pages) offerChooser(pg *page, chooser playwright.FileChooser) {
	document := pg.commits.Load()
	p.prompts.Open(pg, prompts.Chooser{
		Several: chooser.IsMultiple(), Origin: originOf(pg.URL()),
		IsOpen: func() bool { return pg.commits.Load() == document && !pg.isClosed() },
		Choose: func(files []prompts.File) error {
			var all []playwright.InputFile
			for _, f := range files {
				all = append(all, playwright.InputFile{Name: f.Name, MimeType: f.Type, Buffer: f.Data})
			}
			return chooser.SetFiles(all)
		},
	})
}

const (
	installTime = 2 * time.Second        // the longest wait for all pages to get the script; a busy page gets it later
	tellTime    = 500 * time.Millisecond // the longest wait for all pages to run a script
)

// installPrompts makes every document of the connection's pages run the prompts script, both the
// present documents and future ones.
func (conn *connection) installPrompts(p *prompts.Prompts) error {
	script, err := conn.promptsInstaller(p)
	if err != nil {
		return err
	}
	conn.promptsScript = script
	err = conn.waitBriefly(installTime, func() error {
		err := conn.context.ExposeBinding(promptsBinding, func(source *playwright.BindingSource, args ...any) any {
			if len(args) != 1 {
				return nil
			}
			text, _ := args[0].(string)
			conn.spawn(func() { conn.respond(p, source.Frame, text) })
			return nil
		})
		if err != nil {
			return err
		}
		return conn.context.AddInitScript(playwright.Script{Content: &script})
	})
	conn.runInFrames(script, conn.context.Pages()...)
	return err
}

// waitBriefly makes a call to Playwright to which all pages must respond. If a busy page delays the
// call for longer than limit, waitBriefly returns nil, and the call goes on.
func (conn *connection) waitBriefly(limit time.Duration, call func() error) error {
	done := make(chan error, 1)
	conn.spawn(func() { done <- call() })
	select {
	case err := <-done:
		return err
	case <-time.After(limit):
		return nil
	}
}

// originOf returns the origin of a URL, or "" if the URL has no host. Replies contain a record of
// each request, and this record must contain no other part of the page's URL.
func originOf(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// runInFrames runs a script in every frame of the pages, and waits up to tellTime until all
// frames have run it. A busy page runs it later.
func (conn *connection) runInFrames(script string, pages ...playwright.Page) {
	var frames []playwright.Frame
	for _, p := range pages {
		frames = append(frames, p.Frames()...)
	}
	told := make(chan struct{}, len(frames))
	for _, frame := range frames {
		conn.spawn(func() {
			_, _ = frame.Evaluate(script) // the frame may be gone, and then it needs no script
			told <- struct{}{}
		})
	}
	timer := time.NewTimer(tellTime)
	defer timer.Stop()
	for range frames {
		select {
		case <-told:
		case <-timer.C:
			return
		}
	}
}

// CleanupScript restores the browser's own functions in a page, and removes the global variables
// that Playwright has added. In a page that has neither our functions nor these variables, it does
// nothing.
const CleanupScript = "globalThis[Symbol.for('abrowser.asks')]?.restore(); " +
	"delete globalThis.__playwright__binding__; delete globalThis.__playwright__binding__controller__"

// Restore restores the browser's own functions in the pages.
func (conn *connection) Restore() { conn.runInFrames(CleanupScript, conn.context.Pages()...) }

// refreshPrompts replaces the prompts script in the pages after a policy has changed. The daemon
// makes other decisions when a page requests them, so they follow the new policy. But a page can
// read Notification.permission without a request, so its value is part of the script.
func (conn *connection) refreshPrompts(p *prompts.Prompts) error {
	script, err := conn.promptsInstaller(p)
	if err != nil {
		return err
	}
	conn.mu.Lock()
	same := script == conn.promptsScript
	conn.promptsScript = script
	conn.mu.Unlock()
	if same || conn.isLost() {
		return nil
	}
	err = conn.waitBriefly(tellTime, func() error { return conn.context.AddInitScript(playwright.Script{Content: &script}) })
	conn.runInFrames(script, conn.context.Pages()...)
	return err
}
