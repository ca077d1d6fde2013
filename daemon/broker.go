package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"sync/atomic"
	"time"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Broker sends requests to the browser's broker. It never starts one.
type Broker struct {
	caller  *client.Client
	session string
	pid     atomic.Int64 // of the broker that the connection was made through
}

func newBroker(place home.Endpoint, session string) *Broker {
	return &Broker{caller: client.Client{Endpoint: place, Session: session}.KeepAlive(), session: session}
}

// as returns a broker that gets its requests from an agent; "" is the session itself.
func (b *Broker) as(agent string) *Broker {
	caller := *b.caller
	caller.Agent = agent
	return &Broker{caller: &caller, session: b.session}
}

// claim makes the session a caller's if it belongs to no agent, and returns whose it is. If
// by is nil, which is so without a command, claim only asks.
func (b *Broker) claim(ctx context.Context, by *caller) (verbs.ClaimOut, error) {
	in := verbs.ClaimIn{Session: b.session, QueryOnly: by == nil}
	agent := ""
	if by != nil {
		in.ReadOnly, agent = by.reads, by.agent
	}
	var out verbs.ClaimOut
	return out, b.as(agent).request(ctx, repeatable(verbs.BrokerClaim.Spec), in, &out)
}

func (b *Broker) close() error { return b.caller.Close() }

// isAlive reports whether the broker responds that the connection was made through. Playwright
// learns only when it sends something that the broker has ended, and what it sends may be
// lost. A broker that has not hung up since its last response is not asked.
func (b *Broker) isAlive(ctx context.Context) bool {
	if b.caller.IsConnected() {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, aliveTime)
	defer cancel()
	same, err := b.isSame(ctx)
	return same || err != nil && !isNotRunning(err)
}

// isSame reports whether the broker that responds is the one that [Broker.meet] recorded.
func (b *Broker) isSame(ctx context.Context) (bool, error) {
	h, err := b.caller.Hello(ctx)
	return h.PID == int(b.pid.Load()), err
}

// meet records which broker responds, and returns the settings of its browser.
func (b *Broker) meet(ctx context.Context) (wire.Settings, error) {
	h, err := b.caller.Hello(ctx)
	b.pid.Store(int64(h.PID))
	return h.Settings, err
}

const aliveTime = time.Second

// responds reports whether the broker responds at once.
func (b *Broker) responds() bool {
	ctx, cancel := context.WithTimeout(context.Background(), aliveTime)
	defer cancel()
	_, err := b.caller.Hello(ctx)
	return err == nil
}

// tabs lists the session's tabs. The broker responds after it has handled every event of the
// browser that came before.
func (b *Broker) tabs(ctx context.Context, settled bool) (verbs.TabsOut, error) {
	var out verbs.TabsOut
	return out, b.request(ctx, verbs.BrokerTabs.Spec, verbs.TabsIn{Session: b.session, Settled: settled}, &out)
}

// allTabs lists the tabs of all sessions.
func (b *Broker) allTabs(ctx context.Context) ([]verbs.Tab, error) {
	var out verbs.TabsOut
	err := b.request(ctx, verbs.BrokerTabs.Spec, verbs.TabsIn{}, &out)
	return out.Tabs, err
}

// Downloads lists the session's downloads that no command has fetched.
func (b *Broker) Downloads(ctx context.Context) ([]verbs.BrokerDownload, error) {
	var out verbs.BrokerDownloadsOut
	err := b.request(ctx, verbs.BrokerDownloads.Spec, verbs.BrokerDownloadsIn{Session: b.session}, &out)
	return out.Downloads, err
}

// ForgetDownload removes a download that is over from the list.
func (b *Broker) ForgetDownload(ctx context.Context, guid string) error {
	return b.request(ctx, verbs.BrokerDownloads.Spec, verbs.BrokerDownloadsIn{Session: b.session, Forget: guid}, &verbs.BrokerDownloadsOut{})
}

