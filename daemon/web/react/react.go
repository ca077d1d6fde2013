// Package react shows the React components of a page. Its script runs in the page's own world, and
// sends CDP commands to the page. It has no library of React: the links from elements to components
// are few, and have stayed the same from React 16.14 to 19.
package react

import (
	"context"
	_ "embed" // for the script
	"encoding/json"
	"fmt"

	"github.com/abrowser/abrowser/daemon/web/direct"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

//go:embed react.js
var script string

// React shows the components of a session's pages.
type React struct {
	// scripts are the ids of the scripts that count renders in each document, by target. Only the
	// command whose turn it is uses them.
	scripts map[string]string
}

// New returns a React for a session.
func New() *React { return &React{scripts: map[string]string{}} }

// Tree lists the page's components.
func (*React) Tree(_ context.Context, at *direct.Page, in verbs.ReactTreeIn) (verbs.ReactTreeOut, error) {
	var out struct {
		verbs.ReactTreeOut
		Roots int
	}
	if err := run(at, "tree", map[string]any{"depth": in.Depth}, &out); err != nil {
		return verbs.ReactTreeOut{}, err
	}
	if out.Roots == 0 {
		return verbs.ReactTreeOut{}, noReactError()
	}
	return out.ReactTreeOut, nil
}

// Inspect shows one component.
func (*React) Inspect(_ context.Context, at *direct.Page, in verbs.ReactInspectIn) (verbs.ReactInspectOut, error) {
	var out struct {
		verbs.ReactInspectOut
		Missing bool
	}
	if err := run(at, "inspect", map[string]any{"id": in.ID}, &out); err != nil {
		return verbs.ReactInspectOut{}, err
	}
	if out.Missing {
		return verbs.ReactInspectOut{}, wire.Errorf(wire.CodeNotFound, "the page has no component %s", in.ID).WithHint("abrowser react tree")
	}
	return out.ReactInspectOut, nil
}

// Suspense lists the page's boundaries of Suspense.
func (*React) Suspense(_ context.Context, at *direct.Page, in verbs.ReactSuspenseIn) (verbs.ReactSuspenseOut, error) {
	var out struct {
		verbs.ReactSuspenseOut
		Roots int
	}
	if err := run(at, "suspense", map[string]any{"onlyDynamic": in.OnlyDynamic}, &out); err != nil {
		return verbs.ReactSuspenseOut{}, err
	}
	if out.Roots == 0 {
		return verbs.ReactSuspenseOut{}, noReactError()
	}
	return out.ReactSuspenseOut, nil
}

// StartRenders begins to count how often each component is rendered, in this document and in those
// that the tab loads after it.
func (r *React) StartRenders(_ context.Context, at *direct.Page, _ verbs.ReactRendersIn) (verbs.ReactRendersStartOut, error) {
	var out struct{ Late bool }
	if err := run(at, "start", nil, &out); err != nil {
		return verbs.ReactRendersStartOut{}, err
	}
	if r.scripts[at.Target] == "" {
		var added struct{ Identifier string }
		if err := at.Send("Page.enable", nil, nil); err != nil {
			return verbs.ReactRendersStartOut{}, err
		}
		if err := at.Send("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": call("start", "{}")}, &added); err != nil {
			return verbs.ReactRendersStartOut{}, err
		}
		r.scripts[at.Target] = added.Identifier
	}
	if out.Late {
		at.Warn("React was loaded before the counting began, and reports nothing until the page is loaded again: abrowser reload")
	}
	return verbs.ReactRendersStartOut{Started: true}, nil
}

// StopRenders ends the counting, and returns what was counted in this document.
func (r *React) StopRenders(_ context.Context, at *direct.Page, _ verbs.ReactRendersIn) (verbs.ReactRendersStopOut, error) {
	id := r.scripts[at.Target]
	if id == "" {
		return verbs.ReactRendersStopOut{}, wire.Errorf(wire.CodeBadInput, "the renders of this tab are not being counted").WithHint("abrowser react renders start")
	}
	out := verbs.ReactRendersStopOut{Components: []verbs.ReactRenders{}}
	if err := run(at, "stop", nil, &out); err != nil {
		return verbs.ReactRendersStopOut{}, err
	}
	delete(r.scripts, at.Target)
	_ = at.Send("Page.removeScriptToEvaluateOnNewDocument", map[string]any{"identifier": id}, nil) // ends with the page's session anyway
	_ = at.Send("Page.disable", nil, nil)
	return out, nil
}

func noReactError() error {
	return wire.Errorf(wire.CodeNotFound, "the page has no React components; frames and shadow roots are not searched").WithHint("abrowser snapshot")
}

// call returns an expression that calls the script with a command and its arguments, which are JSON.
func call(command, args string) string { return fmt.Sprintf("(%s)(%q, %s)", script, command, args) }

// run runs the script in the page, and decodes its result into out.
func run(at *direct.Page, command string, args map[string]any, out any) error {
	if args == nil {
		args = map[string]any{}
	}
	given, err := json.Marshal(args)
	if err != nil {
		return err
	}
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct{ Exception struct{ Description string } }
	}
	if err := at.Send("Runtime.evaluate", map[string]any{"expression": call(command, string(given)), "returnByValue": true}, &answer); err != nil {
		return err
	}
	if answer.ExceptionDetails != nil {
		return wire.Errorf(wire.CodeEvaluation, "reading the components: %.300s", answer.ExceptionDetails.Exception.Description).WithHint("abrowser snapshot")
	}
	return json.Unmarshal(answer.Result.Value, out)
}
