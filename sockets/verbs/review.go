package verbs

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/abrowser/abrowser/sockets/wire"
)

// The ways in which a task can end.
const (
	OutcomeOK     = "ok"
	OutcomeFailed = "failed"
)

// maxNote is the length in bytes of the longest note about a task.
const maxNote = 1000

// Outcome is how a task has ended, as the task itself has reported it.
type Outcome struct {
	Status string    `json:"status"` // [OutcomeOK] or [OutcomeFailed]
	Note   string    `json:"note,omitzero"`
	At     time.Time `json:"at"`
}

// Text returns the outcome as a part of a line.
func (o *Outcome) Text() string {
	switch {
	case o == nil:
		return ""
	case o.Note == "":
		return "done: " + o.Status
	}
	return "done: " + o.Status + ", " + quoted(o.Note)
}

// SessionDoneIn is the input of [SessionDone].
type SessionDoneIn struct {
	Status string `json:"status,omitzero" enum:"ok|failed" help:"how the task has ended: ok (the default) or failed"`
	Note   string `json:"note,omitzero" help:"a sentence for the person who reviews the tabs"`
}

// Check returns an error for a note that is too long or not text.
func (in SessionDoneIn) Check() error {
	return checkNote("the note", in.Note, false)
}

// SessionDoneOut is the output of [SessionDone].
type SessionDoneOut struct {
	Session string  `json:"session"`
	Outcome Outcome `json:"outcome"`
}

// Text is empty, because the command has only to be done.
func (o SessionDoneOut) Text() string { return "" }

// SessionDone records how the session's task has ended. The lists of sessions and tabs show it, until
// the task says something else or another task continues the session after it was closed.
var SessionDone = wire.Verb[SessionDoneIn, SessionDoneOut]{Spec: wire.Spec{
	Name: "session done", Group: groupSession, Short: "Say how the task has ended, for the person who reviews its tabs",
	Long:    "The session is not closed, and nothing changes in its pages. session list, session info and tab list --all show what was said.",
	Example: `abrowser session done --status failed --note "sold out"`, By: wire.ByCommand, NoStart: true,
}}

// BrokerDone is the part of [SessionDone] that the broker does.
var BrokerDone = wire.Verb[SessionDoneIn, SessionDoneOut]{Spec: wire.Spec{
	Name: "broker done", Group: groupBroker, Short: "Record how a session's task has ended",
	Example: "abrowser broker done", By: wire.ByBroker, Unqueued: true, NoStart: true, Hidden: true,
}}

// SessionRecord is what is kept when the daemon of a session ends: see [SessionExport].
type SessionRecord struct {
	At       time.Time        `json:"at"`
	Console  []ConsoleMessage `json:"console"`
	Errors   []PageError      `json:"errors"`
	Requests []Request        `json:"requests"` // without queries, headers and content
}

// ExportIn is the input of [SessionExport].
type ExportIn struct {
	Dir string `json:"dir" arg:"0" required:"true" help:"a directory that does not exist or is empty"`
}

// ExportOut is the output of [SessionExport].
type ExportOut struct {
	Dir   string   `json:"dir"`
	Files []string `json:"files"` // their names in the directory
}

// Text returns the path of each file.
func (o ExportOut) Text() string {
	var all []string
	for _, name := range o.Files {
		all = append(all, o.Dir+"/"+name)
	}
	return lines(all...)
}

// SessionExport writes what is known of a session to files.
var SessionExport = wire.Verb[ExportIn, ExportOut]{Spec: wire.Spec{
	Name: "session export", Group: groupSession, Short: "Write what is known of a session to files: commands, events, tabs, pictures, console, errors, a HAR of the requests, downloads",
	Long: "The commands and the events, of which a browser keeps the last 1000 of all sessions, are there also after the session has ended and its tabs are closed. " +
		"Pictures are of the open tabs, and of those that a person or tab prune has closed. Downloads are those that no command has fetched yet, as long as tabs are open. Console, errors and requests are those that a running session holds, or held when it ended: " +
		"these are kept for 7 days and 1 MB of a session, 64 MB of all, without queries, headers and content of requests, and not of incognito sessions.",
	Example: "abrowser session export report", By: wire.ByCommand, NoStart: true,
}}

