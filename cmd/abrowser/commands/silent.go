package commands

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// forceTime is how long a daemon may fail to respond before it counts as dead. It can be short,
// since killing a daemon loses no tabs. A daemon that a signal has stopped (SIGSTOP) counts as
// dead after 2 * askTime.
const forceTime = 4 * time.Second

// errSilent is the cause with which a request is cancelled if the daemon does not respond.
var errSilent = errors.New("the daemon does not respond")

const hintKill = "abrowser kill"

// request sends the request with [run.send] and returns the reply. If the verb's server is the
// session's daemon, [run.watch] checks every second, until the response arrives, whether the
// daemon can still respond. If the daemon cannot, the request is cancelled, and request returns
// the state of the daemon in place of a reply and an error.
func (x *run) request(ctx context.Context, body json.RawMessage) (wire.Reply, *sockets.PeerState, error) {
	place, err := x.root().Session(x.session)
	if err != nil || x.spec.By == wire.ByBroker {
		reply, err := x.send(ctx, body)
		return reply, nil, err
	}
	sending, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silent := make(chan *sockets.PeerState, 1)
	watching := time.AfterFunc(askTime, func() { silent <- x.watch(sending, place, func() { cancel(errSilent) }) })
	reply, err := x.send(sending, body)
	cancel(nil)
	if !watching.Stop() {
		if daemon := <-silent; daemon != nil && err != nil {
			return wire.Reply{}, daemon, nil
		}
	}
	return reply, nil, err
}

// watch checks every second whether the daemon at the endpoint can respond. The daemon counts as
// unable to respond if it does not answer hello within askTime. This is tested if a signal has
// stopped the daemon, and from forceTime after the request was sent. The signal alone proves
// nothing: programs such as cpulimit stop a process many times a second, each time for a moment. If
// the daemon cannot respond, watch calls hangUp and returns the daemon's state. watch returns nil
// when ctx ends.
//
// The function hangUp must close the connection of the request. The daemon then drops the request
// if it resumes later. watch itself is called when askTime has passed since the request was sent.
func (x *run) watch(ctx context.Context, place home.Endpoint, hangUp func()) *sockets.PeerState {
	began := time.Now().Add(-askTime)
	tick := time.NewTicker(askTime)
	defer tick.Stop()
	for ctx.Err() == nil {
		daemon := sockets.InspectPeer(ctx, place)
		if daemon.PID != 0 && (daemon.Stopped || time.Since(began) >= forceTime) && isMute(ctx, place, askTime) {
			hangUp()
			return &daemon
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	return nil
}

// isMute reports whether a process listens at the endpoint but does not answer hello within the
// time limit patience.
func isMute(ctx context.Context, place home.Endpoint, patience time.Duration) bool {
	short, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, err := (&client.Client{Endpoint: place}).Hello(short)
	return err != nil && short.Err() != nil && ctx.Err() == nil && !errors.Is(err, wire.CodeNotRunning)
}

// answerSilent answers a command if the daemon of its session does not respond.
func (x *run) answerSilent(ctx context.Context, daemon sockets.PeerState, body []byte) (any, error) {
	if h := handlersOf(x.spec).silent; h != nil {
		x.silent = daemon
		return x.handle(ctx, h, body)
	}
	failure := wire.Errorf(wire.CodeWedged, "%s", daemon.Reason)
	if !x.spec.ReadOnly {
		failure = wire.Errorf(wire.CodeResultUnknown, "%s; the command may or may not have been done", daemon.Reason)
	}
	return nil, failure.WithHint(hintKill).With("wedged", true)
}

// statusSilent returns the status of a session whose daemon does not respond. The session's broker
// provides the information on the tabs.
func (x *run) statusSilent(ctx context.Context, in verbs.Empty) (*verbs.StatusOut, error) {
	out, err := x.statusIdle(ctx, in)
	if err != nil {
		return nil, err
	}
	out.Running, out.State, out.Wedged = true, verbs.StateWedged, true
	out.PID, out.Reason, out.Hint = x.silent.PID, x.silent.Reason, hintKill
	return out, nil
}

func (x *run) tabsSilent(ctx context.Context, in verbs.TabListIn) (*verbs.TabsOut, error) {
	x.warn("the session's daemon does not respond; its browser lists the tabs (" + hintKill + " ends the daemon)")
	return x.tabsIdle(ctx, in)
}

func (x *run) closeSilent(ctx context.Context, in verbs.CloseIn) (*verbs.CloseOut, error) {
	x.warn("the session's daemon does not respond; it is ended by force")
	out, err := x.endByForce(ctx, x.session, in.Page)
	return &verbs.CloseOut{Closed: true, Kept: out.Kept, Discarded: out.Discarded}, err
}

// kill ends the session by force, whether or not its daemon responds.
func (x *run) kill(ctx context.Context, in verbs.KillIn) (*verbs.KillOut, error) {
	// Without an agent, the caller acts for the session itself and may always end it.
	if x.agent != "" {
		if err := x.mayRelease(ctx, x.session); err != nil {
			return nil, err
		}
	}
	return x.endByForce(ctx, x.session, in.Page)
}

// endByForce kills a session's daemon. Then it has the brokers close the session's tabs or keep
// them open for review, as the daemon would have done.
func (x *run) endByForce(ctx context.Context, session string, page bool) (*verbs.KillOut, error) {
	place, err := x.root().Session(session)
	if err != nil {
		return &verbs.KillOut{}, err
	}
	killed, err := x.full.Kill(ctx, place)
	if err != nil {
		return &verbs.KillOut{}, interruption(ctx, err)
	}
	released, err := x.release(ctx, session, page, true)
	return &verbs.KillOut{Killed: killed, Kept: released.Kept, ClosedTabs: released.Closed, Discarded: released.Discarded}, err
}

// confirmIdle answers confirm if the session has no daemon. The commands that wait to be confirmed
// end with the daemon.
func (x *run) confirmIdle(context.Context, verbs.ConfirmIn) (*verbs.ConfirmOut, error) {
	return nil, wire.Errorf(wire.CodeNotFound, "no command waits to be confirmed: the session's daemon does not run").WithHint("run the command again")
}

func (x *run) denyIdle(ctx context.Context, in verbs.ConfirmIn) (*verbs.DenyOut, error) {
	_, err := x.confirmIdle(ctx, in)
	return nil, err
}
