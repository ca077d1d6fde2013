package web

import (
	"context"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"
)

// renewedPage is a page that simulates a change of its document: the test changes the time at which
// the document began.
type renewedPage struct {
	playwright.Page
	began float64
	asked int // how often an element was asked for the name of its document
}

func (p *renewedPage) Locator(string, ...playwright.PageLocatorOptions) playwright.Locator {
	return renewedElement{page: p}
}

type locator playwright.Locator

type renewedElement struct {
	locator
	page *renewedPage
}

func (e renewedElement) Evaluate(string, any, ...playwright.LocatorEvaluateOptions) (any, error) {
	e.page.asked++
	return e.page.began, nil
}

// A document's name that was read before a capture is valid for the capture, unless the page has
// navigated in between.
func TestDocumentReadBefore(t *testing.T) {
	t.Parallel()
	inQueue(t, func(_ context.Context, c *call) { documentReadBefore(t, c) })
}

func documentReadBefore(t *testing.T, c *call) {
	at := &renewedPage{began: 1}
	p := &page{Page: at}
	told := func() { p.commits.Add(1) }
	p.clock = func(time.Duration) (any, error) { return at.began, nil }
	for _, step := range []struct {
		name            string
		began           float64
		before, between func()
		want            string
		asked           int
	}{
		{"as read", 1, nil, nil, "@1", 0},
		{"once more", 1, nil, nil, "@1", 0},
		{"loaded anew while it is captured", 2, nil, told, "@2", 1},
		{"the new one again", 2, nil, nil, "@2", 1},
		{"loaded anew before", 3, told, nil, "@3", 1},
		{"loaded anew before, reported later", 4, func() { told(); at.began = 4 }, told, "@4", 2},
	} {
		if at.began = step.began; step.before != nil {
			step.before()
		}
		_, _ = c.on(p).documentNow(t.Context())
		if step.between != nil {
			step.between()
		}
		got, err := c.on(p).documentOf(t.Context(), "e1")
		if err != nil || got != step.want || at.asked != step.asked {
			t.Errorf("%s: %q, %v, %d elements asked, want %q, %d", step.name, got, err, at.asked, step.want, step.asked)
		}
	}
}
