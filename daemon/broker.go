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

// Broker is a client of the browser's broker. It never starts a broker.
type Broker struct {
	caller  *client.Client
	session string
	pid     atomic.Int64 // the pid of the broker that meet recorded
}

func newBroker(place home.Endpoint, session string) *Broker {
	return &Broker{caller: client.Client{Endpoint: place, Session: session}.KeepAlive(), session: session}
}

// asAgent returns a client that sends its requests as the given agent. The empty string stands for
// the agent with the session's name.
func (b *Broker) asAgent(agent string) *Broker {
	caller := *b.caller
	caller.Agent = agent
	return &Broker{caller: &caller, session: b.session}
}

// claim returns the agent that owns the session. claimant is the caller of the running command. It
// becomes the owner if no agent owns the session and the command does more than read. If no command
// runs, claimant is nil and claim changes nothing.
func (b *Broker) claim(ctx context.Context, claimant *caller) (verbs.ClaimOut, error) {
	in := verbs.ClaimIn{Session: b.session, QueryOnly: claimant == nil}
	agent := ""
	if claimant != nil {
		in.ReadOnly, agent = claimant.reads, claimant.agent
	}
	var out verbs.ClaimOut
	return out, b.asAgent(agent).request(ctx, repeatable(verbs.BrokerClaim.Spec), in, &out)
}

func (b *Broker) close() error { return b.caller.Close() }

// isAlive reports whether the broker that [Broker.meet] recorded still runs. The check is needed
// because Playwright notices the end of the broker only when it sends a message, and that message
// may be lost. If the connection of an earlier request is still open, isAlive returns true
// without a request. A broker that does not respond within aliveTime counts as alive.
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

// meet records the pid of the broker that responds, and returns the settings of its browser.
func (b *Broker) meet(ctx context.Context) (wire.Settings, error) {
	h, err := b.caller.Hello(ctx)
	if err != nil {
		return wire.Settings{}, err
	}
	b.pid.Store(int64(h.PID))
	return h.Settings, nil
}

const aliveTime = time.Second

// responds reports whether the broker responds within aliveTime.
func (b *Broker) responds() bool {
	ctx, cancel := context.WithTimeout(context.Background(), aliveTime)
	defer cancel()
	_, err := b.caller.Hello(ctx)
	return err == nil
}

// tabs lists the session's tabs. The broker responds after it has handled all events that the
// browser sent before the request. If settled is true, a command has just ended. In that case the
// broker first saves the cookies that the command may have set, and then responds.
func (b *Broker) tabs(ctx context.Context, settled bool) (verbs.TabsOut, error) {
	var out verbs.TabsOut
	return out, b.request(ctx, verbs.BrokerTabs.Spec, verbs.TabsIn{Session: b.session, Settled: settled}, &out)
}

// AllTabs lists the tabs of all sessions.
func (b *Broker) AllTabs(ctx context.Context) ([]verbs.Tab, error) {
	var out verbs.TabsOut
	err := b.request(ctx, verbs.BrokerTabs.Spec, verbs.TabsIn{}, &out)
	return out.Tabs, err
}

// Downloads lists the session's downloads that have not been saved.
func (b *Broker) Downloads(ctx context.Context) ([]verbs.BrokerDownload, error) {
	var out verbs.BrokerDownloadsOut
	err := b.request(ctx, verbs.BrokerDownloads.Spec, verbs.BrokerDownloadsIn{Session: b.session}, &out)
	return out.Downloads, err
}

// ForgetDownload removes a finished download from the broker's list.
func (b *Broker) ForgetDownload(ctx context.Context, guid string) error {
	return b.request(ctx, verbs.BrokerDownloads.Spec, verbs.BrokerDownloadsIn{Session: b.session, Forget: guid}, &verbs.BrokerDownloadsOut{})
}

// Note saves a tab's label in the broker, or saves that the tab is the active one. The session's
// next daemon gets both from the broker.
func (b *Broker) Note(ctx context.Context, in verbs.NoteIn) error {
	in.Session = b.session
	return b.request(ctx, repeatable(verbs.BrokerNote.Spec), in, &verbs.Empty{})
}

