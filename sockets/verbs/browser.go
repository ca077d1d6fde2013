package verbs

import (
	"fmt"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// BrowserStatusOut is what [BrowserStatus] answers.
type BrowserStatusOut struct {
	Running    bool      `json:"running"`
	Mode       string    `json:"mode,omitzero"` // of sessions that ask for none in it: shared, persistent or attached
	Name       string    `json:"name,omitzero"`
	BrowserPID int       `json:"browserPid,omitzero"`
	BrokerPID  int       `json:"brokerPid,omitzero"`
	KeeperPID  int       `json:"keeperPid,omitzero"`
	Build      string    `json:"build,omitzero"`    // of the broker
	Restarts   int       `json:"restarts,omitzero"` // how often it died and was started again
	Product    string    `json:"product,omitzero"`  // as the browser names itself
	Executable string    `json:"executable,omitzero"`
	Profile    string    `json:"profile,omitzero"`  // the directory
	Endpoint   string    `json:"endpoint,omitzero"` // of a browser that somebody else started
	Headed     bool      `json:"headed,omitzero"`
	Sandbox    string    `json:"sandbox,omitzero"` // on, or why it is off
	Sessions   int       `json:"sessions"`         // with a live connection
	Tabs       int       `json:"tabs"`
	Since      time.Time `json:"since,omitzero"`
}

// Text is the state, one fact a line.
func (o BrowserStatusOut) Text() string {
	if !o.Running {
		return "no browser is running"
	}
	if o.Endpoint != "" {
		return lines(fmt.Sprintf("%s, attached to at %s, broker pid %d, keeper pid %d", o.Product, o.Endpoint, o.BrokerPID, o.KeeperPID),
			counted(o.Sessions, "session", "sessions")+", "+counted(o.Tabs, "tab", "tabs"))
	}
	return lines(
		fmt.Sprintf("%s, browser pid %d, broker pid %d, keeper pid %d", o.Product, o.BrowserPID, o.BrokerPID, o.KeeperPID),
		counted(o.Sessions, "session", "sessions")+", "+counted(o.Tabs, "tab", "tabs"), "profile: "+o.Profile, "sandbox: "+o.Sandbox)
}

// BrowserStatus tells about the shared browser.
var BrowserStatus = wire.Verb[Empty, BrowserStatusOut]{Spec: wire.Spec{
	Name: "browser status", Group: groupBrowser, Short: "Print how the shared browser is", Example: "abrowser browser status",
	By: wire.ByBroker, Unqueued: true, NoStart: true, ReadOnly: true,
}}

// BrowserStopIn is the input of [BrowserStop].
type BrowserStopIn struct {
	All bool `json:"all,omitzero" help:"the browsers of all profiles, too"`
}

// BrowserStopOut is what [BrowserStop] answers.
type BrowserStopOut struct {
	Stopped  bool `json:"stopped"`
	Detached bool `json:"detached,omitzero"` // instead: somebody else started it, and it goes on
	Tabs     int  `json:"tabs"`              // that went with it
}

// Text says where the browser goes on.
func (o BrowserStopOut) Text() string {
	if o.Detached {
		return "detached; the browser is somebody else's and goes on"
	}
	return ""
}

// BrowserStop ends the shared browser with all its tabs; logins are kept. A browser
// that somebody else started is only left.
var BrowserStop = wire.Verb[BrowserStopIn, BrowserStopOut]{Spec: wire.Spec{
	Name: "browser stop", Group: groupBrowser, Short: "Stop the shared browser with all tabs; logins are kept",
	Example: "abrowser browser stop", By: wire.ByBroker, Unqueued: true, NoStart: true, Destructive: true, EndsServer: true,
}}

// InstallIn is the input of [Install].
type InstallIn struct {
	WithDeps bool `json:"withDeps,omitzero" help:"the system libraries that the browser needs, too"`
}

// Part is one part that abrowser needs, and whether it is in order.
type Part struct {
	Name   string    `json:"name"` // directory, node, driver, browser, ...
	OK     bool      `json:"ok"`
	Detail string    `json:"detail"`
	Code   wire.Code `json:"code,omitzero"`
	Hint   string    `json:"hint,omitzero"` // the command that mends it
}

// PartsOut lists parts.
type PartsOut struct {
	Parts []Part `json:"parts"`
}

// Text is one line a part, and its hint where it is not in order.
func (o PartsOut) Text() string {
	var all []string
	for _, p := range o.Parts {
		state := "ok  "
		if !p.OK {
			state = "FAIL"
		}
		all = append(all, fmt.Sprintf("%s %-10s %s", state, p.Name, p.Detail))
		if p.Hint != "" {
			all = append(all, "     mend it with: "+p.Hint)
		}
	}
	return lines(all...)
}

// Install fetches what is missing: a browser and Playwright's driver.
var Install = wire.Verb[InstallIn, PartsOut]{Spec: wire.Spec{
	Name: "install", Group: groupBrowser, Short: "Fetch what is missing: a browser, Playwright's driver, node",
	Example: "abrowser install --with-deps", By: wire.ByCommand, NoStart: true,
}}

// Doctor checks every part and says how to mend what is not in order.
var Doctor = wire.Verb[Empty, PartsOut]{Spec: wire.Spec{
	Name: "doctor", Group: groupBrowser, Short: "Check every part and say how to mend it",
	Example: "abrowser doctor", By: wire.ByCommand, NoStart: true, ReadOnly: true,
}}
