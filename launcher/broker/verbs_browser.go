package broker

import (
	"context"
	"os"
	"time"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

func (b *broker) serveStatus(ctx context.Context, _ *wire.Call, _ verbs.Empty) (verbs.BrowserStatusOut, error) {
	out := verbs.BrowserStatusOut{
		Running: true, Name: b.browser.Name, BrowserPID: b.browser.PID, BrokerPID: os.Getpid(), KeeperPID: int(b.keeperPID.Load()),
		Build: b.Build, Restarts: b.browser.Restarts, Mode: b.Settings.SessionMode(), Executable: b.browser.Executable,
		Profile: b.browser.Profile, Headed: b.Settings.Headed, Sandbox: "on", Since: b.browser.Began,
	}
	if b.browser.NoSandbox != "" {
		out.Sandbox = "off: " + b.browser.NoSandbox
	}
	if b.Settings.External() {
		out.Endpoint, out.Sandbox, out.Executable = home.RedactCDP(b.Settings.CDP), "", ""
	}
	err := b.do(ctx, func() {
		out.Product, out.Sessions = b.product, b.mux.Connected()
		out.Tabs = b.countTabs()
	})
	return out, err
}

// countTabs returns the number of all sessions' tabs.
func (b *broker) countTabs() (n int) {
	for _, t := range b.mux.Tenants() {
		n += len(t.Pages)
	}
	return n
}

const stopTime = 20 * time.Second

// serveStop asks the keeper to stop the browser, or to disconnect from an external browser. It
// returns when the keeper has reported that this is done.
func (b *broker) serveStop(ctx context.Context, _ *wire.Call, _ verbs.BrowserStopIn) (verbs.BrowserStopOut, error) {
	var out verbs.BrowserStopOut
	err := b.do(ctx, func() {
		out.Tabs = b.countTabs()
		b.state.Stopped, b.idle.stopping = true, true
		b.mux.BrowserClosing()
		b.save()
	})
	if err != nil {
		return out, err
	}
	b.endBrowser()
	late := time.NewTimer(stopTime)
	defer late.Stop()
	select {
	case <-b.gone:
		select { // so that daemons notice the end of the broker before the caller acts on the response
		case <-b.idleClosed:
		case <-late.C:
		}
		out.Stopped = !b.Settings.External()
		if !out.Stopped {
			out.Detached, out.Tabs = true, 0
		}
		return out, nil
	case <-late.C:
		return out, wire.Errorf(wire.CodeTimeout, "the browser does not end")
	}
}