// What a session does, as [Tabs] shows it.
const (
	ActivityWorking  = "working"
	ActivityIdle     = "idle"
	ActivityWaiting  = "waiting" // for a person
	ActivityTaken    = "taken"   // over by a person
	ActivityWedged   = "wedged"
	ActivityCrashed  = "crashed"
	ActivityReleased = "released"
)

// LastCommand is the last command of a session.
type LastCommand struct {
	Verb string    `json:"verb"`
	Code wire.Code `json:"code,omitzero"` // why it failed; empty if it did not
	At   time.Time `json:"at"`            // when it ended
	MS   int64     `json:"ms"`
}

// TabTableIn is the input of [Tabs].
type TabTableIn struct {
	Watch bool `json:"watch,omitzero" help:"show the table again whenever something happens, until interrupted"`
}

// TabTable is the output of [Tabs].
type TabTable struct {
	Tabs []Tab `json:"tabs"`
	// Redraw means that the table replaces the one that was shown before.
	Redraw bool `json:"-"`
}

// Text returns the table in its full width.
func (o TabTable) Text() string { return o.table(0) }

// FitText returns the table for a terminal with this number of columns. It first clears the terminal
// if the table replaces another one.
func (o TabTable) FitText(width int) string {
	if o.Redraw {
		const clear = "\x1b[H\x1b[J"
		return clear + o.table(width)
	}
	return o.table(width)
}

// table returns the table. If width is not 0, the titles and URLs are cut so that no line is longer.
func (o TabTable) table(width int) string {
	if len(o.Tabs) == 0 {
		return "no tabs"
	}
	rows := [][]string{{"TAB", "STATE", "AGE", "MEMORY", "LAST COMMAND", "TITLE", "URL"}}
	for _, t := range o.Tabs {
		rows = append(rows, t.row())
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	const title, address = 5, 6
	widths[title] = min(widths[title], 40)
	if width > 0 {
		left := width - 2*address
		for _, w := range widths[:title] {
			left -= w
		}
		widths[title] = min(widths[title], max(left/3, 8))
		widths[address] = min(widths[address], max(left-widths[title], 8))
	}
	var all []string
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			if widths[i] > 0 {
				fmt.Fprintf(&line, "%-*s  ", widths[i], shortened(cell, widths[i]))
			}
		}
		all = append(all, strings.TrimRight(line.String(), " "))
	}
	return lines(all...)
}

// row returns the cells of the tab's row.
func (t Tab) row() []string {
	name, state, memory, command := "  "+t.SessionID+"/"+t.TabID, t.Activity, "", ""
	if t.Active {
		name = "* " + name[2:]
	}
	if t.Outcome != nil {
		state += ", " + t.Outcome.Status
	}
	if t.Kept {
		state += ", kept"
	}
	if t.Question != "" {
		command = "asks: " + t.Question
	} else if c := t.Command; c != nil {
		command = c.Verb
		if c.Code != "" {
			command += ": " + string(c.Code)
		}
		command += ", " + ago(c.At) + " ago"
	}
	if t.Memory > 0 {
		memory = fmt.Sprintf("%d MB", (t.Memory+1<<19)>>20)
	}
	return []string{name, state, ago(t.OpenedAt), memory, shortened(command, 40), oneLine(t.Title), oneLine(t.URL)}
}

// ago returns the time since at, as 5 s, 3 min, 2 h or 4 d.
func ago(at time.Time) string {
	switch d := time.Since(at); {
	case d < time.Minute:
		return fmt.Sprintf("%d s", max(0, d/time.Second))
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	default:
		return fmt.Sprintf("%d d", d/(24*time.Hour))
	}
}

// shortened returns at most n characters of a text.
func shortened(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:max(0, n-1)]) + "…"
}

// oneLine returns a text of a page without control characters, which could move the cursor.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return ' '
		}
		return r
	}, text)
}

// Tabs shows the tabs of all sessions.
var Tabs = wire.Verb[TabTableIn, TabTable]{Spec: wire.Spec{
	Name: "tabs", Group: groupTabs, Short: "Show the tabs of all sessions: what each session does, its last command, memory, title and URL",
	Long: "It shows the tabs of tab list --all in a table. A session is working, idle, waiting for a person, wedged or released; its tabs can have crashed. " +
		"Memory is that of the page's JavaScript and DOM objects. --watch shows the table again whenever something happens; it then asks no page, and shows no memory.",
	Example: "abrowser tabs", By: wire.ByCommand, NoStart: true, ReadOnly: true, PageText: true,
}}
