package commands

import (
	"context"
	"net"
	"strings"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// CDPServer describes the server that [FullProgram].ServeCDP runs. Port and Command are optional.
// Announce is required if Command is empty. All other fields are required.
type CDPServer struct {
	Port    int      // 0 means a free port
	Command []string // the program to run and its arguments; without it, the server ends with ctx or its standard input
	Session string

	// Dial connects to the browser's broker. It starts the session's daemon and browser if they
	// do not run.
	Dial func(ctx context.Context) (net.Conn, error)
	Path string // the URL path of the session's endpoint at the broker

	// Status describes the session's browser.
	Status func(ctx context.Context) (verbs.BrowserStatusOut, error)

	// Announce prints the server's URLs, and reports whether it succeeded.
	Announce func(verbs.CDPOut) bool
}

// serveCDP serves the session's CDP endpoint on a TCP port. If the caller gave a program to run,
// the server runs as long as the program, and the command exits with the program's status.
func (x *run) serveCDP(ctx context.Context, in verbs.CDPIn) (*verbs.CDPOut, error) {
	server := x.cdpServer(in.Port, func(out verbs.CDPOut) bool { return x.announce(out) })
	server.Command = in.Command
	status, err := x.full.ServeCDP(ctx, server)
	x.exit = &status
	return &verbs.CDPOut{}, err
}

// cdpServer returns the server for the session's CDP endpoint, without a program.
func (x *run) cdpServer(port int, announce func(verbs.CDPOut) bool) CDPServer {
	return CDPServer{
		Port: port, Session: x.session, Dial: x.dialCDP, Path: wire.PathSession + x.session, Status: x.browserStatus, Announce: announce,
	}
}

// devTools is the start of the URL at which Chromium shows its own copy of DevTools.
const devTools = "devtools://devtools/bundled/inspector.html?ws="

// inspectPage serves the session's CDP endpoint for DevTools in a person's browser.
func (x *run) inspectPage(ctx context.Context, in verbs.InspectIn) (*verbs.InspectOut, error) {
	tab, err := x.tabToInspect(ctx, in.Tab)
	if err != nil {
		return nil, err
	}
	status, err := x.full.ServeCDP(ctx, x.cdpServer(in.Port, func(out verbs.CDPOut) bool {
		at := strings.TrimPrefix(out.HTTPURL, "http://") + "/devtools/page/" + tab.TargetID
		return x.announce(verbs.InspectOut{URL: devTools + at, TabID: tab.TabID})
	}))
	x.exit = &status
	return &verbs.InspectOut{}, err
}

// tabToInspect returns the session's tab with the given id or label, or the active tab if name is
// empty.
func (x *run) tabToInspect(ctx context.Context, name string) (verbs.Tab, error) {
	result, err := x.Do(ctx, Command{Session: x.session, Verb: &verbs.TabList})
	if err != nil {
		return verbs.Tab{}, err
	}
	list, ok := result.Output.(*verbs.TabsOut)
	if !ok {
		return verbs.Tab{}, wire.Errorf(wire.CodeInternal, "tab list returned %T", result.Output)
	}
	for _, tab := range list.Tabs {
		if name == "" && tab.Active || name == tab.TabID || tab.Label != nil && name == *tab.Label {
			return tab, nil
		}
	}
	if name == "" {
		return verbs.Tab{}, wire.Errorf(wire.CodeNotFound, "the session has no page").WithHint("abrowser open URL")
	}
	return verbs.Tab{}, wire.Errorf(wire.CodeNotFound, "the session has no tab %s", name).WithHint("abrowser tab list")
}

// connect opens the session in a browser that abrowser has not started.
func (x *run) connect(ctx context.Context, in verbs.ConnectIn) (*verbs.ConnectOut, error) {
	result, err := x.Do(ctx, Command{Session: x.session, Verb: &verbs.Open, Settings: map[string]any{"cdp": in.Endpoint}})
	x.warn(result.Warnings...)
	if err != nil {
		return nil, err
	}
	opened, ok := result.Output.(*verbs.OpenOut)
	if !ok {
		return nil, wire.Errorf(wire.CodeInternal, "open has no output")
	}
	return &verbs.ConnectOut{Launched: true, URL: opened.URL, TabID: opened.TabID, TargetID: opened.TargetID}, nil
}

// dialCDP connects to the broker of the session's browser. Before that, it runs `get cdp-url`. That
// command starts the session and its browser if they do not run, and refuses a session that belongs
// to another agent.
func (x *run) dialCDP(ctx context.Context) (net.Conn, error) {
	if _, err := x.Do(ctx, Command{Session: x.session, Verb: &verbs.GetCDPURL}); err != nil {
		return nil, err
	}
	place, err := x.brokerPlace()
	if err != nil {
		return nil, err
	}
	return sockets.Dial(ctx, place)
}

// browserStatus returns the state of the session's browser.
func (x *run) browserStatus(ctx context.Context) (verbs.BrowserStatusOut, error) {
	result, err := x.Do(ctx, Command{Session: x.session, Verb: &verbs.BrowserStatus})
	if err != nil {
		return verbs.BrowserStatusOut{}, err
	}
	out, ok := result.Output.(*verbs.BrowserStatusOut)
	if !ok {
		return verbs.BrowserStatusOut{}, wire.Errorf(wire.CodeInternal, "browser status returned %T", result.Output)
	}
	return *out, nil
}
