package web

import (
	"context"
	"time"

	"github.com/abrowser/abrowser/daemon"
)

const (
	probeTime     = time.Second // how long a working driver or page takes to respond, at most
	slowProbeTime = 5 * time.Second
	slowness      = 20 // how much longer than the driver a working page may take
)

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

// pageTime returns how long a working page takes to respond, at most, if the driver has just taken the
// given time. On a slow machine both take longer.
func pageTime(driver time.Duration) time.Duration {
	return min(max(probeTime, slowness*driver), slowProbeTime)
}

// Diagnose asks the driver and then the page's main thread to respond. The result problem is
// empty if both respond in time, or if there is no page to ask. The driver has to respond before ctx
// ends, and the page within pageTime after the driver.
func (conn *connection) Diagnose(ctx context.Context, target string) (problem, hint string) {
	p := conn.page(target)
	if p == nil || p.isGone() || p.isCrashed() {
		return "", ""
	}
	driven, alive := make(chan time.Duration, 1), make(chan struct{})
	began := time.Now()
	go func() { // ends with the page, at the latest
		_ = daemon.Recover(func() error { // an error is a response
			_, err := p.info()
			driven <- time.Since(began)
			if err == nil {
				_, err = p.cdp.Send("Runtime.evaluate", map[string]any{"expression": "1"})
			}
			close(alive)
			return err
		})
	}()
	var took time.Duration
	select {
	case took = <-driven:
	case <-ctx.Done():
		return "Playwright's driver, or the browser, does not answer", "abrowser close ends the driver; the page stays"
	}
	select {
	case <-alive:
		return "", ""
	case <-time.After(pageTime(took)):
		return "the page does not answer: a script of it runs on and on, or its process is stopped", "abrowser close --page gives the session a fresh page"
	}
}
