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
	Crashed  bool    `json:"crashed,omitzero"` // the tab's renderer has crashed
	Kept     bool    `json:"kept,omitzero"`    // [TabPrune] does not close the tab; see [TabKeep]
	TargetID string  `json:"targetId"`
	// SessionID and State are set in lists of several sessions.
	SessionID string `json:"sessionId,omitzero"`
	State     string `json:"state,omitzero"` // [StateLive] or [StateReleased]
	Mode      string `json:"mode,omitzero"`  // the mode of the tab's session
	// Browser is "default", the profile's name, or a name with a hash of the profile's directory or of
	// the CDP endpoint.
	Browser string   `json:"browser,omitzero"`
	OwnerID string   `json:"ownerId,omitzero"` // the agent that owns the tab
	Outcome *Outcome `json:"outcome,omitzero"` // what the session's task has said about its end
	// Activity, Command, Question and Memory are set by [Tabs].
	Activity   string       `json:"activity,omitzero"`    // see [ActivityWorking]
	Command    *LastCommand `json:"lastCommand,omitzero"` // of the tab's session
	Question   string       `json:"question,omitzero"`    // what the session asks a person
	Memory     int64        `json:"memory,omitzero"`      // bytes of the page's JavaScript and DOM objects
	OpenedAt   time.Time    `json:"openedAt,omitzero"`
	ReleasedAt time.Time    `json:"releasedAt,omitzero"`
}

