package daemon

import (
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"
)

// renewedPage has another document than its last event said: Playwright tells of a
// navigation when it can, which may be after the next answer.
type renewedPage struct {
	playwright.Page
	began float64
	asked int // elements, for their document
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

// A document that was read before a capture is that of the capture only where it is
// still there afterwards.
func TestDocumentReadBefore(t *testing.T) {
	s := &Session{}
	_, slot, err := s.lane.enter(t.Context(), "snapshot")
	if err != nil {
		t.Fatal(err)
	}
	defer slot.leave()
	act, at := &turn{Session: s, slot: slot}, &renewedPage{began: 1}
	p := &page{Page: at, clock: func(time.Duration) (any, error) { return at.began, nil }}
	act.foresee(t.Context(), p)
	for _, step := range []struct {
		name  string
		began float64
		want  string
		asked int
	}{{"as read", 1, "@1", 0}, {"loaded anew", 2, "@2", 1}, {"the new one again", 2, "@2", 1}} {
		at.began = step.began
		got, err := act.documentOf(t.Context(), p, "e1")
		if err != nil || got != step.want || at.asked != step.asked {
			t.Errorf("%s: %q, %v, %d elements asked, want %q, %d", step.name, got, err, at.asked, step.want, step.asked)
		}
	}
}
