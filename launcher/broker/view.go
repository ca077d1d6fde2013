package broker

import (
	"cmp"
	"context"
	"time"

	"github.com/abrowser/abrowser/patches"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// viewTime is how long a film of a page goes on after the last request for a picture has ended.
const viewTime = 3 * time.Second

// viewer has the newest picture of a page that a person looks at. Its fields belong to the mux's
// goroutine.
type viewer struct {
	target  string
	size    int
	last    verbs.View
	next    func()        // lets the browser take the next picture; nil if it takes one
	changed chan struct{} // closed at the next picture
	asked   time.Time     // when the last request came, or when it ceased to wait
	waiting int           // requests that wait for the next picture
	film    bool          // a program asks again and again
}

// serveView returns a picture of a page. It is not served on the mux's goroutine, because it waits.
func (b *broker) serveView(ctx context.Context, _ *wire.Call, in verbs.ViewIn) (verbs.View, error) {
	limited, cancel := context.WithTimeout(ctx, time.Duration(in.Wait)*time.Millisecond)
	defer cancel()
	for {
		var out verbs.View
		var v *viewer
		var changed chan struct{}
		var refusal error
		err := b.do(ctx, func() {
			if out, v, refusal = b.look(in); refusal == nil && out.Number <= in.After {
				changed = v.changed
				v.waiting++
			}
		})
		if err != nil || refusal != nil || changed == nil {
			return out, cmp.Or(err, refusal)
		}
		select {
		case <-changed:
		case <-limited.Done():
		case <-b.done:
		}
		if err := b.do(context.WithoutCancel(ctx), func() { v.waiting, v.asked = v.waiting-1, time.Now() }); err != nil {
			return verbs.View{}, err
		}
		if limited.Err() != nil {
			return verbs.View{Number: in.After}, nil
		}
	}
}

// look returns the newest picture of a page and the page's viewer. It starts a view of the page if
// there is none.
func (b *broker) look(in verbs.ViewIn) (verbs.View, *viewer, error) {
	target, err := b.targetOf(in.Session, in.Tab)
	if err != nil {
		return verbs.View{}, nil, err
	}
	v := b.viewers[target]
	if v == nil || v.size < in.Width {
		was := v
		v = &viewer{target: target, size: in.Width, changed: make(chan struct{}), film: was != nil && was.film}
		if !b.mux.StartView(target, in.Width, func(f patches.Frame) { b.showFrame(v, f) }) {
			return verbs.View{}, nil, wire.Errorf(wire.CodePageCrashed, "tab %s of session %s cannot be shown now", in.Tab, in.Session)
		}
		if was != nil {
			v.last.Number = was.last.Number
			close(was.changed)
		}
		b.viewers[target] = v
	}
	v.asked, v.film = time.Now(), v.film || !in.Once
	out := v.last
	if len(out.JPEG) == 0 {
		out.Number = 0
	}
	if v.next != nil && out.Number <= in.After {
		v.next()
		v.next = nil
	}
	return out, v, nil
}

// showFrame stores a picture.
func (b *broker) showFrame(v *viewer, f patches.Frame) {
	v.last = verbs.View{Number: max(v.last.Number+1, time.Now().UnixMicro()), JPEG: f.JPEG, Width: f.Width, Height: f.Height}
	v.next = f.Next
	close(v.changed)
	v.changed = make(chan struct{})
}

// endViews ends the films that nobody looks at.
func (b *broker) endViews() {
	for target, v := range b.viewers {
		if v.waiting > 0 {
			continue
		}
		if time.Since(v.asked) > viewTime || !v.film && len(v.last.JPEG) > 0 {
			delete(b.viewers, target)
			b.mux.StopView(target)
			close(v.changed)
			v.changed = make(chan struct{})
		}
	}
}

// targetOf returns the target id of a session's tab.
func (b *broker) targetOf(session, tab string) (string, error) {
	for _, tn := range b.mux.TenantNamed(session) {
		for _, page := range tn.Pages {
			if tabID(page.Number) == tab {
				return page.Target, nil
			}
		}
	}
	return "", wire.Errorf(wire.CodeNotFound, "session %s has no tab %s", session, tab).WithHint("abrowser tabs")
}

// inputMethods are the CDP methods by which a person uses a page.
func inputMethods() map[string]bool {
	return map[string]bool{
		"Input.dispatchMouseEvent": true, "Input.dispatchKeyEvent": true, "Input.insertText": true, "Input.imeSetComposition": true,
		"Page.bringToFront": true, "Page.navigate": true, "Page.reload": true, "Page.getNavigationHistory": true, "Page.navigateToHistoryEntry": true,
	}
}

// serveInput passes a person's input to a page.
func (b *broker) serveInput(ctx context.Context, _ *wire.Call, in verbs.InputIn) (verbs.InputOut, error) {
	if !inputMethods()[in.Method] {
		return verbs.InputOut{}, wire.Errorf(wire.CodeBadInput, "%s is not a person's input", in.Method)
	}
	type reply struct {
		result []byte
		err    error
	}
	r, err := await(ctx, b, func(done func(reply)) {
		target, err := b.targetOf(in.Session, in.Tab)
		if err != nil {
			done(reply{err: err})
			return
		}
		if !b.mux.CallPage(target, in.Method, []byte(in.Params), func(result []byte, err error) { done(reply{result, err}) }) {
			done(reply{err: wire.Errorf(wire.CodePageCrashed, "tab %s of session %s takes no input now", in.Tab, in.Session)})
		}
	})
	return verbs.InputOut{Result: r.result}, cmp.Or(err, r.err)
}

// serveCloseTab closes a tab for a person.
func (b *broker) serveCloseTab(ctx context.Context, _ *wire.Call, in verbs.CloseTabIn) (verbs.Empty, error) {
	b.keepPicture(ctx, in.Session, in.Tab)
	refusal, err := await(ctx, b, func(done func(error)) {
		target, err := b.targetOf(in.Session, in.Tab)
		if err != nil {
			done(err)
			return
		}
		b.mux.CloseTab(target, pruneTime, func() { done(nil) })
	})
	return verbs.Empty{}, cmp.Or(err, refusal)
}
