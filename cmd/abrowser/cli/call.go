package cli

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// What a command waits for its answer, beyond what the verb itself may wait. The
// server's deadline is a little shorter, so its own answer comes first.
const (
	defaultPatience = 25 * time.Second // a verb without a timeout
	margin          = 10 * time.Second // for commands before it and for the answer
	coldMargin      = 60 * time.Second // for the browser to start, too
	longestPatience = 20 * time.Hour   // what a server takes is a day
	startPatience   = 15 * time.Minute // for a first start that fetches browser and driver
)

// answer has the line answered and returns the verb's output.
func (a *app) answer(ctx context.Context, l line) (any, error) {
	doc := l.verb.Describe()
	if err := a.visit(ctx, &l); err != nil {
		return nil, err
	}
	body, err := l.request()
	if err != nil {
		return nil, withHelp(err, doc)
	}
	if files, _ := l.in["hars"].([]string); len(files) > 0 {
		if err := verbs.CheckHARFiles(files); err != nil { // before a session is begun for it
			return nil, err
		}
	}
	if local := a.locally(l); local != nil {
		if err := a.need(ctx); err != nil {
			return nil, err
		}
		return local(ctx, l)
	}
	reply, who, err := a.attend(ctx, l, body)
	if who != nil {
		return a.whenSilent(doc, *who)(ctx, l)
	}
	if idle := a.whenIdle(doc); idle != nil && errors.Is(err, wire.CodeNotRunning) {
		if err := a.need(ctx); err != nil {
			return nil, err
		}
		return idle(ctx, l)
	}
	a.printer.warn(reply.Warnings...)
	a.printer.records = reply.Records
	if err != nil {
		return nil, err
	}
	out, err := decode(l.verb, reply.Data)
	if status, ok := out.(*verbs.BrowserStatusOut); ok && err == nil {
		a.compareBuild(status)
	}
	return out, err
}

// compareBuild warns of a browser that an abrowser of another build keeps. It goes on
// as it is, since its tabs are worth more than a newer broker.
func (a *app) compareBuild(status *verbs.BrowserStatusOut) {
	if own, err := a.program.Build(); err == nil && status.Running && status.Build != "" && status.Build != own {
		a.printer.warn("the browser's broker is of another build of abrowser, " + status.Build + ", which goes on until abrowser browser stop")
	}
}

// decode reads a verb's output, keeping the answer as it came for JSON.
func decode(v wire.AnyVerb, data json.RawMessage) (any, error) {
	out := v.NewOut()
	if len(data) == 0 {
		return out, nil
	}
	if err := json.Unmarshal(data, out); err != nil {
		return nil, wire.Errorf(wire.CodeInternal, "the answer to %s cannot be read: %v", v.Describe().Name, err)
	}
	return out, nil
}

// ask sends the request to whom it is for. A verb that starts nothing is asked
// once, whatever the server's build; any other has its session's daemon started
// where nobody listens, or where one of another build does.
func (a *app) ask(ctx context.Context, l line, body json.RawMessage) (wire.Reply, error) {
	doc := l.verb.Describe()
	place, err := a.placeOf(doc)
	if err != nil {
		return wire.Reply{}, err
	}
	patience := patienceOf(l)
	if doc.NoStart {
		return a.send(ctx, a.caller(place, ""), patience+margin, doc, body)
	}
	build, err := a.program.Build()
	if err != nil {
		return wire.Reply{}, err
	}
	reply, err := a.send(ctx, a.caller(place, build), patience+margin, doc, body)
	if !errors.Is(err, wire.CodeNotRunning) && !errors.Is(err, wire.CodeBuildDiffers) {
		return reply, err
	}
	if err := a.need(ctx); err != nil {
		return wire.Reply{}, err
	}
	starting, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	if place, err = a.behind.Start(starting, a.session, a.settings); err != nil {
		return wire.Reply{}, interruption(ctx, err)
	}
	a.warnOfMany(ctx)
	a.ownAtHome()
	return a.send(ctx, a.caller(place, build), patience+coldMargin, doc, body)
}

func (a *app) send(ctx context.Context, caller client.Client, patience time.Duration, doc wire.Spec, body json.RawMessage) (wire.Reply, error) {
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c := caller.KeepAlive()
	defer c.Close()
	reply, err := c.Call(waiting, doc, body)
	return reply, ofRequest(ctx, err)
}

// ofRequest returns the error of a request. If a signal has interrupted the command, any
// error but that nothing was done is the server's answer, and stays.
func ofRequest(ctx context.Context, err error) error {
	if errors.Is(err, wire.CodeInterrupted) {
		return interruption(ctx, err)
	}
	return err
}

// interruption returns that the command was interrupted if a signal has ended ctx, else err.
func interruption(ctx context.Context, err error) error {
	if err != nil && errors.Is(ctx.Err(), context.Canceled) {
		return wire.Errorf(wire.CodeInterrupted, "interrupted")
	}
	return err
}

func (a *app) caller(place home.Endpoint, build string) client.Client {
	return client.Client{Endpoint: place, Session: a.session, Build: build, Agent: a.agentIn(a.session), Settings: a.settings, OwnerProcess: a.owner}
}

func (a *app) placeOf(doc wire.Spec) (home.Endpoint, error) {
	if doc.By == wire.ByBroker {
		settings, err := a.root.Resume(a.session, a.settings)
		if err != nil {
			return home.Endpoint{}, err
		}
		return a.root.BrowserOf(settings)
	}
	return a.root.Session(a.session)
}

// patienceOf is how long the verb itself may wait.
func patienceOf(l line) time.Duration {
	if l.patience > 0 {
		return l.patience
	}
	if ms, ok := l.in["timeout"].(int); ok {
		return milliseconds(ms)
	}
	if l.verb.Describe().Name == verbs.Wait.Name {
		if ms, err := strconv.Atoi(l.text("what")); err == nil && milliseconds(ms) > defaultPatience {
			return milliseconds(ms)
		}
	}
	return defaultPatience
}

func milliseconds(n int) time.Duration {
	return time.Duration(min(n, int(longestPatience/time.Millisecond))) * time.Millisecond
}
