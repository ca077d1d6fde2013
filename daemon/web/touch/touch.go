// Package touch serves swipes: it sends the movement of a finger to a page. Touches of an element
// are actions of package web, since they wait for the element.
//
// The package sends CDP commands to a page and does not use Playwright. Package web calls it.
package touch

import (
	"context"
	"time"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/direct"
	"github.com/abrowser/abrowser/sockets/verbs"
)

const (
	interval = 16 * time.Millisecond // between two events; about one frame
	moves    = 8
	// The finger stays at the end for longer than Chromium looks back to measure its speed, which is
	// 100 ms. The page then scrolls as far as the finger has moved: its momentum would depend on how
	// busy the machine is. All events together take less than 300 ms, because after that pages no longer
	// take the movement for a swipe.
	rests = 8
)

// Swipe moves a finger across the middle of the page in a direction. The middle of the movement is
// the middle of the page, so the movement begins and ends in the page if the page is large enough.
// The page scrolls about as far as the finger moves.
func Swipe(ctx context.Context, p *direct.Page, in verbs.SwipeIn) (verbs.SwipeOut, error) {
	var layout struct {
		Viewport struct{ ClientWidth, ClientHeight float64 } `json:"cssVisualViewport"`
	}
	if err := p.Send("Page.getLayoutMetrics", nil, &layout); err != nil {
		return verbs.SwipeOut{}, err
	}
	dx, dy := map[string]float64{"left": -1, "right": 1}[in.Direction], map[string]float64{"up": -1, "down": 1}[in.Direction]
	at := func(part float64) []map[string]any { // part goes from -0.5 to 0.5
		x := layout.Viewport.ClientWidth/2 + dx*part*float64(in.Distance)
		y := layout.Viewport.ClientHeight/2 + dy*part*float64(in.Distance)
		return []map[string]any{{"x": x, "y": y}}
	}
	touch := func(kind string, points []map[string]any) error {
		return p.Send("Input.dispatchTouchEvent", map[string]any{"type": kind, "touchPoints": points}, nil)
	}
	p.Begun = true
	if err := touch("touchStart", at(-0.5)); err != nil {
		return verbs.SwipeOut{}, err
	}
	for i := 1; i <= moves+rests; i++ {
		daemon.Sleep(ctx, interval)
		if err := touch("touchMove", at(min(1, float64(i)/moves)-0.5)); err != nil {
			return verbs.SwipeOut{}, err
		}
	}
	return verbs.SwipeOut{Swiped: in.Direction}, touch("touchEnd", []map[string]any{})
}
