package verbs

import (
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

const groupBroker = "Between processes"

// TabsIn is the input of [BrokerTabs].
type TabsIn struct {
	Session string `json:"session,omitzero" help:"only the tabs of this session"`
	Settled bool   `json:"settled,omitzero" help:"a command has ended: first save the cookies that it may have set"`
	Memory  bool   `json:"memory,omitzero" help:"ask the pages how much memory they use"`
}

// BrokerTabs lists the tabs that belong to sessions. Before the broker responds, it handles the
// events that the browser has sent so far, so that the list is current.
var BrokerTabs = wire.Verb[TabsIn, TabsOut]{Spec: wire.Spec{
	Name: "broker tabs", Group: groupBroker, Short: "List the tabs of all sessions", Example: "abrowser broker tabs",
	By: wire.ByBroker, Unqueued: true, NoStart: true, ReadOnly: true, Hidden: true,
}}

// NoteIn is the input of [BrokerNote].
type NoteIn struct {
	Session string  `json:"session" required:"true" help:"the session of the tab"`
	Target  string  `json:"target" required:"true" help:"the tab's target id"`
	Active  bool    `json:"active,omitzero" help:"make the tab the session's active one"`
	Label   *string `json:"label,omitzero" help:"the label of the tab"`
}

// BrokerNote makes the broker store the label of a tab, or store that a tab is the session's active
// one. Otherwise only the session's daemon would have this data, and the next daemon of the session
// could not get it.
var BrokerNote = wire.Verb[NoteIn, Empty]{Spec: wire.Spec{
	Name: "broker note", Group: groupBroker, Short: "Store a tab's label and which tab is active",
	Example: "abrowser broker note", By: wire.ByBroker, Unqueued: true, NoStart: true, Hidden: true,
}}

// ReleaseIn is the input of [BrokerRelease].
type ReleaseIn struct {
	Session string `json:"session" required:"true" help:"the session that ends"`
	Page    bool   `json:"page,omitzero" help:"close its tabs"`
	Force   bool   `json:"force,omitzero" help:"even if it belongs to another agent"`
}

// ReleaseOut is the output of [BrokerRelease].
type ReleaseOut struct {
	Kept      int `json:"kept"`
	Closed    int `json:"closed"`
	Discarded int `json:"discarded,omitzero"` // the closed tabs of an incognito session
}

// BrokerRelease ends a session in the browser. If Page is set, the session's tabs are closed.
// Otherwise they stay open for review, except those of an incognito session, which are always
// closed.
var BrokerRelease = wire.Verb[ReleaseIn, ReleaseOut]{Spec: wire.Spec{
	Name: "broker release", Group: groupBroker, Short: "End a session in the browser",
	Example: "abrowser broker release", By: wire.ByBroker, Unqueued: true, NoStart: true, Hidden: true,
}}

// DepartIn is the input of [BrokerDepart].
type DepartIn struct {
	Session string `json:"session" required:"true" help:"the session whose daemon ends"`
	Party   string `json:"party,omitzero" help:"the party of the daemon's connections, see ParamParty"`
}

// BrokerDepart announces that a session's daemon ends and that no other daemon replaces it now.
// The session continues to exist. If the session has no other client, the broker releases its
// tabs immediately. Without the announcement, the broker would first wait some seconds for a
// daemon to connect again.
var BrokerDepart = wire.Verb[DepartIn, Empty]{Spec: wire.Spec{
	Name: "broker depart", Group: groupBroker, Short: "Release a session's tabs, since its daemon ends",
	Example: "abrowser broker depart", By: wire.ByBroker, Unqueued: true, NoStart: true, Hidden: true,
}}

// IncognitoIn is the input of [BrokerIncognito].
type IncognitoIn struct {
	Session string   `json:"session" required:"true" help:"the session to make incognito"`
	Domains []string `json:"domains,omitzero" help:"the only domains that its pages may reach; without them, all"`
}

// BrokerIncognito gives a session its own browser context, unless it already has one. For a
// session with pages in the shared context or with other domains it returns
// [wire.CodeSettingsDiffer].
var BrokerIncognito = wire.Verb[IncognitoIn, Empty]{Spec: wire.Spec{
	Name: "broker incognito", Group: groupBroker, Short: "Give a session its own browser context",
	Example: "abrowser broker incognito", By: wire.ByBroker, Unqueued: true, NoStart: true, Hidden: true,
}}

// BrokerSession is a session in the list of the broker.
type BrokerSession struct {
	Session   string    `json:"session"`
	State     string    `json:"state"` // [StateLive] or [StateReleased]
	Mode      string    `json:"mode,omitzero"`
	Browser   string    `json:"browser,omitzero"`
	OwnerID   string    `json:"ownerId"`
	Active    string    `json:"active,omitzero"` // the active tab's target id
	Pages     int       `json:"pages"`
	Outcome   *Outcome  `json:"outcome,omitzero"`
	URL       string    `json:"url"`
	Title     string    `json:"title"`
	CreatedAt time.Time `json:"createdAt"`
	// LastAt is the time of the last of these events: a client connected or disconnected, a client
	// other than the daemon sent a message, or the session ended.
	LastAt time.Time `json:"lastAt"`
	// Clients is the number of programs that are connected to the session's CDP endpoint. The
	// session's daemon does not count.
	Clients int `json:"clients,omitzero"`
}

// BrokerSessionsOut is the output of [BrokerSessions].
type BrokerSessionsOut struct {
	Sessions []BrokerSession `json:"sessions"`
}

// BrokerSessions lists the sessions with tabs, and those whose daemon is connected.
var BrokerSessions = wire.Verb[Empty, BrokerSessionsOut]{Spec: wire.Spec{
	Name: "broker sessions", Group: groupBroker, Short: "List the sessions of a browser",
	Example: "abrowser broker sessions", By: wire.ByBroker, Unqueued: true, NoStart: true, ReadOnly: true, Hidden: true,
}}

// NoticesIn is the input of [BrokerNotices].
type NoticesIn struct {
	Session string `json:"session" required:"true" help:"the session whose notices are returned"`
	Seen    int64  `json:"heard,omitzero" help:"the time of the notices that the session has received"`
	// IdleTimeout is the value that the session requests for [wire.Settings.BrowserIdle].
	IdleTimeout string `json:"idleTimeout,omitzero" is:"duration" help:"time after which a browser without tabs is stopped"`
}

// NoticesOut is the output of [BrokerNotices].
type NoticesOut struct {
	Browser  string     `json:"browser"`           // an identifier of the browser process
	Windowed bool       `json:"windowed,omitzero"` // the browser has visible windows
	Reopened []Reopened `json:"reopened,omitzero"`
	At       int64      `json:"at,omitzero"` // when the broker last opened tabs again, in milliseconds since 1970
}

// Reopened is a tab that was opened again after its browser had crashed.
type Reopened struct {
	TabID string `json:"tabId"`
	URL   string `json:"url"`             // its URL before the crash
	Empty bool   `json:"empty,omitempty"` // the page could not be restored
}

// BrokerNotices returns the tabs that the broker has opened again for a session after a crash of
// the browser. The daemon confirms that it has received them by sending the At of the response
// as Seen in its next request. Until then, the broker returns the same tabs again.
var BrokerNotices = wire.Verb[NoticesIn, NoticesOut]{Spec: wire.Spec{
	Name: "broker news", Group: groupBroker, Short: "Return what happened to a session's tabs", Example: "abrowser broker news",
	By: wire.ByBroker, Unqueued: true, NoStart: true, ReadOnly: true, Hidden: true,
}}
