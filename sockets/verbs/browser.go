package verbs

import (
	"fmt"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// BrowserStatusOut is the output of [BrowserStatus].
type BrowserStatusOut struct {
	Running    bool      `json:"running"`
	Mode       string    `json:"mode,omitzero"` // the mode of sessions that request none: shared, persistent or attached
	Name       string    `json:"name,omitzero"`
	BrowserPID int       `json:"browserPid,omitzero"`
	BrokerPID  int       `json:"brokerPid,omitzero"`
	KeeperPID  int       `json:"keeperPid,omitzero"`
	Build      string    `json:"build,omitzero"`    // the build of the broker
	Restarts   int       `json:"restarts,omitzero"` // how often the browser crashed and was restarted
	Product    string    `json:"product,omitzero"`  // the browser's name and version
	Executable string    `json:"executable,omitzero"`
	Profile    string    `json:"profile,omitzero"`  // the directory of the profile
	Endpoint   string    `json:"endpoint,omitzero"` // the CDP endpoint of an external browser
	Headed     bool      `json:"headed,omitzero"`
	Sandbox    string    `json:"sandbox,omitzero"` // "on", or why the sandbox is off
	Sessions   int       `json:"sessions"`         // the number of sessions with a connected daemon
	Tabs       int       `json:"tabs"`
	Since      time.Time `json:"since,omitzero"`
}

// Text returns the state of the browser.
func (o BrowserStatusOut) Text() string {
	if !o.Running {
		return "no browser is running"
	}
	usage := counted(o.Sessions, "session", "sessions") + ", " + counted(o.Tabs, "tab", "tabs")
	if o.Endpoint != "" {
		return lines(fmt.Sprintf("%s, attached at %s, broker pid %d, keeper pid %d", o.Product, o.Endpoint, o.BrokerPID, o.KeeperPID), usage)
	}
	return lines(
		fmt.Sprintf("%s, browser pid %d, broker pid %d, keeper pid %d", o.Product, o.BrowserPID, o.BrokerPID, o.KeeperPID),
		usage, "profile: "+o.Profile, "sandbox: "+o.Sandbox)
}

// BrowserStatus describes the session's browser, which is the shared one by default.
var BrowserStatus = wire.Verb[Empty, BrowserStatusOut]{Spec: wire.Spec{
	Name: "browser status", NoPolicy: true, Group: groupBrowser, Short: "Print the state of the shared browser", Example: "abrowser browser status",
	By: wire.ByBroker, Unqueued: true, NoStart: true, ReadOnly: true,
}}

// BrowserStopIn is the input of [BrowserStop].
type BrowserStopIn struct {
	All bool `json:"all,omitzero" by:"command" help:"stop the browsers of all profiles"`
}

// BrowserStopOut is the output of [BrowserStop].
type BrowserStopOut struct {
	Stopped  bool `json:"stopped"`
	Detached bool `json:"detached,omitzero"` // set instead of Stopped for an external browser, which keeps running
	Tabs     int  `json:"tabs"`              // the number of closed tabs
}

// Text says that the browser keeps running if it is external. For any other browser it returns an
// empty string.
func (o BrowserStopOut) Text() string {
	if o.Detached {
		return "detached; abrowser did not start the browser, so it keeps running"
	}
	return ""
}

// BrowserStop stops the session's browser, which is the shared one by default, with all its
// tabs. Logins are kept. BrowserStop only detaches from an external browser.
var BrowserStop = wire.Verb[BrowserStopIn, BrowserStopOut]{Spec: wire.Spec{
	Name: "browser stop", Group: groupBrowser, Short: "Stop the shared browser with all tabs; logins are kept",
	Example: "abrowser browser stop", By: wire.ByBroker, Unqueued: true, NoStart: true, Destructive: true, EndsServer: true,
}}

// InstallIn is the input of [Install].
type InstallIn struct {
	WithDeps bool `json:"withDeps,omitzero" help:"also install the system libraries that the browser needs"`
}

// Part is the state of a component that abrowser needs, such as a browser or a directory.
type Part struct {
	Name   string    `json:"name"` // directory, node, driver, browser, ...
	OK     bool      `json:"ok"`
	Detail string    `json:"detail"`
	Code   wire.Code `json:"code,omitzero"`
	Hint   string    `json:"hint,omitzero"` // the command that repairs the component
}

// PartsOut is the output of [Install] and [Doctor].
type PartsOut struct {
	Parts []Part `json:"parts"`
}

// Text returns one line for each component, and the hints for repair.
func (o PartsOut) Text() string {
	var all []string
	for _, p := range o.Parts {
		state := "ok  "
		if !p.OK {
			state = "FAIL"
		}
		all = append(all, fmt.Sprintf("%s %-10s %s", state, p.Name, p.Detail))
		if p.Hint != "" {
			all = append(all, "     repair it with: "+p.Hint)
		}
	}
	return lines(all...)
}

// Install fetches the missing components: a browser, Playwright's driver and node.
var Install = wire.Verb[InstallIn, PartsOut]{Spec: wire.Spec{
	Name: "install", Group: groupBrowser, Short: "Fetch missing parts: a browser, Playwright's driver, node",
	Example: "abrowser install --with-deps", By: wire.ByCommand, NoStart: true,
}}

// Doctor checks all components and says how to repair them.
var Doctor = wire.Verb[Empty, PartsOut]{Spec: wire.Spec{
	Name: "doctor", NoPolicy: true, Group: groupBrowser, Short: "Check all parts and print how to repair them",
	Example: "abrowser doctor", By: wire.ByCommand, NoStart: true, ReadOnly: true,
}}

// Profile is a directory in which a browser keeps logins and settings.
type Profile struct {
	Name      string `json:"name"` // the value for --profile
	Directory string `json:"directory"`
	Shared    bool   `json:"shared,omitzero"` // the profile of the browser that sessions without --profile share
}

// ProfilesOut is the output of [Profiles].
type ProfilesOut struct {
	Profiles []Profile `json:"profiles"`
}

// Text returns a line for each profile.
func (o ProfilesOut) Text() string {
	if len(o.Profiles) == 0 {
		return "No profiles"
	}
	var all []string
	for _, p := range o.Profiles {
		name := p.Name
		if p.Shared {
			name += " (of sessions without --profile)"
		}
		all = append(all, name+"  "+p.Directory)
	}
	return lines(all...)
}

// Profiles lists the profiles whose names --profile accepts.
var Profiles = wire.Verb[Empty, ProfilesOut]{Spec: wire.Spec{
	Name: "profiles", Group: groupProgram, Short: "List the browser profiles that --profile takes by name", Example: "abrowser profiles",
	By: wire.ByCommand, NoStart: true, ReadOnly: true,
}}
