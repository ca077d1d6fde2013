package broker

import (
	"context"
	"os"
	"time"

	"github.com/abrowser/abrowser/patches"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// handlers returns the handlers of the verbs that the broker serves.
func (b *broker) handlers() []wire.Handler {
	return []wire.Handler{
		wire.Bind(verbs.BrokerTabs, b.serveTabs),
		wire.Bind(verbs.BrokerNote, b.serveNote),
		wire.Bind(verbs.BrokerRelease, b.serveRelease),
		wire.Bind(verbs.BrokerDepart, b.serveDepart),
		wire.Bind(verbs.BrokerIncognito, b.serveIncognito),
		wire.Bind(verbs.BrokerSessions, b.serveSessions),
		wire.Bind(verbs.BrokerNotices, b.serveNotices),
		wire.Bind(verbs.BrokerDownloads, b.serveDownloads),
		wire.Bind(verbs.BrokerClaim, b.serveClaim),
		wire.Bind(verbs.BrokerEndAgent, b.serveGoodbye),
		wire.Bind(verbs.PoolRequest, b.servePoolRequest),
		wire.Bind(verbs.PoolGrant, b.servePoolGrant),
		wire.Bind(verbs.PoolRequests, b.servePoolRequests),
		wire.Bind(verbs.TabPrune, b.servePrune),
		wire.Bind(verbs.BrokerKeep, b.serveKeep),
		wire.Bind(verbs.BrokerDone, b.serveDone),
		wire.Bind(verbs.BrokerEvents, b.serveEvents),
		wire.Bind(verbs.BrokerReport, b.serveReport),
		wire.Bind(verbs.BrokerAsk, b.serveAsk),
		wire.Bind(verbs.BrokerQuestions, b.serveQuestions),
		wire.Bind(verbs.BrokerAnswer, b.serveAnswer),
		wire.Bind(verbs.BrokerView, b.serveView),
		wire.Bind(verbs.BrokerInput, b.serveInput),
		wire.Bind(verbs.BrokerCloseTab, b.serveCloseTab),
		wire.Bind(verbs.BrowserStatus, b.serveStatus),
		wire.Bind(verbs.BrowserStop, b.serveStop),
	}
}

func (b *broker) hello() wire.Hello {
	return wire.Hello{
		Name: b.browser.Name, Role: wire.RoleBroker, Build: b.Build, Protocol: wire.Protocol(), PID: os.Getpid(),
		Since: b.browser.Began, Settings: b.Settings,
	}
}

// retire always returns an error. If the browser ended, its tabs would be lost. A broker of an
// older build need not be replaced, because a broker serves daemons of every build with the same
// protocol.
func (b *broker) retire() error {
	return wire.Errorf(wire.CodeBusy, "the browser has tabs that a new one would not have").WithHint("abrowser browser stop")
}

const (
	barrierTime = 500 * time.Millisecond
	pruneTime   = 5 * time.Second
	memoryTime  = 300 * time.Millisecond // for all pages to say how much memory they use
)

// snapshot first waits, up to barrierTime, until the mux has handled every message that the browser
// has sent. Then it lists all sessions (which the mux calls tenants), or only the named session if
// session is not empty.
func (b *broker) snapshot(ctx context.Context, session string) ([]patches.TenantInfo, error) {
	return await(ctx, b, func(done func([]patches.TenantInfo)) {
		if session != "" {
			b.mux.BarrierFor(session, barrierTime, func() { done(b.mux.TenantNamed(session)) })
			return
		}
		b.mux.Barrier(barrierTime, func() { done(b.mux.Tenants()) })
	})
}
