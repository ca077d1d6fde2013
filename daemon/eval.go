package daemon

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// value is what a script came to.
type value struct {
	json           json.RawMessage
	unserializable string
	function       bool
	object         bool
}

// evaluate runs a script in the page's main frame and awaits a promise. It does
// not go through Playwright's own evaluate, which cannot be cancelled. A value
// that is an object is turned into JSON in the page: playwright-go takes every
// object with a member "guid" for one of its own.
func (t *turn) evaluate(ctx context.Context, p *page, code string) (value, error) {
	answer, err := t.send(ctx, p, "Runtime.evaluate", map[string]any{
		"expression": code, "awaitPromise": true, "userGesture": true, "replMode": true,
	})
	if err != nil {
		return value{}, err
	}
	result := evaluated(answer)
	id, isObject := result["objectId"].(string)
	if !isObject {
		return primitive(result)
	}
	if result["subtype"] == "promise" {
		// In this mode an await is awaited, but not a promise that is the value.
		answer, err = t.send(ctx, p, "Runtime.awaitPromise", map[string]any{"promiseObjectId": id})
		if err != nil {
			return value{}, err
		}
		result = evaluated(answer)
		if id, isObject = result["objectId"].(string); !isObject {
			return primitive(result)
		}
	}
	if result["type"] == "function" {
		return value{json: json.RawMessage("null"), function: true}, nil
	}
	answer, err = t.send(ctx, p, "Runtime.callFunctionOn", map[string]any{
		"objectId": id, "functionDeclaration": "function() { return JSON.stringify(this) }", "returnByValue": true,
	})
	if err != nil {
		return value{}, err
	}
	text, ok := evaluated(answer)["value"].(string)
	if !ok {
		return value{json: json.RawMessage("null"), object: true}, nil
	}
	return value{json: json.RawMessage(text), object: true}, nil
}

// send sends a script to the page and waits for its value. When ctx ends first,
// the script is stopped, and its session is given up so that nothing of it is
// awaited any more.
func (t *turn) send(ctx context.Context, p *page, method string, params map[string]any) (any, error) {
	type reply struct {
		answer any
		err    error
	}
	got := make(chan reply, 1)
	p.link.hand(func() {
		var r reply
		cdp, err := p.session()
		if r.err = err; err == nil {
			r.answer, r.err = cdp.Send(method, params)
		}
		got <- r
	})
	var r reply
	select {
	case r = <-got:
	case <-p.link.gone:
		return nil, scriptLost()
	case <-p.crash: // Chromium does not always answer then
		return nil, wire.Errorf(wire.CodePageCrashed, "the page crashed while the script ran").WithHint("abrowser open")
	case <-p.gone:
		// Of a connection that is lost the pages end first.
		select {
		case <-p.link.gone:
			return nil, scriptLost()
		case <-time.After(lostTime):
		}
		return nil, wire.Errorf(wire.CodePageClosed, "the page was closed while the script ran").WithHint(hintTabs)
	case <-ctx.Done():
		err := t.watch(time.Second, p.stopScript)
		if err != nil {
			t.log.Warn("stopping a script", "error", firstLine(briefly(err)))
		}
		return nil, ended(ctx)
	}
	if isMoved(r.err) {
		return nil, wire.Errorf(wire.CodeResultUnknown, "the page navigated while the script ran").WithHint(hintSnapshot)
	}
	if r.err != nil {
		t.noticed(r.err)
		if isGone(r.err) && !neverSent(r.err) {
			return nil, scriptLost()
		}
		return nil, coded(r.err)
	}
	return r.answer, thrown(r.answer)
}

func scriptLost() error {
	return wire.Errorf(wire.CodeResultUnknown, "the browser went away while the script ran").WithHint("abrowser status")
}

// evaluated is the value in an answer of the Runtime domain.
func evaluated(answer any) map[string]any {
	members, _ := answer.(map[string]any)
	result, _ := members["result"].(map[string]any)
	return result
}

// thrown is the exception in an answer of the Runtime domain.
func thrown(answer any) error {
	members, _ := answer.(map[string]any)
	details, ok := members["exceptionDetails"].(map[string]any)
	if !ok {
		return nil
	}
	text, _ := details["text"].(string)
	if exception, ok := details["exception"].(map[string]any); ok {
		if described, ok := exception["description"].(string); ok {
			text = described
		} else if raw, err := json.Marshal(exception["value"]); err == nil {
			text = "Uncaught " + string(raw)
		}
	}
	return wire.Errorf(wire.CodeEvaluation, "%s", strings.TrimSpace(text))
}

// primitive is a value that is no object.
func primitive(result map[string]any) (value, error) {
	if text, ok := result["unserializableValue"].(string); ok {
		return value{json: json.RawMessage("null"), unserializable: text}, nil
	}
	raw, err := json.Marshal(result["value"])
	return value{json: raw}, err
}

func (t *turn) eval(ctx context.Context, in wire.EvalIn) (wire.EvalOut, error) {
	code := in.Script
	if in.Base64 {
		raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(code))
		if err != nil {
			return wire.EvalOut{}, wire.Errorf(wire.CodeBadInput, "the script is not base64").WithHint("base64 < script.js | abrowser eval -b --stdin")
		}
		code = string(raw)
	}
	if strings.TrimSpace(code) == "" {
		return wire.EvalOut{}, wire.Errorf(wire.CodeBadInput, "the script is empty").WithHint("abrowser eval document.title")
	}
	ctx, cancel, err := t.within(ctx, in.Timeout, waitTime)
	if err != nil {
		return wire.EvalOut{}, err
	}
	defer cancel()
	p, err := t.current(ctx)
	if err != nil {
		return wire.EvalOut{}, err
	}
	origin := p.URL()
	v, err := t.evaluate(ctx, p, code)
	if err != nil {
		return wire.EvalOut{}, err
	}
	return wire.EvalOut{Result: v.json, Unserializable: v.unserializable, Origin: origin, Effects: t.effects(ctx)}, nil
}
