package web

import (
	"context"
	"time"

	"github.com/abrowser/abrowser/daemon"
)

// probeTime is how long a working driver takes to respond, at most.
const probeTime = time.Second

// IsPageClosed reports whether Playwright has reported that the page with the given target id was
// closed.
func (conn *connection) IsPageClosed(target string) bool {
	p := conn.page(target)
	return p != nil && p.isClosed()
}

// IsRecovering asks a shared driver about the page with the given target id. It returns true in two
// cases:
//
//   - The driver does not respond within probeTime. Such a driver is replaced.
//   - The call to the driver fails because the page or the connection is gone.
//
// It returns false if the session has a driver of its own, or if conn has no such page.
func (conn *connection) IsRecovering(target string) bool {
	p := conn.page(target)
	if p == nil || !conn.driver.isShared() {
		return false
	}
	answer := make(chan error, 1)
	go func() { // ends with the driver, at the latest
		answer <- daemon.Recover(func() error { _, err := p.info(); return err })
	}()
	select {
	case err := <-answer:
		return isGone(err)
	case <-time.After(probeTime):
		return true
	}
}

// Diagnose asks the driver and then the page's main thread to respond. The result problem is
// empty if both respond before ctx ends, or if there is no page to ask.
func (conn *connection) Diagnose(ctx context.Context, target string) (problem, hint string) {
	p := conn.page(target)
	if p == nil || p.isGone() || p.isCrashed() {
		return "", ""
	}
	driven, alive := make(chan struct{}), make(chan struct{})
	go func() { // ends with the page, at the latest
		_ = daemon.Recover(func() error { // an error is a response
			_, err := p.info()
			close(driven)
			if err == nil {
				_, err = p.cdp.Send("Runtime.evaluate", map[string]any{"expression": "1"})
			}
			close(alive)
			return err
		})
	}()
	select {
	case <-alive:
		return "", ""
	case <-ctx.Done():
	}
	if daemon.IsClosed(driven) {
		return "the page does not answer: a script of it runs on and on, or its process is stopped", "abrowser close --page gives the session a fresh page"
	}
	return "Playwright's driver, or the browser, does not answer", "abrowser close ends the driver; the page stays"
}
