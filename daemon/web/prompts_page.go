package daemon

import (
	"net/url"
	"time"

	"github.com/playwright-community/playwright-go"
)

const (
	installTime = 2 * time.Second        // for all pages to have the script: one that is busy has it later
	tellTime    = 500 * time.Millisecond // for pages to be told of something
)

// guard puts the script into every document that the connection's pages have and
// will have.
func (l *link) guard(a *asks) error {
	script, err := a.install()
	if err != nil {
		return err
	}
	l.script = script
	err = l.briefly(installTime, func() error {
		err := l.context.ExposeBinding(asksBinding, func(source *playwright.BindingSource, args ...any) any {
			if len(args) != 1 {
				return nil
			}
			text, _ := args[0].(string)
			l.hand(func() { a.answer(l.gone, source.Frame, text) })
			return nil
		})
		if err != nil {
			return err
		}
		return l.context.AddInitScript(playwright.Script{Content: &script})
	})
	l.tell(script, l.context.Pages()...)
	return err
}

// briefly runs a call of Playwright that all pages have to answer, and does not wait
// beyond limit for one that is busy.
func (l *link) briefly(limit time.Duration, call func() error) error {
	done := make(chan error, 1)
	l.hand(func() { done <- call() })
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

// tell runs a script in every frame of these pages and waits for it, but not for
// long: a page that is busy runs it later.
func (l *link) tell(script string, pages ...playwright.Page) {
	var frames []playwright.Frame
	for _, p := range pages {
		frames = append(frames, p.Frames()...)
	}
	told := make(chan struct{}, len(frames))
	for _, frame := range frames {
		l.hand(func() {
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

// Farewell is a script that gives a page the browser's own functions back, and takes off
// what Playwright put there to be asked by. It does nothing in a page that has them.
const Farewell = "globalThis[Symbol.for('abrowser.asks')]?.restore(); " +
	"delete globalThis.__playwright__binding__; delete globalThis.__playwright__binding__controller__"

// restore gives the pages the browser's own functions back.
func (l *link) restore() { l.tell(Farewell, l.context.Pages()...) }

// refresh passes on what pages know without asking.
func (l *link) refresh(a *asks) error {
	script, err := a.install()
	if err != nil {
		return err
	}
	l.mu.Lock()
	same := script == l.script
	l.script = script
	l.mu.Unlock()
	if same || l.isGone() {
		return nil
	}
	err = l.briefly(tellTime, func() error { return l.context.AddInitScript(playwright.Script{Content: &script}) })
	l.tell(script, l.context.Pages()...)
	return err
}
