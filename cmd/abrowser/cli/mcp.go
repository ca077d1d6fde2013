package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/ask"
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// serveMCP answers an MCP client until it leaves. The client is an agent of its own,
// which ends with it.
func (a *app) serveMCP(ctx context.Context, l line) (any, error) {
	groups, _ := l.in["tools"].([]string)
	a.home = a.agent // who acts on another's session is at home in its own
	if a.home == "" && a.layers.namesSession() {
		a.home = a.session
	}
	a.agent = wire.NewAgent(os.Getpid())
	defer a.goodbye(ctx)
	// The calls that still run when the server ends are not waited for.
	serving, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer context.AfterFunc(ctx, func() { end(errEnding) })()
	return &verbs.Empty{}, a.behind.ServeMCP(serving, asker{a}, a.session, groups)
}

// errEnding ends the requests of a server that ends.
var errEnding = errors.New("the server is ending")

// installMCP shows what MCP clients need to start us, or adds it to one's file.
func (a *app) installMCP(_ context.Context, l line) (any, error) {
	in, err := fill[verbs.MCPInstallIn](l.in)
	if err != nil {
		return nil, err
	}
	out, warnings, err := a.behind.InstallMCP(in)
	a.printer.warn(warnings...)
	return out, err
}

// ownAtHome has the session that the agent is at home in end with our process: it was
// we who had to start its daemon. What the task's own commands began goes on.
func (a *app) ownAtHome() {
	if a.home == "" || a.session != a.home || a.owner != "" {
		return
	}
	if p, err := sockets.FindProcess(os.Getpid()); err == nil {
		a.owner = p.String()
	}
}

// goodbyeTime is how long an agent's end may take.
const goodbyeTime = 2 * time.Second

// goodbye tells all browsers that the agent has ended.
func (a *app) goodbye(ctx context.Context) {
	// ctx has ended with the client, or by a signal.
	if _, err := askWithin(context.WithoutCancel(ctx), a, goodbyeTime, verbs.BrokerEndAgent, verbs.Empty{}); err != nil {
		a.printer.warn("saying goodbye: " + err.Error())
	}
}

// asker has verbs answered for any session, as commands of it would be.
type asker struct{ app *app }

// Ask is for package mcp.
func (k asker) Ask(ctx context.Context, session string, v wire.AnyVerb, in map[string]any) (any, ask.Aside, error) {
	a := k.command(session)
	if _, err := a.root.Session(session); err != nil {
		return nil, ask.Aside{}, err
	}
	l := line{verb: v, global: members{}, in: members{}}
	for name, value := range in {
		l.in[name] = plain(value)
	}
	steps, _ := in["steps"].([]verbs.Step)
	for i := range steps {
		patience, err := a.prepareStep(ctx, &steps[i])
		if err != nil {
			e := wire.AsError(err)
			return nil, a.aside(), &wire.Error{Code: e.Code, Message: fmt.Sprintf("action %d: %s", i+1, e.Message), Hint: e.Hint}
		}
		l.patience = min(l.patience+patience, longestPatience)
	}
	if err := a.prepare(ctx, &l); err != nil {
		return nil, a.aside(), err
	}
	out, err := a.answer(ctx, l)
	if batch, ok := out.(*verbs.BatchOut); ok && err == nil {
		a.finishSteps(batch.Results, steps)
	}
	if f, ok := out.(failing); ok && err == nil {
		err = f.failure()
	}
	if err == nil && !showsIt(out, l.text("path")) {
		err = a.writeFile(out)
	}
	return out, a.aside(), err
}

// showsIt reports whether an output's file is shown to the client instead of being
// written: a picture is that has no path.
func showsIt(out any, path string) bool {
	_, isPicture := out.(*verbs.ScreenshotOut)
	return isPicture && path == ""
}

// prepareStep is [app.prepare] for an action of a sequence. It returns how long the
// action may take.
func (a *app) prepareStep(ctx context.Context, step *verbs.Step) (time.Duration, error) {
	v, ok := verbs.Find(step.Verb)
	if !ok {
		return 0, wire.Errorf(wire.CodeUnknownVerb, "there is no %q", step.Verb)
	}
	l := line{verb: v, global: members{}, in: members{}}
	dec := json.NewDecoder(bytes.NewReader(step.In))
	dec.UseNumber()
	given := map[string]any{}
	if err := dec.Decode(&given); err != nil {
		return 0, wire.Errorf(wire.CodeBadInput, "the arguments are no JSON object")
	}
	for name, value := range given {
		l.in[name] = plain(value)
	}
	if err := a.prepare(ctx, &l); err != nil {
		return 0, err
	}
	body, err := l.request()
	step.In = body
	return patienceOf(l), err
}

// finishSteps writes the files of a sequence's actions.
func (a *app) finishSteps(results []verbs.StepResult, steps []verbs.Step) {
	for i := range results {
		var to struct{ Path string }
		if i >= len(steps) || json.Unmarshal(steps[i].In, &to) != nil || to.Path == "" && steps[i].Verb == verbs.Screenshot.Name {
			continue
		}
		a.finish(&results[i], steps[i])
	}
}

// Where is for package mcp.
func (k asker) Where(session string, given map[string]any) (ask.Asker, error) {
	raw, err := json.Marshal(given)
	if err != nil {
		return nil, err
	}
	a := k.command(session)
	if err := json.Unmarshal(raw, &a.settings); err != nil {
		return nil, wire.Errorf(wire.CodeBadInput, "%v", err).WithHint("tools/list shows what each tool takes")
	}
	if err := a.settings.Check(); err != nil {
		return nil, err
	}
	a.settings, err = a.root.Normalize(a.settings, session, a.sys.Lookup)
	return asker{a}, err
}

// command is a command of the session that is about to run.
func (k asker) command(session string) *app {
	a := newApp(k.app.sys, k.app.program)
	a.dir, a.layers, a.settings, a.root, a.behind = k.app.dir, k.app.layers, k.app.settings, k.app.root, k.app.behind
	a.session, a.printer.session, a.agent, a.home, a.owner = session, session, k.app.agent, k.app.home, k.app.owner
	return a
}

func (a *app) aside() ask.Aside {
	return ask.Aside{Warnings: a.printer.said(), Records: a.printer.records}
}

// plain is a value as the command line has it: whole numbers, and lists of words.
func plain(value any) any {
	switch v := value.(type) {
	case json.Number:
		if whole, err := v.Int64(); err == nil {
			return int(whole)
		}
	case []any:
		words := make([]string, 0, len(v))
		for _, one := range v {
			word, ok := one.(string)
			if !ok {
				return value
			}
			words = append(words, word)
		}
		return words
	}
	return value
}
