package daemon

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/abrowser/abrowser/daemon/web/cdp"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// value is what a script came to.
type value struct {
	json           json.RawMessage
	unserializable string
	function       bool
	object         bool
}

// evaluate runs a script in the page's main frame and awaits a promise. A value that is
// an object is turned into JSON in the page.
func (t *turn) evaluate(ctx context.Context, p *page, code string) (value, error) {
	result, err := t.script(ctx, p, "Runtime.evaluate", map[string]any{
		"expression": code, "awaitPromise": true, "userGesture": true, "replMode": true,
	})
	if err == nil && result.Subtype == "promise" && result.ObjectID != "" {
		// In this mode an await is awaited, but not a promise that is the value.
		result, err = t.script(ctx, p, "Runtime.awaitPromise", map[string]any{"promiseObjectId": result.ObjectID})
	}
	switch {
	case err != nil:
		return value{}, err
	case result.ObjectID == "":
		if len(result.Value) == 0 {
			result.Value = json.RawMessage("null")
		}
		return value{json: result.Value, unserializable: result.Unserializable}, nil
	case result.Type == "function":
		return value{json: json.RawMessage("null"), function: true}, nil
	}
	result, err = t.script(ctx, p, "Runtime.callFunctionOn", map[string]any{
		"objectId": result.ObjectID, "functionDeclaration": "function() { return JSON.stringify(this) }", "returnByValue": true,
	})
	var text string
	if err != nil || result.Type != "string" || json.Unmarshal(result.Value, &text) != nil {
		return value{json: json.RawMessage("null"), object: true}, err
	}
	return value{json: json.RawMessage(text), object: true}, nil
}

// script sends a script to the page and waits for its value. When ctx ends first,
// the script is stopped, and its session is given up so that nothing of it is
// awaited any more.
func (t *turn) script(ctx context.Context, p *page, method string, params map[string]any) (cdp.RemoteObject, error) {
	var out cdp.Evaluation
	c, err := p.channel(ctx)
	if err == nil {
		t.ahead = true
		err = c.call(ctx, method, params, &out)
	}
	var refused *cdp.Error
	switch {
	case err == nil:
		t.direct = true
		return out.Result, out.Thrown()
	case c == nil, errors.Is(err, wire.CodeBrowserGone): // it was not asked
		return cdp.RemoteObject{}, coded(err)
	case errors.Is(err, errLost):
		return cdp.RemoteObject{}, wire.Errorf(wire.CodeResultUnknown, "the browser went away while the script ran").WithHint("abrowser status")
	case isMoved(err):
		return cdp.RemoteObject{}, wire.Errorf(wire.CodeResultUnknown, "the page navigated while the script ran").WithHint(hintSnapshot)
	case errors.As(err, &refused):
		if refused.IsNoSession() {
			p.drop(c)
		}
		return cdp.RemoteObject{}, coded(err)
	case errors.Is(err, wire.CodePageCrashed):
		return cdp.RemoteObject{}, wire.Errorf(wire.CodePageCrashed, "the page crashed while the script ran").WithHint("abrowser open")
	case errors.Is(err, wire.CodePageClosed):
		return cdp.RemoteObject{}, wire.Errorf(wire.CodePageClosed, "the page was closed while the script ran").WithHint(hintTabs)
	case ctx.Err() != nil:
		t.stopScript(ctx, p, c)
	}
	return cdp.RemoteObject{}, err
}

// awaitPage waits until the page answers at all. A script that was sent to a busy page
// may begin when nothing waits for it any more; until then nothing is done.
func (t *turn) awaitPage(ctx context.Context, p *page) error {
	c, err := p.channel(ctx)
	if err == nil {
		err = c.call(ctx, "Runtime.evaluate", map[string]any{"expression": "0"}, nil)
	}
	var refused *cdp.Error
	switch {
	case err == nil, isMoved(err):
		return nil
	case errors.Is(err, errLost):
		return goneError()
	case c != nil && errors.As(err, &refused) && refused.IsNoSession():
		p.drop(c)
	}
	return coded(err)
}

// stopScript stops the script that runs and gives its session up.
func (t *turn) stopScript(ctx context.Context, p *page, c *channel) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := c.call(ctx, "Runtime.terminateExecution", nil, nil); err != nil {
		t.log.Warn("stopping a script", "error", err)
	}
	p.drop(c)
}

func (t *turn) eval(ctx context.Context, in verbs.EvalIn) (verbs.EvalOut, error) {
	code := in.Script
	if in.Base64 {
		raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(code))
		if err != nil {
			return verbs.EvalOut{}, wire.Errorf(wire.CodeBadInput, "the script is not base64").WithHint("base64 < script.js | abrowser eval -b --stdin")
		}
		code = string(raw)
	}
	if strings.TrimSpace(code) == "" {
		return verbs.EvalOut{}, wire.Errorf(wire.CodeBadInput, "the script is empty").WithHint("abrowser eval document.title")
	}
	ctx, cancel, err := t.within(ctx, in.Timeout, waitTime)
	if err != nil {
		return verbs.EvalOut{}, err
	}
	defer cancel()
	p, err := t.current(ctx)
	if err != nil {
		return verbs.EvalOut{}, err
	}
	if strings.Contains(strings.ToLower(code), "cookie") {
		p.mayLogIn(ctx)
	}
	if err := t.awaitPage(ctx, p); err != nil {
		return verbs.EvalOut{}, err
	}
	if t.isLeft(ctx) {
		return verbs.EvalOut{}, ended(ctx)
	}
	t.begun = true
	origin := p.URL()
	v, err := t.evaluate(ctx, p, code)
	if err != nil && ctx.Err() != nil && errors.Is(ended(ctx), wire.CodeTimeout) {
		err = wire.Errorf(wire.CodeResultUnknown, "script not done in time: it was stopped, and what it did until then stays").
			WithHint("--timeout takes more milliseconds")
	}
	if err != nil {
		return verbs.EvalOut{}, err
	}
	return verbs.EvalOut{Result: v.json, Unserializable: v.unserializable, Origin: origin, Effects: t.effects(ctx)}, nil
}
