package verbs

import (
	"fmt"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

const groupTabs = "Tabs and dialogs"

// Tab is one tab of a session.
type Tab struct {
	TabID    string  `json:"tabId"` // t1, t2, ...: never reused in a session
	Label    *string `json:"label"`
	Title    string  `json:"title"`
	URL      string  `json:"url"`
	Type     string  `json:"type"`
	Active   bool    `json:"active"`
	Crashed  bool    `json:"crashed,omitzero"` // its renderer is gone
	TargetID string  `json:"targetId"`
	// SessionID and State are set where tabs of several sessions are listed.
	SessionID  string    `json:"sessionId,omitzero"`
	State      string    `json:"state,omitzero"`   // live or released
	Mode       string    `json:"mode,omitzero"`    // of its session
	Browser    string    `json:"browser,omitzero"` // default, the profile's name, or one made from its path or endpoint
	OwnerID    string    `json:"ownerId,omitzero"` // the agent that it belongs to
	OpenedAt   time.Time `json:"openedAt,omitzero"`
	ReleasedAt time.Time `json:"releasedAt,omitzero"`
}

// Line is the tab on one line.
func (t Tab) Line() string {
	name, label, state := t.TabID, "", ""
	if t.SessionID != "" {
		name, state = t.SessionID+"/"+t.TabID, " "+t.State
		if t.Mode != "" && t.Mode != wire.ModeShared {
			state += " " + t.Mode
		}
	}
	if t.Label != nil {
		label = *t.Label + " "
	}
	mark := " "
	if t.Active {
		mark = "*"
	}
	return fmt.Sprintf("%s [%s]%s %s%s - %s", mark, name, state, label, t.Title, t.URL)
}

// TabListIn is the input of [TabList].
type TabListIn struct {
	All bool `json:"all,omitzero" help:"the tabs of all sessions, those that tasks left included"`
}

// TabsOut lists tabs.
type TabsOut struct {
	Tabs []Tab `json:"tabs"`
	// LastDownload is the number of the newest download of the session whose tabs
	// its daemon asks the broker for.
	LastDownload int `json:"lastDownload,omitzero"`
	// Notified is how often that session's clients were told of what a page did.
	Notified int `json:"told,omitzero"`
}

// Text is one line a tab, the active one marked with a star.
func (o TabsOut) Text() string {
	var all []string
	for _, t := range o.Tabs {
		all = append(all, t.Line())
	}
	return lines(all...)
}

// TabList lists the session's tabs, or those of all sessions.
var TabList = wire.Verb[TabListIn, TabsOut]{Spec: wire.Spec{
	Name: "tab list", Aliases: []string{"tab", "tabs"}, Group: groupTabs, Short: "List the session's tabs, or with --all everybody's",
	Example: "abrowser tab list --all", Unqueued: true, ReadOnly: true, NoStart: true,
}}

// TabNewIn is the input of [TabNew].
type TabNewIn struct {
	URL   string `json:"url,omitzero" arg:"0" help:"where to go"`
	Label string `json:"label,omitzero" help:"a name for the tab, unique in the session"`
	TimeoutIn
}

// TabNewOut is what [TabNew] answers.
type TabNewOut struct {
	TabID    string  `json:"tabId"`
	Label    *string `json:"label"`
	URL      string  `json:"url"`
	Total    int     `json:"total"`
	TargetID string  `json:"targetId"`
	Effects
}

// Text is the tab and its URL.
func (o TabNewOut) Text() string { return lines(o.TabID+" "+o.URL, o.Effects.Text()) }

// TabNew opens a tab and makes it the session's active one.
var TabNew = wire.Verb[TabNewIn, TabNewOut]{Spec: wire.Spec{
	Name: "tab new", Group: groupTabs, Short: "Open a tab and make it the active one", Example: "abrowser tab new https://example.com --label docs",
}}

// TabRefIn names a tab.
type TabRefIn struct {
	Tab string `json:"tab" arg:"0" required:"true" help:"a tab's id, label or target id"`
}

// TabSwitchOut is what [TabSwitch] answers.
type TabSwitchOut struct {
	TabID    string  `json:"tabId"`
	Label    *string `json:"label"`
	URL      string  `json:"url"`
	Title    string  `json:"title"`
	TargetID string  `json:"targetId"`
}

// Text is the title and the URL, on two lines.
func (o TabSwitchOut) Text() string { return lines(o.Title, o.URL) }

// TabSwitch makes another tab the session's active one.
var TabSwitch = wire.Verb[TabRefIn, TabSwitchOut]{Spec: wire.Spec{
	Name: "tab switch", Aliases: []string{"tab"}, Group: groupTabs, Short: "Make another tab the active one", Example: "abrowser tab t2",
}}

// TabCloseIn is the input of [TabClose].
type TabCloseIn struct {
	Tab string `json:"tab,omitzero" arg:"0" help:"a tab's id, label or target id; without it the active one"`
}

// TabCloseOut is what [TabClose] answers.
type TabCloseOut struct {
	TabID  string  `json:"tabId"`
	Label  *string `json:"label"`
	Closed bool    `json:"closed"`
}

// TabClose closes one of the session's tabs, but not the last one.
var TabClose = wire.Verb[TabCloseIn, TabCloseOut]{Spec: wire.Spec{
	Name: "tab close", Group: groupTabs, Short: "Close one of the session's tabs", Example: "abrowser tab close t2", Destructive: true,
}}

// TabPruneIn is the input of [TabPrune]. At least one of its members is given;
// all that are given must hold.
type TabPruneIn struct {
	OlderThan string `json:"olderThan,omitzero" help:"released longer ago than this: 30m, 12h, 7d"`
	Prefix    string `json:"prefix,omitzero" help:"of sessions whose name starts with this"`
	All       bool   `json:"all,omitzero" help:"all released tabs"`
}

// Check refuses a prune that names no tabs.
func (in TabPruneIn) Check() error {
	if in.OlderThan == "" && in.Prefix == "" && !in.All {
		return wire.Errorf(wire.CodeBadInput, "tab prune takes what to close: --older-than, --prefix or --all").
			WithHint("abrowser tab prune --older-than 12h")
	}
	return nil
}

// TabPruneOut is what [TabPrune] answers.
type TabPruneOut struct {
	Pruned []Tab `json:"pruned"`
}

// Text is one line a tab that was closed.
func (o TabPruneOut) Text() string {
	var all []string
	for _, t := range o.Pruned {
		all = append(all, fmt.Sprintf("closed %s/%s %s", t.SessionID, t.TabID, t.URL))
	}
	return lines(all...)
}

// TabPrune closes released tabs: those that tasks left for review.
var TabPrune = wire.Verb[TabPruneIn, TabPruneOut]{Spec: wire.Spec{
	Name: "tab prune", Group: groupTabs, Short: "Close tabs that ended sessions left open",
	Example: "abrowser tab prune --older-than 12h", By: wire.ByBroker, Unqueued: true, NoStart: true, Destructive: true,
}}

// DialogStatusOut is what [DialogStatus] answers.
type DialogStatusOut struct {
	HasDialog     bool   `json:"hasDialog"`
	Type          string `json:"type,omitzero"`
	Message       string `json:"message,omitzero"`
	DefaultPrompt string `json:"defaultPrompt,omitzero"`
}

// Text is the dialog, or that there is none.
func (o DialogStatusOut) Text() string {
	if !o.HasDialog {
		return "no dialog"
	}
	return o.Type + " " + quoted(o.Message)
}

// DialogStatus says whether a JavaScript dialog is open.
var DialogStatus = wire.Verb[Empty, DialogStatusOut]{Spec: wire.Spec{
	Name: "dialog status", Group: groupTabs, Short: "Print whether a JavaScript dialog is open", Example: "abrowser dialog status",
	Unqueued: true, NoStart: true, ReadOnly: true,
}}
