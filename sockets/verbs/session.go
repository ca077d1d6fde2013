package verbs

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	groupSession = "Sessions"
	groupBrowser = "Browser and installation"
)

// Step is one command of a [Batch].
type Step struct {
	Command []string        `json:"command"` // as it was typed
	Verb    string          `json:"verb"`
	In      json.RawMessage `json:"in"`
}

// BatchIn is the input of [Batch].
type BatchIn struct {
	Steps []Step `json:"steps" flag:"-" help:"the commands"`
	Bail  bool   `json:"bail,omitzero" help:"stop at the first failure"`
	// Commands is for the command line, which makes the steps from it.
	Commands    []string `json:"commands,omitzero" arg:"0..." help:"commands, each one argument; without any a JSON array of word arrays on standard input"`
	OmitCommand bool     `json:"omitCommand,omitzero" help:"number the results instead of repeating the commands"`
}

// StepResult is the outcome of one step.
type StepResult struct {
	Command []string        `json:"command,omitzero"`
	Index   *int            `json:"index,omitzero"`
	Success bool            `json:"success"`
	Result  json.RawMessage `json:"result"`
	Error   *string         `json:"error"`
	Code    wire.Code       `json:"code,omitzero"`
	Hint    string          `json:"hint,omitzero"`
	Warning string          `json:"warning,omitzero"`
	Records []wire.Record   `json:"records,omitzero"` // what policies decided meanwhile
	Text    string          `json:"-"`                // filled by the command line from the step's own output type
}

// BatchOut is what [Batch] answers.
type BatchOut struct {
	Results []StepResult `json:"results"`
}

// Batch runs several commands in one request, nothing of another caller between.
var Batch = wire.Verb[BatchIn, BatchOut]{Spec: wire.Spec{
	Name: "batch", Group: groupSession, Short: "Run several commands in one go, nothing of another caller in between",
	Example: `abrowser batch "open https://example.com" "get title"`,
}}

// CloseIn is the input of [Close].
type CloseIn struct {
	Page bool `json:"page,omitzero" help:"close the session's tabs too, instead of leaving them for review"`
	All  bool `json:"all,omitzero" help:"end all sessions of one's own"`
	// Force is for --all.
	Force bool `json:"force,omitzero" by:"person" help:"with --all: those of other agents too; only where no session is set in the environment"`
}

// CloseOut is what [Close] answers. Sessions and Skipped are set with --all.
type CloseOut struct {
	Closed    any      `json:"closed"`             // true, or with --all how many
	Kept      int      `json:"kept"`               // tabs left open
	Discarded int      `json:"discarded,omitzero"` // tabs of incognito sessions, which are gone
	Sessions  []string `json:"sessions,omitzero"`
	Skipped   []string `json:"skipped,omitzero"` // sessions of other agents
	HAR       string   `json:"har,omitzero"`     // that was written
}

// Text says what was ended and what is left for review.
func (o CloseOut) Text() string {
	kept, discarded := "", ""
	if o.Kept > 0 {
		kept = counted(o.Kept, "tab stays", "tabs stay") + " open for review; abrowser tab --all lists them"
	}
	if o.Discarded > 0 {
		discarded = counted(o.Discarded, "incognito tab is", "incognito tabs are") + " discarded; nothing of them is kept"
	}
	return lines(kept, discarded, o.HAR)
}

// Close ends the session; its tabs stay open, for review and for a follow-up.
var Close = wire.Verb[CloseIn, CloseOut]{Spec: wire.Spec{
	Name: "close", Aliases: []string{"quit", "exit"}, Group: groupSession, Short: "End the session; its tabs stay open",
	Example: "abrowser close", Unqueued: true, NoStart: true, EndsServer: true,
}}

// KillIn is the input of [Kill].
type KillIn struct {
	Page bool `json:"page,omitzero" help:"close the session's tabs too, instead of leaving them for review"`
}

// KillOut is what [Kill] answers.
type KillOut struct {
	Killed     bool `json:"killed"` // there was a daemon
	Kept       int  `json:"kept"`   // tabs left open
	ClosedTabs int  `json:"closedTabs,omitzero"`
	Discarded  int  `json:"discarded,omitzero"` // tabs of an incognito session
}

// Text says what was ended and what is left for review.
func (o KillOut) Text() string {
	if !o.Killed {
		return lines("no daemon to kill", CloseOut{Kept: o.Kept, Discarded: o.Discarded}.Text())
	}
	return CloseOut{Kept: o.Kept, Discarded: o.Discarded}.Text()
}

