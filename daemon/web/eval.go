package web

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/cdp"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// value is the result of a script.
type value struct {
	json           json.RawMessage
	unserializable string
	function       bool
	object         bool
}

// evaluate runs a script in the page's main frame, and awaits the result if the result is a
// promise. The page converts an object to JSON.
func (c *pageCall) evaluate(ctx context.Context, code string) (value, error) {
	result, err := c.runScript(ctx, "Runtime.evaluate", map[string]any{
		"expression": code, "awaitPromise": true, "userGesture": true, "replMode": true,
	})
	if err == nil && result.Subtype == "promise" && result.ObjectID != "" {
		// With replMode the page awaits the promises for which the script itself uses await, but
		// not a promise that is the script's result.
		result, err = c.runScript(ctx, "Runtime.awaitPromise", map[string]any{"promiseObjectId": result.ObjectID})
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
	result, err = c.runScript(ctx, "Runtime.callFunctionOn", map[string]any{
		"objectId": result.ObjectID, "functionDeclaration": "function() { return JSON.stringify(this) }", "returnByValue": true,
	})
	var text string
	if err != nil || result.Type != "string" || json.Unmarshal(result.Value, &text) != nil {
		return value{json: json.RawMessage("null"), object: true}, err
	}
	return value{json: json.RawMessage(text), object: true}, nil
}

// runScript sends a script to the page and waits for its result. If ctx ends first, runScript
// stops the script and detaches from the CDP session in which it ran, so that nothing waits for
// the script any more.
func (c *pageCall) runScript(ctx context.Context, method string, params map[string]any) (cdp.RemoteObject, error) {
	if c.frame != "" {
		return frameCall{c}.run(ctx, method, params)
	}
	var out cdp.Evaluation
	ps, err := c.page.attachCDP(ctx)
	if err == nil {
		c.aheadOfEvents = true
		err = ps.call(ctx, method, params, &out)
	}
	var refused *cdp.Error
	switch {
	case err == nil:
		c.askedDirectly = true
		return out.Result, out.Thrown()
	case ps == nil, errors.Is(err, wire.CodeBrowserGone): // nothing was sent to the page
		return cdp.RemoteObject{}, codeError(err)
	case errors.Is(err, errLost):
		return cdp.RemoteObject{}, wire.Errorf(wire.CodeResultUnknown, "the browser went away while the script ran").WithHint("abrowser status")
	case isDocumentGone(err):
		return cdp.RemoteObject{}, wire.Errorf(wire.CodeResultUnknown, "the page navigated while the script ran").WithHint(daemon.HintSnapshot)
	case errors.As(err, &refused):
		if refused.IsNoSession() {
			c.page.dropSession(ps)
		}
		return cdp.RemoteObject{}, codeError(err)
	case errors.Is(err, wire.CodePageCrashed):
		return cdp.RemoteObject{}, wire.Errorf(wire.CodePageCrashed, "the page crashed while the script ran").WithHint("abrowser open")
	case errors.Is(err, wire.CodePageClosed):
		return cdp.RemoteObject{}, wire.Errorf(wire.CodePageClosed, "the page was closed while the script ran").WithHint(daemon.HintTabs)
	case ctx.Err() != nil:
		c.stopScript(ctx, ps)
	}
	return cdp.RemoteObject{}, err
}

// awaitPage waits until the page responds. It is called before a script is sent, because a page
// that is busy when it gets the script could start it after the command has ended.
func (c *pageCall) awaitPage(ctx context.Context) error {
	ps, err := c.page.attachCDP(ctx)
	if err == nil {
		err = ps.call(ctx, "Runtime.evaluate", map[string]any{"expression": "0"}, nil)
	}
	var refused *cdp.Error
	switch {
	case err == nil, isDocumentGone(err):
		return nil
	case errors.Is(err, errLost):
		return daemon.ConnectionLostError()
	case ps != nil && errors.As(err, &refused) && refused.IsNoSession():
		c.page.dropSession(ps)
	}
	return codeError(err)
}

// stopScript stops the running script, and detaches from the CDP session in which it runs.
func (c *pageCall) stopScript(ctx context.Context, ps *pageSession) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := ps.call(ctx, "Runtime.terminateExecution", nil, nil); err != nil {
		c.Log.Warn("stopping a script", "error", err)
	}
	c.page.dropSession(ps)
}

// scriptOf returns the script that an eval command runs. It decodes the script if it is in base64.
func scriptOf(in verbs.EvalIn) (string, error) {
	code := in.Script
	if in.Base64 {
		raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(code))
		if err != nil {
			return "", wire.Errorf(wire.CodeBadInput, "the script is not base64").WithHint("base64 < script.js | abrowser eval -b --stdin")
		}
		code = string(raw)
	}
	if strings.TrimSpace(code) == "" {
		return "", wire.Errorf(wire.CodeBadInput, "the script is empty").WithHint("abrowser eval document.title")
	}
	return code, nil
}

func checkScript(in verbs.EvalIn) error {
	_, err := scriptOf(in)
	return err
}

func (c *pageCall) eval(ctx context.Context, in verbs.EvalIn) (verbs.EvalOut, error) {
	code, err := scriptOf(in)
	if err != nil {
		return verbs.EvalOut{}, err
	}
	setsCookies := strings.Contains(strings.ToLower(code), "cookie")
	if setsCookies {
		c.page.mayLogIn(ctx)
	}
	if err := c.awaitPage(ctx); err != nil {
		return verbs.EvalOut{}, err
	}
	if c.IsCallerGone(ctx) {
		return verbs.EvalOut{}, daemon.ContextError(ctx)
	}
	origin := c.page.URL()
	if c.frame != "" {
		if origin, err = (frameCall{c}).await(ctx); err != nil {
			return verbs.EvalOut{}, err
		}
	}
	c.Begun = true
	v, err := c.evaluate(ctx, code)
	if err != nil && ctx.Err() != nil && errors.Is(daemon.ContextError(ctx), wire.CodeTimeout) {
		err = wire.Errorf(wire.CodeResultUnknown, "script not done in time: it was stopped, and what it did until then stays").
			WithHint("--timeout takes more milliseconds")
	}
	if err != nil {
		return verbs.EvalOut{}, wire.WithDefaultHint(err, "correct the script; abrowser eval --stdin takes it from standard input, without quotes for the shell")
	}
	if setsCookies {
		c.awaitCookies(ctx)
	}
	return verbs.EvalOut{Result: v.json, Unserializable: v.unserializable, Origin: origin, Effects: c.effects(ctx)}, nil
}