// Pool returns the state of the pool, which limits how many tabs all sessions have besides the
// first tab of each session. The fields about the caller, such as YouHaveReservation, describe
// the given agent.
func (b *Broker) Pool(ctx context.Context, agent string) (verbs.PoolRequestsOut, error) {
	var out verbs.PoolRequestsOut
	return out, b.asAgent(agent).request(ctx, verbs.PoolRequests.Spec, verbs.Empty{}, &out)
}

// news identifies the running browser, and lists the session's tabs that were opened again after
// a crash of the browser. It leaves out tabs that a daemon has already acknowledged. If in.Seen is
// set, the request acknowledges all news up to that time. If in.IdleTimeout is set, the broker
// will stop the browser when the browser has had no tabs for that long.
func (b *Broker) news(ctx context.Context, in verbs.NoticesIn) (verbs.NoticesOut, error) {
	ctx, cancel := context.WithTimeout(ctx, restartTime)
	defer cancel()
	var out verbs.NoticesOut
	in.Session = b.session
	err := b.request(ctx, verbs.BrokerNotices.Spec, in, &out)
	return out, err
}

// restartTime is the longest time that the restart of a broker, or of its browser, takes.
const restartTime = 25 * time.Second

const retryTime = 50 * time.Millisecond

// awaitReturn waits up to restartTime until the broker responds, and reports whether it did.
// While the broker is being restarted, its socket file stays in place, because the keeper process
// that restarts the broker listens there. If the file is gone, the browser was stopped, and
// awaitReturn returns false at once. It also returns false at once if a request fails with an
// error other than [wire.CodeNotRunning].
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

// release ends the session in the browser. If page is true, the session's tabs are closed.
// Otherwise they stay open. If no broker runs, release does nothing and returns no error.
func (b *Broker) release(ctx context.Context, agent string, page bool) (verbs.ReleaseOut, error) {
	var out verbs.ReleaseOut
	err := b.asAgent(agent).request(ctx, verbs.BrokerRelease.Spec, verbs.ReleaseIn{Session: b.session, Page: page}, &out)
	if isNotRunning(err) {
		return out, nil
	}
	return out, err
}

// depart announces to the broker that the daemon ends. The broker then suspends the session's tabs
// at once, instead of waiting a few seconds for the daemon to reconnect. The tabs stay open.
func (b *Broker) depart(ctx context.Context, party string) error {
	ctx, cancel := context.WithTimeout(ctx, returnTime)
	defer cancel()
	err := b.request(ctx, verbs.BrokerDepart.Spec, verbs.DepartIn{Session: b.session, Party: party}, &verbs.Empty{})
	if isNotRunning(err) {
		return nil
	}
	return err
}

// incognito creates a private browser context for the session, if the session has none. If domains
// is not empty, the context reaches only these.
func (b *Broker) incognito(ctx context.Context, domains []string) error {
	return b.request(ctx, verbs.BrokerIncognito.Spec, verbs.IncognitoIn{Session: b.session, Domains: domains}, &verbs.Empty{})
}

// repeatable returns a copy of the spec that is marked ReadOnly, so that [Broker.request] may send
// the verb twice. Use it for verbs that change something, but whose second run changes nothing
// more.
func repeatable(verb wire.Spec) wire.Spec {
	verb.ReadOnly = true
	return verb
}

// request sends a request and stores the response in out. If a request with a ReadOnly verb fails
// with a transient error (see [IsTransient]), request waits for the next broker and sends the
// request again. If an attempt fails more than restartTime after the first failure, request
// returns its error.
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

// IsTransient reports whether a request failed because no broker runs, or because the broker is
// ending after the death of its browser. The request may succeed with the next broker.
func IsTransient(err error) bool {
	return isNotRunning(err) || errors.Is(err, wire.CodeBrowserGone)
}
