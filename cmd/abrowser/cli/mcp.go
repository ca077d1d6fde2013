package cli

import (
	"context"
	"encoding/json"
	"os"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/mcp"
	"github.com/abrowser/abrowser/sockets/wire"
)

// serveMCP answers an MCP client until it leaves. The client is an agent of its own,
// which ends with it.
func (a *app) serveMCP(ctx context.Context, l line) (any, error) {
	groups, _ := l.in["tools"].([]string)
	a.agent = wire.NewAgent(os.Getpid())
	defer a.goodbye(ctx)
	err := mcp.Serve(ctx, mcp.Options{
		Asker: asker{a}, In: a.sys.Stdin, Out: a.sys.Stdout, Session: a.session, Groups: groups, Version: version(),
	})
	return &wire.Nothing{}, err
}

// goodbyeTime is how long an agent's end may take.
const goodbyeTime = 2 * time.Second

// goodbye tells all browsers that the agent has ended.
func (a *app) goodbye(ctx context.Context) {
	// ctx has ended with the client, or by a signal.
	if _, err := askWithin(context.WithoutCancel(ctx), a, goodbyeTime, wire.BrokerGoodbye, wire.Nothing{}); err != nil {
		a.printer.warn("saying goodbye: " + err.Error())
	}
}

// asker has verbs answered for any session, as commands of it would be.
type asker struct{ app *app }

// Ask is for package mcp.
func (k asker) Ask(ctx context.Context, session string, v wire.AnyVerb, in map[string]any) (any, mcp.Aside, error) {
	a := k.command(session)
	if _, err := a.root.Session(session); err != nil {
		return nil, mcp.Aside{}, err
	}
	l := line{verb: v, global: members{}, in: members{}}
	for name, value := range in {
		l.in[name] = plainNumber(value)
	}
	if steps, ok := in["steps"].([]wire.Step); ok {
		l.patience = time.Duration(len(steps)) * defaultPatience
	}
	if err := a.prepare(&l); err != nil {
		return nil, a.aside(), err
	}
	out, err := a.answer(ctx, l)
	if f, ok := out.(failing); ok && err == nil {
		err = f.failure()
	}
	if err == nil && l.text("path") != "" {
		err = a.writeFile(out) // a picture without a path is shown to the client
	}
	return out, a.aside(), err
}

// Where is for package mcp.
func (k asker) Where(session string, given map[string]any) (mcp.Asker, error) {
	raw, err := json.Marshal(given)
	if err != nil {
		return nil, err
	}
	a := k.command(session)
	if err := json.Unmarshal(raw, &a.settings); err != nil {
		return nil, wire.Errorf(wire.CodeBadInput, "%v", err).WithHint("tools/list shows what each tool takes")
	}
	a.settings, err = a.root.Settle(a.settings, session, a.sys.Lookup)
	return asker{a}, err
}

// command is a command of the session that is about to run.
func (k asker) command(session string) *app {
	a := newApp(k.app.sys)
	a.dir, a.layers, a.settings, a.root, a.starter = k.app.dir, k.app.layers, k.app.settings, k.app.root, k.app.starter
	a.session, a.printer.session, a.agent = session, session, k.app.agent
	return a
}

func (a *app) aside() mcp.Aside {
	return mcp.Aside{Warnings: a.printer.said(), Records: a.printer.records}
}

// plainNumber is a whole number as the command line has it.
func plainNumber(value any) any {
	if n, ok := value.(json.Number); ok {
		if whole, err := n.Int64(); err == nil {
			return int(whole)
		}
	}
	return value
}