// Kill ends the session by force: for a daemon or driver that does not answer.
var Kill = wire.Verb[KillIn, KillOut]{Spec: wire.Spec{
	Name: "kill", Group: groupSession, Short: "End the session by force, also when it does not answer; its tabs stay open",
	Example: "abrowser kill", By: wire.ByCommand, NoStart: true,
}}

// The states of a session. A tab's session is live or released.
const (
	StateStarting = "starting" // its daemon connects to the browser
	StateReady    = "ready"
	StateBusy     = "busy"     // a command runs
	StateWedged   = "wedged"   // its page or daemon does not respond
	StateLive     = "live"     // its daemon is connected to the broker
	StateReleased = "released" // it has ended and left its tabs open
)

// StatusOut is what [Status] answers.
type StatusOut struct {
	SessionID string `json:"sessionId"`
	Running   bool   `json:"running"`
	State     string `json:"state,omitzero"` // see [StateReady]
	Mode      string `json:"mode,omitzero"`
	PID       int    `json:"pid,omitzero"`
	Build     string `json:"build,omitzero"`
	Wedged    bool   `json:"wedged,omitzero"` // it does not answer; Reason and Hint say what and the way out
	Reason    string `json:"reason,omitzero"`
	Command   string `json:"command,omitzero"` // the verb that runs now
	Waiting   int    `json:"waiting,omitzero"` // commands behind it
	// LastActivityAt is when the last command ended: now, while one runs.
	LastActivityAt time.Time `json:"lastActivityAt,omitzero"`
	// Driver is Playwright's driver of the session, while it has one.
	Driver   DriverStatus `json:"driver,omitzero"`
	URL      string       `json:"url,omitzero"`
	Title    string       `json:"title,omitzero"`
	Pages    int          `json:"pages,omitzero"`
	Device   string       `json:"device,omitzero"`
	Viewport string       `json:"viewport,omitzero"` // where it was set
	Hint     string       `json:"hint,omitzero"`
}

// DriverStatus is a session's driver.
type DriverStatus struct {
	PID      int  `json:"pid"`
	Shared   bool `json:"shared"`
	Sessions int  `json:"sessions,omitzero"` // that it serves; 0 where it does not say
}

// Text is the state on one line.
func (o StatusOut) Text() string {
	if !o.Running {
		return fmt.Sprintf("session %s is not running", o.SessionID)
	}
	s := fmt.Sprintf("session %s %s (pid %d)", o.SessionID, o.State, o.PID)
	if o.Command != "" {
		s += ", runs " + o.Command
	}
	driver := ""
	if o.Driver.PID != 0 {
		driver = fmt.Sprintf("driver pid %d", o.Driver.PID)
		if o.Driver.Sessions > 0 {
			driver += ", serves " + counted(o.Driver.Sessions, "session", "sessions")
		}
	}
	return lines(s, o.Reason, o.URL, driver, o.Hint)
}

// Status says how the session is, also while a command runs.
var Status = wire.Verb[Empty, StatusOut]{Spec: wire.Spec{
	Name: "status", Group: groupSession, Short: "Print how the session is", Example: "abrowser status",
	Unqueued: true, NoStart: true, ReadOnly: true,
}}

// SessionOut is what [Session] answers.
type SessionOut struct {
	Session string `json:"session"`
}

// Text is the session's name.
func (o SessionOut) Text() string { return o.Session }

// Session names the session that commands here belong to.
var Session = wire.Verb[Empty, SessionOut]{Spec: wire.Spec{
	Name: "session", Group: groupSession, Short: "Print the name of the session", Example: "abrowser session",
	By: wire.ByCommand, NoStart: true, ReadOnly: true,
}}

// TypeBrowser is the type of a session whose pages are in a browser.
const TypeBrowser = "browser"

// SessionEntry is one session of [SessionList].
type SessionEntry struct {
	ID             string       `json:"id"`
	SessionID      string       `json:"sessionId"`
	Type           string       `json:"type"`
	Mode           string       `json:"mode"`
	Browser        string       `json:"browser,omitzero"` // that it has tabs in: default, or another's name
	State          string       `json:"state"`            // starting, ready, busy, wedged or released
	Wedged         bool         `json:"wedged,omitzero"`
	Hint           string       `json:"hint,omitzero"` // the way out, where it is wedged
	URL            string       `json:"url"`
	Title          string       `json:"title"`
	Pages          int          `json:"pages"`
	OpenedAt       time.Time    `json:"openedAt"`
	CreatedAt      time.Time    `json:"createdAt"`
	LastActivityAt time.Time    `json:"lastActivityAt"`
	OwnerID        string       `json:"ownerId"`
	PID            int          `json:"pid,omitzero"`
	Capabilities   Capabilities `json:"capabilities"`
}