// Line returns the tab as one line of text.
func (t Tab) Line() string {
	name, label, state := t.TabID, "", ""
	if t.SessionID != "" {
		name, state = t.SessionID+"/"+t.TabID, " "+t.State
		if t.Mode != "" && t.Mode != wire.ModeShared {
			state += " " + t.Mode
		}
		if t.Outcome != nil {
			state += " " + t.Outcome.Status
		}
		if t.Kept {
			state += " kept"
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
	All bool `json:"all,omitzero" by:"command" help:"list the tabs of all sessions, including released tabs"`
}

// TabsOut lists tabs.
type TabsOut struct {
	Tabs []Tab `json:"tabs"`
	// LastDownload is the [BrokerDownload.Number] of the session's newest download. Only
	// [BrokerTabs] sets it, and only if its input names a session.
	LastDownload int `json:"lastDownload,omitzero"`
	// Notified is the number of CDP events about pages that the broker has sent to the session's
	// clients. Like LastDownload, it is set only in lists of a single session.
	Notified int `json:"told,omitzero"`
	// FileChoosers is the number of those events that are about a file chooser. Like LastDownload, it
	// is set only in lists of a single session.
	FileChoosers int `json:"fileChoosers,omitzero"`
}

// Text returns one line for each tab; a star marks the active one.
func (o TabsOut) Text() string {
	var all []string
	for _, t := range o.Tabs {
		all = append(all, t.Line())
	}
	return lines(all...)
}

// TabList lists the session's tabs, or those of all sessions.
var TabList = wire.Verb[TabListIn, TabsOut]{Spec: wire.Spec{
	Name: "tab list", PageText: true, Aliases: []string{"tab"}, Group: groupTabs, Short: "List the session's tabs, or with --all those of all sessions",
	Example: "abrowser tab list --all", Unqueued: true, ReadOnly: true, NoStart: true,
}}

// TabNewIn is the input of [TabNew].
type TabNewIn struct {
	URL   string `json:"url,omitzero" arg:"0" help:"the URL to open"`
	Label string `json:"label,omitzero" help:"a name for the tab, unique in the session"`
	TimeoutIn
}

// TabNewOut is the output of [TabNew].
type TabNewOut struct {
	TabID    string  `json:"tabId"`
	Label    *string `json:"label"`
	URL      string  `json:"url"`
	Total    int     `json:"total"`
	TargetID string  `json:"targetId"`
	Effects
}

// Text returns the tab with its URL, and the effects.
func (o TabNewOut) Text() string { return lines(o.TabID+" "+o.URL, o.Effects.Text()) }

// TabNew opens a tab and makes it the session's active one.
var TabNew = wire.Verb[TabNewIn, TabNewOut]{Spec: wire.Spec{
	Name: "tab new", Group: groupTabs, Short: "Open a tab and make it the active one", Example: "abrowser tab new https://example.com --label docs",
}}

// WindowNewIn is the input of [WindowNew].
type WindowNewIn struct{ TimeoutIn }

// WindowNewOut is the output of [WindowNew].
type WindowNewOut struct {
	TabID    string `json:"tabId"`
	Total    int    `json:"total"`
	TargetID string `json:"targetId"`
}

// Text returns the tab.
func (o WindowNewOut) Text() string {
	return fmt.Sprintf("%s (%s)", o.TabID, counted(o.Total, "tab", "tabs"))
}

// WindowNew opens a tab in a new window, and makes it the session's active one.
var WindowNew = wire.Verb[WindowNewIn, WindowNewOut]{Spec: wire.Spec{
	Name: "window new", Group: groupTabs, Short: "Open a tab in a new window and make it the active one", Example: "abrowser window new",
	Long: "The window has the cookies of the session's other tabs. --mode incognito starts a session with cookies of its own.",
}}

// TabRefIn is the input of [TabSwitch].
type TabRefIn struct {
	Tab string `json:"tab" arg:"0" required:"true" help:"a tab's id, label or target id"`
}

// TabSwitchOut is the output of [TabSwitch].
type TabSwitchOut struct {
	TabID    string  `json:"tabId"`
	Label    *string `json:"label"`
	URL      string  `json:"url"`
	Title    string  `json:"title"`
	TargetID string  `json:"targetId"`
}

// Text returns the title and the URL on two lines.
func (o TabSwitchOut) Text() string { return lines(o.Title, o.URL) }

// TabSwitch makes another tab the session's active one.
var TabSwitch = wire.Verb[TabRefIn, TabSwitchOut]{Spec: wire.Spec{
	Name: "tab switch", Aliases: []string{"tab"}, Group: groupTabs, Short: "Make another tab the active one", Example: "abrowser tab t2",
}}

// TabCloseIn is the input of [TabClose].
type TabCloseIn struct {
	Tab string `json:"tab,omitzero" arg:"0" help:"a tab's id, label or target id; the default is the active tab"`
}

// TabCloseOut is the output of [TabClose].
type TabCloseOut struct {
	TabID  string  `json:"tabId"`
	Label  *string `json:"label"`
	Closed bool    `json:"closed"`
}

// TabClose closes one of the session's tabs. It cannot close the only tab of the session.
var TabClose = wire.Verb[TabCloseIn, TabCloseOut]{Spec: wire.Spec{
	Name: "tab close", Group: groupTabs, Short: "Close one of the session's tabs", Example: "abrowser tab close t2", Destructive: true,
}}

// TabPruneIn is the input of [TabPrune]. At least one condition is required. A tab is closed if
// it meets all given conditions.
type TabPruneIn struct {
	OlderThan string `json:"olderThan,omitzero" help:"close tabs released longer ago than this: 30m, 12h, 7d"`
	Prefix    string `json:"prefix,omitzero" help:"close tabs of sessions whose names start with this"`
	All       bool   `json:"all,omitzero" help:"close all released tabs"`
	DryRun    bool   `json:"dryRun,omitzero" help:"close nothing, and list the tabs that would be closed"`
}

// Check returns an error if no condition is given.
func (in TabPruneIn) Check() error {
	if in.OlderThan == "" && in.Prefix == "" && !in.All {
		return wire.Errorf(wire.CodeBadInput, "tab prune needs a condition: --older-than, --prefix or --all").
			WithHint("abrowser tab prune --older-than 12h")
	}
	return nil
}

// TabPruneOut is the output of [TabPrune].
type TabPruneOut struct {
	Pruned []Tab `json:"pruned"`
	DryRun bool  `json:"dryRun,omitzero"` // nothing was closed
}

// Text returns one line for each tab.
func (o TabPruneOut) Text() string {
	did := "closed"
	if o.DryRun {
		did = "would close"
	}
	var all []string
	for _, t := range o.Pruned {
		all = append(all, fmt.Sprintf("%s %s/%s %s", did, t.SessionID, t.TabID, t.URL))
	}
	return lines(all...)
}

// TabPrune closes released tabs: those of sessions whose daemon has ended.
var TabPrune = wire.Verb[TabPruneIn, TabPruneOut]{Spec: wire.Spec{
	Name: "tab prune", Group: groupTabs, Short: "Close tabs that ended sessions have left open",
	Example: "abrowser tab prune --older-than 12h", By: wire.ByBroker, Unqueued: true, NoStart: true, Destructive: true,
}}

// TabKeepIn is the input of [TabKeep].
type TabKeepIn struct {
	Tab string `json:"tab" arg:"0" required:"true" help:"the tab: t2, a label or a target id; SESSION/t2 for a tab of another session"`
	Off bool   `json:"off,omitzero" help:"tab prune may close the tab again"`
}

// TabKeepOut is the output of [TabKeep].
type TabKeepOut struct {
	Session string `json:"session"`
	TabID   string `json:"tabId"`
	Kept    bool   `json:"kept"`
}

// Text returns whether the tab is kept.
func (o TabKeepOut) Text() string {
	if o.Kept {
		return fmt.Sprintf("tab prune leaves %s/%s open", o.Session, o.TabID)
	}
	return fmt.Sprintf("tab prune may close %s/%s", o.Session, o.TabID)
}

// TabKeep excepts a tab from [TabPrune].
var TabKeep = wire.Verb[TabKeepIn, TabKeepOut]{Spec: wire.Spec{
	Name: "tab keep", Group: groupTabs, Short: "Leave a tab open for a person, whatever tab prune closes",
	Long:    "The review page marks such tabs, and does not close them with the others. tab close, and close --page of the tab's own session, close them.",
	Example: "abrowser tab keep t1", By: wire.ByCommand, NoStart: true,
}}

// BrokerKeep is the part of [TabKeep] that the broker does.
var BrokerKeep = wire.Verb[TabKeepIn, TabKeepOut]{Spec: wire.Spec{
	Name: "broker keep", Group: groupBroker, Short: "Except a tab from tab prune", Example: "abrowser broker keep",
	By: wire.ByBroker, Unqueued: true, NoStart: true, Hidden: true,
}}

// DialogStatusOut is the output of [DialogStatus].
type DialogStatusOut struct {
	HasDialog     bool   `json:"hasDialog"`
	Type          string `json:"type,omitzero"`
	Message       string `json:"message,omitzero"`
	DefaultPrompt string `json:"defaultPrompt,omitzero"`
}

// Text returns the type and the message of the open dialog.
func (o DialogStatusOut) Text() string {
	if !o.HasDialog {
		return "no dialog"
	}
	return o.Type + " " + quoted(o.Message)
}

// DialogStatus returns the open JavaScript dialog, if any.
var DialogStatus = wire.Verb[Empty, DialogStatusOut]{Spec: wire.Spec{
	Name: "dialog status", NoPolicy: true, Group: groupTabs, Short: "Print whether a JavaScript dialog is open", Example: "abrowser dialog status",
	Unqueued: true, NoStart: true, ReadOnly: true,
}}

// FrameIn is the input of [FrameSelect].
type FrameIn struct {
	Selector string `json:"selector" arg:"0" required:"true" help:"the frame: a selector, a ref or the frame's name"`
	TimeoutIn
}

// ElementName returns the selector or ref.
func (in FrameIn) ElementName() string { return in.Selector }

// FrameOut is the output of [FrameSelect] and [FrameMain].
type FrameOut struct {
	// Frame is the frame's name, or the caller's selector if the frame has no name. It is "main" for
	// the main frame.
	Frame string `json:"frame"`
}

// FrameSelect makes the session's later commands act in a frame.
var FrameSelect = wire.Verb[FrameIn, FrameOut]{Spec: wire.Spec{
	Name: "frame", Group: groupTabs, Short: "Act in a frame from now on",
	Long: "Selectors, snapshot, eval, find, wait and screenshot are then about that frame, whatever its origin. A frame inside it is chosen by another frame command. " +
		"abrowser frame main returns to the page; so does open, and a change of the tab. Refs work in every frame.",
	Example: "abrowser frame '#inner'",
}}

// FrameMain makes the session's commands act in the main frame.
var FrameMain = wire.Verb[Empty, FrameOut]{Spec: wire.Spec{
	Name: "frame main", Group: groupTabs, Short: "Act in the page again, not in one of its frames", Example: "abrowser frame main",
}}
