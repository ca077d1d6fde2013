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

// broker asks the browser's broker. It never starts one.
type broker struct {
	caller  *client.Client
	session string
	pid     atomic.Int64 // of the broker that was met
}

func newBroker(place home.Endpoint, session string) *broker {
	return &broker{caller: client.Client{Endpoint: place, Session: session}.KeepAlive(), session: session}
}

// as is the broker, asked for an agent; an empty one is the session itself.
func (b *broker) as(agent string) *broker {
	caller := *b.caller
	caller.Agent = agent
	return &broker{caller: &caller, session: b.session}
}

// claim takes the session for an agent, where it is nobody's, and says whose it is.
// Nobody's command is behind a connection that is made again by itself: then it asks.
func (b *broker) claim(ctx context.Context, by *actor) (verbs.ClaimOut, error) {
	in := verbs.ClaimIn{Session: b.session, QueryOnly: by == nil}
	agent := ""
	if by != nil {
		in.ReadOnly, agent = by.looks, by.agent
	}
	doc := verbs.BrokerClaim.Spec
	doc.ReadOnly = true // to claim twice does no harm
	var out verbs.ClaimOut
	return out, b.as(agent).ask(ctx, doc, in, &out)
}

func (b *broker) close() error { return b.caller.Close() }

// alive reports whether the broker that was met answers. A connection of Playwright's
// learns of its end only when something is sent, which may then be lost. Where it has
// not hung up on us since it answered last, it need not be asked.
func (b *broker) alive(ctx context.Context) bool {
	if b.caller.IsConnected() {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, aliveTime)
	defer cancel()
	same, err := b.isSame(ctx)
	if err != nil {
		return !errors.Is(err, wire.CodeNotRunning)
	}
	return same
}

// isSame reports whether the broker that answers is the one that was met.
func (b *broker) isSame(ctx context.Context) (bool, error) {
	h, err := b.caller.Hello(ctx)
	return h.PID == int(b.pid.Load()), err
}

// meet takes note which broker it is that answers, and returns what its browser runs with.
func (b *broker) meet(ctx context.Context) (wire.Settings, error) {
	h, err := b.caller.Hello(ctx)
	b.pid.Store(int64(h.PID))
	return h.Settings, err
}

const aliveTime = time.Second

// answers reports whether the broker says hello at once.
func (b *broker) answers() bool {
	ctx, cancel := context.WithTimeout(context.Background(), aliveTime)
	defer cancel()
	_, err := b.caller.Hello(ctx)
	return err == nil
}

// tabs lists the session's tabs. It answers after every event of the browser that
// came before it was asked.
func (b *broker) tabs(ctx context.Context, settled bool) (verbs.TabsOut, error) {
	var out verbs.TabsOut
	return out, b.ask(ctx, verbs.BrokerTabs.Spec, verbs.TabsIn{Session: b.session, Settled: settled}, &out)
}

// downloads lists the session's downloads that nobody has fetched.
func (b *broker) downloads(ctx context.Context) ([]verbs.BrokerDownload, error) {
	var out verbs.BrokerDownloadsOut
	err := b.ask(ctx, verbs.BrokerDownloads.Spec, verbs.BrokerDownloadsIn{Session: b.session}, &out)
	return out.Downloads, err
}

// forget has a finished download forgotten.
func (b *broker) forget(ctx context.Context, guid string) error {
	return b.ask(ctx, verbs.BrokerDownloads.Spec, verbs.BrokerDownloadsIn{Session: b.session, Forget: guid}, &verbs.BrokerDownloadsOut{})
}

// allTabs lists the tabs of all sessions.
func (b *broker) allTabs(ctx context.Context) ([]verbs.Tab, error) {
	var out verbs.TabsOut
	err := b.ask(ctx, verbs.BrokerTabs.Spec, verbs.TabsIn{}, &out)
	return out.Tabs, err
}

// note keeps what only this daemon knows of a tab for the session's next one.
func (b *broker) note(ctx context.Context, in verbs.NoteIn) error {
	in.Session = b.session
	doc := verbs.BrokerNote.Spec
	doc.ReadOnly = true // to note a thing twice does no harm
	return b.ask(ctx, doc, in, &verbs.Empty{})
}

// news is what happened to the session's tabs that it has not heard. It passes on
// what it has heard, and what it was asked for of the browser.
func (b *broker) news(ctx context.Context, in verbs.NoticesIn) (verbs.NoticesOut, error) {
	ctx, cancel := context.WithTimeout(ctx, newsTime)
	defer cancel()
	var out verbs.NoticesOut
	in.Session = b.session
	err := b.ask(ctx, verbs.BrokerNotices.Spec, in, &out)
	return out, err
}

// newsTime is how long a broker, or its browser, may take to be started again.
const newsTime = 25 * time.Second

// returns reports whether the broker answers, or does after it was started again:
// its keeper listens for it meanwhile. It does not where the browser was stopped.
func (b *broker) returns(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, newsTime)
	defer cancel()
	for {
		_, err := b.caller.Hello(ctx)
		if err == nil {
			return true
		}
		if _, gone := os.Lstat(b.caller.Endpoint.Socket); gone != nil || !errors.Is(err, wire.CodeNotRunning) {
			return false
		}
		if !pause(ctx, 50*time.Millisecond) {
			return false
		}
	}
}

// release ends the session on the browser's side. Where no broker runs there is
// nothing to end.
func (b *broker) release(ctx context.Context, agent string, page bool) (verbs.ReleaseOut, error) {
	var out verbs.ReleaseOut
	err := b.as(agent).ask(ctx, verbs.BrokerRelease.Spec, verbs.ReleaseIn{Session: b.session, Page: page}, &out)
	if errors.Is(err, wire.CodeNotRunning) {
		return out, nil
	}
	return out, err
}

// depart tells the broker that the daemon ends for doing nothing: the session's tabs need
// not wait for it. Where no broker answers, there is nothing to tell.
func (b *broker) depart(ctx context.Context, party string) error {
	ctx, cancel := context.WithTimeout(ctx, againTime)
	defer cancel()
	err := b.ask(ctx, verbs.BrokerDepart.Spec, verbs.DepartIn{Session: b.session, Party: party}, &verbs.Empty{})
	if errors.Is(err, wire.CodeNotRunning) {
		return nil
	}
	return err
}

// incognito gives the session a browser context of its own.
func (b *broker) incognito(ctx context.Context) error {
	return b.ask(ctx, verbs.BrokerIncognito.Spec, verbs.IncognitoIn{Session: b.session}, &verbs.Empty{})
}

func (b *broker) ask(ctx context.Context, verb wire.Spec, in, out any) error {
	reply, err := b.caller.Call(ctx, verb, in)
	for end := time.Now().Add(newsTime); verb.ReadOnly && ending(err) && time.Now().Before(end) && b.returns(ctx); {
		if reply, err = b.caller.Call(ctx, verb, in); ending(err) && !pause(ctx, 50*time.Millisecond) {
			break
		}
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(reply.Data, out)
}

// ending reports whether the broker was not there, or on its way out with a browser
// that died. Its successor will answer.
func ending(err error) bool {
	return errors.Is(err, wire.CodeNotRunning) || errors.Is(err, wire.CodeBrowserGone)
}