// Capabilities are what a session's pages are shown as.
type Capabilities struct {
	BrowserName string `json:"browserName"`
	DeviceName  string `json:"deviceName,omitzero"`
	Viewport    string `json:"viewport,omitzero"` // 800x600, where it was set
	Headed      bool   `json:"headed,omitzero"`
}

// SessionListOut is what [SessionList] answers.
type SessionListOut struct {
	Sessions       []SessionEntry `json:"sessions"`
	CurrentSession string         `json:"currentSession"`
}

// Text is one line a session, the current one marked with a star.
func (o SessionListOut) Text() string {
	var all []string
	for _, s := range o.Sessions {
		mark := " "
		if s.ID == o.CurrentSession {
			mark = "*"
		}
		mode := ""
		if s.Mode != wire.ModeShared {
			mode = s.Mode + "  "
		}
		all = append(all, strings.TrimRight(fmt.Sprintf("%s %-20s %-9s %-7s  %s%s", mark, s.ID, s.State, counted(s.Pages, "tab", "tabs"), mode, s.URL), " "))
	}
	return lines(all...)
}

// SessionList lists all sessions, those that ended but left tabs included.
var SessionList = wire.Verb[Empty, SessionListOut]{Spec: wire.Spec{
	Name: "session list", Group: groupSession, Short: "List all sessions, with those that left tabs for review",
	Example: "abrowser session list", By: wire.ByCommand, NoStart: true, ReadOnly: true,
}}

// SessionInfoOut is what [SessionInfo] answers.
type SessionInfoOut struct {
	Session string       `json:"session"`
	Active  bool         `json:"active"`
	PID     int          `json:"pid"`
	Socket  string       `json:"socket"`
	Log     string       `json:"log"`
	Version string       `json:"version"`
	Entry   SessionEntry `json:"entry"`
}

// Text is one line for each fact.
func (o SessionInfoOut) Text() string {
	state := "not running"
	if o.Active {
		state = fmt.Sprintf("running (pid %d)", o.PID)
	}
	hint := ""
	if o.Entry.Hint != "" {
		hint = "hint:    " + o.Entry.Hint
	}
	return lines("session: "+o.Session, "daemon:  "+state, "state:   "+o.Entry.State, "mode:    "+o.Entry.Mode, hint, "url:     "+o.Entry.URL,
		"socket:  "+o.Socket, "log:     "+o.Log)
}

// SessionInfo tells about the session.
var SessionInfo = wire.Verb[Empty, SessionInfoOut]{Spec: wire.Spec{
	Name: "session info", Group: groupSession, Short: "Print what is known of the session", Example: "abrowser session info",
	By: wire.ByCommand, NoStart: true, ReadOnly: true,
}}

// SessionLogIn is the input of [SessionLog].
type SessionLogIn struct {
	Name string `json:"name,omitzero" arg:"0" help:"whose log; without it the session's own"`
	Last int    `json:"last,omitzero" min:"1" help:"only so many, the newest"`
}

// Activity is one command that a session was asked for.
type Activity struct {
	Time string    `json:"time"`
	Verb string    `json:"verb"`
	Code wire.Code `json:"code"` // of the error, empty where it was done
	MS   float64   `json:"ms"`
}

// SessionLogOut is what [SessionLog] answers.
type SessionLogOut struct {
	Session  string     `json:"session"`
	Commands []Activity `json:"commands"`
}

// Text is one line of JSON for each command.
func (o SessionLogOut) Text() string {
	var all []string
	for _, c := range o.Commands {
		raw, err := json.Marshal(c)
		if err == nil {
			all = append(all, string(raw))
		}
	}
	return lines(all...)
}

// SessionLog prints what a session was asked for.
var SessionLog = wire.Verb[SessionLogIn, SessionLogOut]{Spec: wire.Spec{
	Name: "session log", Group: groupSession, Short: "Print what a session was asked for, one line of JSON a command",
	Long:    "Time, command, error's code and duration; never what was typed. It stays when the session has ended.",
	Example: "abrowser session log task_123", By: wire.ByCommand, NoStart: true, ReadOnly: true,
}}
