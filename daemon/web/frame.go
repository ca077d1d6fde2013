package web

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/aria"
	"github.com/abrowser/abrowser/daemon/web/cdp"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// A session can choose a frame. Its commands then find their elements and run their scripts in this
// frame. frames.js of launcher/driver resolves selectors in it. A ref is valid in every frame.

// inFrame returns the selector by which Playwright finds sel in the session's frame, or in the main
// frame if the session has chosen no frame.
func (c *call) inFrame(sel selector) string { return c.frame + sel.query }

// frameDocument returns the document of the session's frame as an element to act on.
func (c *call) frameDocument() target {
	sel := selector{given: "the frame's document", query: "html"}
	return target{sel: sel, query: c.inFrame(sel)}
}

// enterFrame makes the command act in the frame that the session has chosen, if the frame is in the
// active tab. It returns an error if the frame is gone. A command that names a tab acts in the main
// frame.
func (c *pageCall) enterFrame(ctx context.Context) error {
	f := c.State.Get().Frame
	if f.ID == "" || c.Tab != "" || f.Tab != c.Tabs.Active().TabID {
		return nil
	}
	c.frame = "abrowser-frame=" + f.ID + " >> "
	_, err := frameCall{c}.ask(ctx, "", nil)
	return err
}

// captureFrame returns the snapshot of the session's frame, or of the whole page if the session has
// chosen no frame.
func (c *pageCall) captureFrame(ctx context.Context) (*aria.Node, error) {
	if c.frame == "" {
		return c.capture(ctx)
	}
	return frameCall{c}.capture(ctx)
}

// frameCall is a command in the frame that the session has chosen.
type frameCall struct{ *pageCall }

// frameAnswer is the driver's response to Abrowser.inFrame.
type frameAnswer struct {
	Gone   bool           `json:"gone"`
	URL    string         `json:"url"`
	Result cdp.Evaluation `json:"result"`
}

// ask sends a CDP command to the process of the session's frame. If method is empty, ask only gets
// the frame's URL.
func (c frameCall) ask(ctx context.Context, method string, params map[string]any) (frameAnswer, error) {
	ask := map[string]any{"target": c.page.target, "frame": c.State.Get().Frame.ID, "method": method, "params": params}
	given, err := askAside(ctx, c.page.conn, func() (any, error) { return c.page.cdp.Send("Abrowser.inFrame", ask) })
	var out frameAnswer
	if err != nil {
		return out, err
	}
	raw, err := json.Marshal(given)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if out.Gone {
		return out, c.frameGone()
	}
	return out, err
}

func (c *call) frameGone() error {
	return wire.Errorf(wire.CodeNotFound, "the frame %s is gone", c.State.Get().Frame.Label).WithHint("abrowser frame main")
}

// run runs a script in the session's frame. It does for a frame what runScript does for a page.
func (c frameCall) run(ctx context.Context, method string, params map[string]any) (cdp.RemoteObject, error) {
	c.aheadOfEvents = true
	out, err := c.ask(ctx, method, params)
	switch {
	case err == nil:
		return out.Result.Result, out.Result.Thrown()
	case errors.Is(err, wire.CodeNotFound):
		return cdp.RemoteObject{}, err
	case isDocumentGone(err):
		return cdp.RemoteObject{}, wire.Errorf(wire.CodeResultUnknown, "the frame navigated while the script ran").WithHint(daemon.HintSnapshot)
	case ctx.Err() != nil:
		short, cancel := context.WithTimeout(context.WithoutCancel(ctx), firstTry)
		defer cancel()
		if _, err := c.ask(short, "Runtime.terminateExecution", nil); err != nil {
			c.Log.Warn("stopping a script", "error", err)
		}
		return cdp.RemoteObject{}, err
	}
	return cdp.RemoteObject{}, codeError(err)
}

// await waits until the frame responds, and returns its URL. It is called before a script is sent,
// for the same reason as [pageCall.awaitPage].
func (c frameCall) await(ctx context.Context) (string, error) {
	if _, err := c.ask(ctx, "Runtime.evaluate", map[string]any{"expression": "0"}); err != nil && !isDocumentGone(err) {
		return "", codeError(err)
	}
	out, err := c.ask(ctx, "", nil)
	return out.URL, err
}

// capture returns the snapshot of the frame.
func (c frameCall) capture(ctx context.Context) (*aria.Node, error) {
	if err := c.responds(ctx, func(ctx context.Context) error { _, err := c.await(ctx); return err }); err != nil {
		return nil, err
	}
	return c.ariaSnapshot(ctx, func(limit *float64) (string, error) {
		return c.page.Locator(c.frameDocument().query).AriaSnapshot(playwright.LocatorAriaSnapshotOptions{Mode: playwright.AriaSnapshotModeAi, Timeout: limit})
	})
}

// frameFound is a frame that the driver has found.
type frameFound struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// frameName matches the name of a frame, as opposed to a selector.
const frameName = `^[A-Za-z_][\w-]*$`

// selectFrame makes the session act in a frame. The frame is given by a selector, by a ref or by
// the frame's name.
func (c *pageCall) selectFrame(ctx context.Context, in verbs.FrameIn) (verbs.FrameOut, error) {
	at, err := c.aim(in.Selector)
	if err != nil {
		return verbs.FrameOut{}, err
	}
	if named, err := regexp.MatchString(frameName, in.Selector); err == nil && named && at.sel.ref == 0 {
		at.query = c.frame + strings.ReplaceAll(`iframe[name="?"], frame[name="?"], ?`, "?", in.Selector)
	}
	done, err := c.performInDriver(ctx, at, action{name: "frame", verb: "frame"})
	if err != nil {
		return verbs.FrameOut{}, err
	}
	out := verbs.FrameOut{Frame: in.Selector}
	if done.frame.Name != "" {
		out.Frame = done.frame.Name
	}
	tab := c.Tabs.Active().TabID
	return out, c.State.Change(func(s *daemon.State) { s.Frame = daemon.Frame{Tab: tab, ID: done.frame.ID, Label: in.Selector} })
}

// mainFrame makes the session act in the main frame.
func (c *call) mainFrame(context.Context, verbs.Empty) (verbs.FrameOut, error) {
	return verbs.FrameOut{Frame: "main"}, c.leaveFrame()
}

// leaveFrame makes the session act in the main frame again. Commands that open a URL or change the
// active tab call it, too.
func (c *call) leaveFrame() error {
	if c.State.Get().Frame == (daemon.Frame{}) {
		return nil
	}
	return c.State.Change(func(s *daemon.State) { s.Frame = daemon.Frame{} })
}
