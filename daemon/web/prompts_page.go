package web

import (
	"net/url"
	"time"

	"github.com/playwright-community/playwright-go"
)

const (
	installTime = 2 * time.Second        // for all pages to have the script: one that is busy has it later
	tellTime    = 500 * time.Millisecond // for pages to be told of something
)

// installPrompts puts the script into every document that the connection's pages have and
// will have.
func (conn *connection) installPrompts(a *prompts) error {
	script, err := a.script()
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
			conn.spawn(func() { a.respond(conn.lost, source.Frame, text) })
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

// waitBriefly runs a call of Playwright that all pages have to answer, and does not wait
// beyond limit for one that is busy.
func (conn *connection) waitBriefly(limit time.Duration, call func() error) error {
	done := make(chan error, 1)
	conn.spawn(func() { done <- call() })
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
		return nil
	}
}

// originOf is the part of a URL that a record may have.
func originOf(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// runInFrames runs a script in every frame of these pages and waits for it, but not for
// long: a page that is busy runs it later.
func (conn *connection) runInFrames(script string, pages ...playwright.Page) {
	var frames []playwright.Frame
	for _, p := range pages {
		frames = append(frames, p.Frames()...)
	}
	told := make(chan struct{}, len(frames))
	for _, frame := range frames {
		conn.spawn(func() {
			_, _ = frame.Evaluate(script) // a frame that has gone needs it no more
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

// CleanupScript is a script that gives a page the browser's own functions back, and takes off
// what Playwright put there to be asked by. It does nothing in a page that has them.
const CleanupScript = "globalThis[Symbol.for('abrowser.asks')]?.restore(); " +
	"delete globalThis.__playwright__binding__; delete globalThis.__playwright__binding__controller__"

// Restore gives the pages the browser's own functions back.
func (conn *connection) Restore() { conn.runInFrames(CleanupScript, conn.context.Pages()...) }

// refreshPrompts passes on what pages know without asking.
func (conn *connection) refreshPrompts(a *prompts) error {
	script, err := a.script()
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
