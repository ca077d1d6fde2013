package broker

import (
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

func sortTabs(tabs []verbs.Tab) {
	slices.SortStableFunc(tabs, func(x, y verbs.Tab) int { return strings.Compare(x.SessionID, y.SessionID) })
}

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
		for _, o := range b.mux.Tenants() {
			out.Tabs += len(o.Pages)
		}
	})
	return out, err
}

const stopTime = 20 * time.Second

// serveStop answers when the browser has ended, or when we have left one of
// somebody else's. The keeper does it; see stopBrowser.
func (b *broker) serveStop(ctx context.Context, _ *wire.Call, _ verbs.BrowserStopIn) (verbs.BrowserStopOut, error) {
	var out verbs.BrowserStopOut
	err := b.do(ctx, func() {
		for _, o := range b.mux.Tenants() {
			out.Tabs += len(o.Pages)
		}
		b.table.stopped = true
		b.mux.BrowserClosing()
		b.Save(b.mux.State())
	})
	if err != nil {
		return out, err
	}
	b.endBrowser()
	late := time.NewTimer(stopTime)
	defer late.Stop()
	select {
	case <-b.gone:
		select { // daemons see that we are gone before anybody acts on the answer
		case <-b.quiet:
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
