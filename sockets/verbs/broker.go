package verbs

import (
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

const groupBroker = "Between processes"

// TabsIn is the input of [BrokerTabs].
type TabsIn struct {
	Session string `json:"session,omitzero" help:"only this session's"`
	Settled bool   `json:"settled,omitzero" help:"a command has ended: what it may have logged in to is saved first"`
}

// BrokerTabs lists owned tabs with session, state and times; it answers at once
// and after every event of the browser that came before the request.
var BrokerTabs = wire.Verb[TabsIn, TabsOut]{Spec: wire.Spec{
	Name: "broker tabs", Group: groupBroker, Short: "List the tabs of all sessions", Example: "abrowser broker tabs",
	By: wire.ByBroker, Unqueued: true, NoStart: true, ReadOnly: true, Hidden: true,
}}

// NoteIn is the input of [BrokerNote].
type NoteIn struct {
	Session string  `json:"session" required:"true" help:"whose tab it is"`
	Target  string  `json:"target" required:"true" help:"the tab's target id"`
	Active  bool    `json:"active,omitzero" help:"it is the session's active tab now"`
	Label   *string `json:"label,omitzero" help:"its label"`
}

// BrokerNote keeps what only the session's daemon knows of a tab, so that the
// next daemon of the session knows it too.
var BrokerNote = wire.Verb[NoteIn, Empty]{Spec: wire.Spec{
	Name: "broker note", Group: groupBroker, Short: "Keep a tab's label and which tab is active",
	Example: "abrowser broker note", By: wire.ByBroker, Unqueued: true, NoStart: true, Hidden: true,
}}

// ReleaseIn is the input of [BrokerRelease].
type ReleaseIn struct {
	Session string `json:"session" required:"true" help:"the session that ends"`
	Page    bool   `json:"page,omitzero" help:"close its tabs"`
	Force   bool   `json:"force,omitzero" help:"whosever it is"`
}

// ReleaseOut is what [BrokerRelease] answers.
type ReleaseOut struct {
	Kept      int `json:"kept"`
	Closed    int `json:"closed"`
	Discarded int `json:"discarded,omitzero"` // of an incognito session
}

// BrokerRelease ends a session on the browser's side: its tabs stay, released, or
// are closed.
var BrokerRelease = wire.Verb[ReleaseIn, ReleaseOut]{Spec: wire.Spec{
	Name: "broker release", Group: groupBroker, Short: "End a session on the browser's side",
	Example: "abrowser broker release", By: wire.ByBroker, Unqueued: true, NoStart: true, Hidden: true,
}}

// DepartIn is the input of [BrokerDepart].
type DepartIn struct {
	Session string `json:"session" required:"true" help:"the session whose daemon ends"`
	Party   string `json:"party,omitzero" help:"of the daemon's connections, see ParamParty"`
}

// BrokerDepart says that a session's daemon ends and none is to follow: the session lasts,
// and its tabs are left for review without waiting for the daemon to come back.
var BrokerDepart = wire.Verb[DepartIn, Empty]{Spec: wire.Spec{
	Name: "broker depart", Group: groupBroker, Short: "Leave a session's tabs for review, since its daemon ends",
	Example: "abrowser broker depart", By: wire.ByBroker, Unqueued: true, NoStart: true, Hidden: true,
}}

// IncognitoIn is the input of [BrokerIncognito].
type IncognitoIn struct {
	Session string `json:"session" required:"true" help:"the session that is to be incognito"`
}

// BrokerIncognito gives a session a browser context of its own in the place of the
// shared one, unless it has it already. A session with pages in the shared one
// cannot have it: [CodeSettingsDiffer].
var BrokerIncognito = wire.Verb[IncognitoIn, Empty]{Spec: wire.Spec{
	Name: "broker incognito", Group: groupBroker, Short: "Give a session a browser context of its own",
	Example: "abrowser broker incognito", By: wire.ByBroker, Unqueued: true, NoStart: true, Hidden: true,
}}

// BrokerSession is a session as the broker knows it.
type BrokerSession struct {
	Session   string    `json:"session"`
	State     string    `json:"state"` // live or released
	Mode      string    `json:"mode,omitzero"`
	Browser   string    `json:"browser,omitzero"`
	OwnerID   string    `json:"ownerId"`
	Active    string    `json:"active,omitzero"` // the active tab's target id
	Pages     int       `json:"pages"`
	URL       string    `json:"url"`
	Title     string    `json:"title"`
	CreatedAt time.Time `json:"createdAt"`
	LastAt    time.Time `json:"lastAt"` // of the last connection or release
}

// BrokerSessionsOut is what [BrokerSessions] answers.
type BrokerSessionsOut struct {
	Sessions []BrokerSession `json:"sessions"`
}

// BrokerSessions lists the sessions that the broker knows.
var BrokerSessions = wire.Verb[Empty, BrokerSessionsOut]{Spec: wire.Spec{
	Name: "broker sessions", Group: groupBroker, Short: "List the sessions that the broker knows",
	Example: "abrowser broker sessions", By: wire.ByBroker, Unqueued: true, NoStart: true, ReadOnly: true, Hidden: true,
}}

// NoticesIn is the input of [BrokerNotices].
type NoticesIn struct {
	Session string `json:"session" required:"true" help:"whose news"`
	Seen    int64  `json:"heard,omitzero" help:"the time of news that have been told"`
	// IdleTimeout is what the session was asked for: see Settings.BrowserIdle.
	IdleTimeout string `json:"idleTimeout,omitzero" is:"duration" help:"time after which a browser without tabs is stopped"`
}

// NoticesOut is what [BrokerNotices] answers.
type NoticesOut struct {
	Browser  string     `json:"browser"`           // another word for each browser that runs
	Windowed bool       `json:"windowed,omitzero"` // it has windows that a person sees
	Reopened []Reopened `json:"reopened,omitzero"`
	At       int64      `json:"at,omitzero"` // the time of these news
}

// Reopened is a tab that was opened again after its browser had died.
type Reopened struct {
	TabID string `json:"tabId"`
	URL   string `json:"url"`             // where it had been
	Empty bool   `json:"empty,omitempty"` // it is not there again
}

// BrokerNotices tells what happened to a session's tabs while nobody looked, until it
// is told that the session has heard it.
var BrokerNotices = wire.Verb[NoticesIn, NoticesOut]{Spec: wire.Spec{
	Name: "broker news", Group: groupBroker, Short: "Tell what happened to a session's tabs", Example: "abrowser broker news",
	By: wire.ByBroker, Unqueued: true, NoStart: true, ReadOnly: true, Hidden: true,
}}
