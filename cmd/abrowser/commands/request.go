package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/policy"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// A command waits for the response as long as the verb may wait (see [call.patience]), plus a
// margin. The server's own deadline is a little shorter, so that the server's response arrives
// before the command's deadline.
const (
	defaultPatience = 25 * time.Second // how long a verb without a timeout may wait
	margin          = 10 * time.Second // for commands earlier in the queue, and for the response
	coldMargin      = 60 * time.Second // the margin if the browser may have to start
	startPatience   = 15 * time.Minute // for a first start that downloads browser and driver
)

// answer answers the command, in this process or by a request, and returns the verb's output.
func (x *run) answer(ctx context.Context) (any, error) {
	if err := x.redirectToTab(ctx); err != nil {
		return nil, err
	}
	body, err := x.encode()
	if err != nil {
		return nil, wire.WithDefaultHint(err, "abrowser %s --help", x.spec.Name)
	}
	if files, _ := x.params["hars"].([]string); len(files) > 0 {
		if err := verbs.CheckHARFiles(files); err != nil { // checked before the command starts a session
			return nil, err
		}
	}
	if x.spec.By != wire.ByDaemon { // otherwise the session's daemon applies its policy
		in, err := x.verb.Decode(bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		if err := policy.Check(x.settings, x.spec, in); err != nil {
			return nil, err
		}
	}
	if x.isLocal() {
		return x.handle(ctx, handlersOf(x.spec).local, body)
	}
	reply, silent, err := x.request(ctx, body)
	if silent != nil {
		return x.answerSilent(ctx, *silent, body)
	}
	if idle := handlersOf(x.spec).idle; idle != nil && x.spec.NoStart && errors.Is(err, wire.CodeNotRunning) {
		return x.handle(ctx, idle, body)
	}
	x.warn(reply.Warnings...)
	x.records = reply.Records
	if err != nil {
		return nil, err
	}
	out, err := decode(x.verb, reply.Data)
	if status, ok := out.(*verbs.BrowserStatusOut); ok && err == nil {
		x.compareBuild(status)
	}
	return out, err
}

// handle answers the command in this process, by calling h.
func (x *run) handle(ctx context.Context, h handler, body []byte) (any, error) {
	if err := x.LoadFull(ctx); err != nil {
		return nil, err
	}
	return h(ctx, x, body)
}

// compareBuild adds a warning if the browser's broker is of another build. The broker is not
// replaced, since the browser's tabs are worth more than a newer broker.
func (x *run) compareBuild(status *verbs.BrowserStatusOut) {
	if own, err := x.program.Build(); err == nil && status.Running && status.Build != "" && status.Build != own {
		x.warn("the browser's broker is of another build of abrowser, " + status.Build + ", which runs until abrowser browser stop")
	}
}

// send sends the request to the verb's server. A verb that starts nothing is sent once, to a server
// of any build. For any other verb, send starts the session's daemon if it does not run, and
// replaces the daemon if it is of another build.
func (x *run) send(ctx context.Context, body json.RawMessage) (wire.Reply, error) {
	place, err := x.place()
	if err != nil {
		return wire.Reply{}, err
	}
	if x.spec.NoStart {
		return x.sendTo(ctx, x.caller(place, ""), margin, body)
	}
	build, err := x.program.Build()
	if err != nil {
		return wire.Reply{}, err
	}
	reply, err := x.sendTo(ctx, x.caller(place, build), margin, body)
	if !errors.Is(err, wire.CodeNotRunning) && !errors.Is(err, wire.CodeBuildDiffers) {
		return reply, err
	}
	if err := x.LoadFull(ctx); err != nil {
		return wire.Reply{}, err
	}
	starting, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	if place, err = x.full.Start(starting, x.session, x.settings); err != nil {
		return wire.Reply{}, interruption(ctx, err)
	}
	x.warnOfMany(ctx)
	x.ownSession()
	return x.sendTo(ctx, x.caller(place, build), coldMargin, body)
}

func (x *run) sendTo(ctx context.Context, caller client.Client, margin time.Duration, body json.RawMessage) (wire.Reply, error) {
	waiting, cancel := context.WithTimeout(ctx, x.patience()+margin)
	defer cancel()
	c, done := x.dial(caller)
	defer done()
	reply, err := c.Call(waiting, x.spec, body)
	return reply, requestError(ctx, err)
}

// requestError returns the error to report for a request that failed with err. If err says that
// the request was cancelled before anything was done, and a signal was the cause, the error is
// "interrupted". Any other err is returned unchanged.
func requestError(ctx context.Context, err error) error {
	if errors.Is(err, wire.CodeInterrupted) {
		return interruption(ctx, err)
	}
	return err
}

// interruption returns [wire.CodeInterrupted] if err is not nil and ctx was cancelled. Otherwise it
// returns err.
func interruption(ctx context.Context, err error) error {
	if err != nil && errors.Is(ctx.Err(), context.Canceled) {
		return wire.Errorf(wire.CodeInterrupted, "interrupted")
	}
	return err
}

func (x *run) caller(place home.Endpoint, build string) client.Client {
	return client.Client{Endpoint: place, Session: x.session, Build: build, Agent: x.agentIn(x.session), Settings: x.settings, OwnerProcess: x.owner}
}

// place returns where the verb's server listens.
func (x *run) place() (home.Endpoint, error) {
	if x.spec.By == wire.ByBroker {
		return x.brokerPlace()
	}
	return x.root().Session(x.session)
}

// brokerPlace returns where the broker of the session's browser listens.
func (x *run) brokerPlace() (home.Endpoint, error) {
	settings, err := x.root().Resume(x.session, x.settings)
	if err != nil {
		return home.Endpoint{}, err
	}
	return x.root().BrowserOf(settings)
}

// askPlace sends a verb to the daemon or broker that listens at the endpoint, and returns its
// output.
func askPlace[In, Out any](ctx context.Context, x *run, place home.Endpoint, v wire.Verb[In, Out], in In) (Out, error) {
	if v.By == wire.ByBroker {
		return askAs(ctx, x, place, x.session, x.agent, v, in)
	}
	return askAs(ctx, x, place, place.Name, x.agentIn(place.Name), v, in)
}

// askAs sends a verb for the given session to the daemon or broker that listens at the endpoint,
// and returns its output. The request acts for the given agent. If agent is empty, it acts for the
// session itself.
func askAs[In, Out any](ctx context.Context, x *run, place home.Endpoint, session, agent string, v wire.Verb[In, Out], in In) (Out, error) {
	caller := x.caller(place, "")
	caller.Session, caller.Agent = session, agent
	c, done := x.dial(caller)
	defer done()
	out, warnings, err := client.Do(ctx, c, v, in)
	x.warn(warnings...)
	return out, requestError(ctx, err)
}