// Note saves what only this daemon knows of a tab, for the session's next daemon.
func (b *Broker) Note(ctx context.Context, in verbs.NoteIn) error {
	in.Session = b.session
	return b.request(ctx, repeatable(verbs.BrokerNote.Spec), in, &verbs.Empty{})
}

// Pool describes the pool of extra tabs to an agent.
func (b *Broker) Pool(ctx context.Context, agent string) (verbs.PoolRequestsOut, error) {
	var out verbs.PoolRequestsOut
	return out, b.as(agent).request(ctx, verbs.PoolRequests.Spec, verbs.Empty{}, &out)
}

// news returns what happened to the session's tabs that has not been acknowledged. In
// acknowledges earlier news, and passes on for how long the browser is to stay.
func (b *Broker) news(ctx context.Context, in verbs.NoticesIn) (verbs.NoticesOut, error) {
	ctx, cancel := context.WithTimeout(ctx, restartTime)
	defer cancel()
	var out verbs.NoticesOut
	in.Session = b.session
	err := b.request(ctx, verbs.BrokerNotices.Spec, in, &out)
	return out, err
}

// restartTime is how long a broker, or its browser, may take to be started again.
const restartTime = 25 * time.Second

const retryTime = 50 * time.Millisecond

// awaitReturn waits until the broker responds, which it does after it was started again: its
// keeper listens for it meanwhile. It reports false if the browser was stopped.
func (b *Broker) awaitReturn(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, restartTime)
	defer cancel()
	for {
		_, err := b.caller.Hello(ctx)
		if err == nil {
			return true
		}
		if _, gone := os.Lstat(b.caller.Endpoint.Socket); gone != nil || !isNotRunning(err) {
			return false
		}
		if !Sleep(ctx, retryTime) {
			return false
		}
	}
}

// release ends the session in the browser. If no broker runs there is nothing to end.
func (b *Broker) release(ctx context.Context, agent string, page bool) (verbs.ReleaseOut, error) {
	var out verbs.ReleaseOut
	err := b.as(agent).request(ctx, verbs.BrokerRelease.Spec, verbs.ReleaseIn{Session: b.session, Page: page}, &out)
	if isNotRunning(err) {
		return out, nil
	}
	return out, err
}

// depart tells the broker that the daemon ends since it is idle, so that the session's tabs
// need not wait for it.
func (b *Broker) depart(ctx context.Context, party string) error {
	ctx, cancel := context.WithTimeout(ctx, returnTime)
	defer cancel()
	err := b.request(ctx, verbs.BrokerDepart.Spec, verbs.DepartIn{Session: b.session, Party: party}, &verbs.Empty{})
	if isNotRunning(err) {
		return nil
	}
	return err
}

// incognito makes a browser context for the session, if it has none.
func (b *Broker) incognito(ctx context.Context) error {
	return b.request(ctx, verbs.BrokerIncognito.Spec, verbs.IncognitoIn{Session: b.session}, &verbs.Empty{})
}

// repeatable returns the spec of a verb that may be sent twice although it changes something.
func repeatable(verb wire.Spec) wire.Spec {
	verb.ReadOnly = true
	return verb
}

// request sends a request. One that may be sent twice is sent again while the broker is
// started again.
func (b *Broker) request(ctx context.Context, verb wire.Spec, in, out any) error {
	reply, err := b.caller.Call(ctx, verb, in)
	for end := time.Now().Add(restartTime); verb.ReadOnly && IsTransient(err) && time.Now().Before(end) && b.awaitReturn(ctx); {
		if reply, err = b.caller.Call(ctx, verb, in); IsTransient(err) && !Sleep(ctx, retryTime) {
			break
		}
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(reply.Data, out)
}

// IsTransient reports whether a request failed since the broker was not there or is ending
// with a browser that died. Its successor will respond.
func IsTransient(err error) bool {
	return isNotRunning(err) || errors.Is(err, wire.CodeBrowserGone)
}
