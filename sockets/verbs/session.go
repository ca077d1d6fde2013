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
	groupBrowser = "Browser"
)

// Step is one command of a [Batch].
type Step struct {
	Command []string        `json:"command"` // the words of the command, as typed
	Verb    string          `json:"verb"`
	In      json.RawMessage `json:"in"`
}

// BatchIn is the input of [Batch].
type BatchIn struct {
	Steps []Step `json:"steps" flag:"-" help:"the commands"`
	Bail  bool   `json:"bail,omitzero" help:"stop at the first failure"`
	// Commands contains the commands as text. The command line converts it to Steps.
	Commands    []string `json:"commands,omitzero" arg:"0..." help:"commands, one argument each; without arguments, a JSON array of arrays of words is read from standard input"`
	OmitCommand bool     `json:"omitCommand,omitzero" help:"number the results instead of repeating the commands"`
}

// StepResult is the result of one step.
type StepResult struct {
	Command []string        `json:"command,omitzero"`
	Index   *int            `json:"index,omitzero"`
	Success bool            `json:"success"`
	Result  json.RawMessage `json:"result"`
	Error   *string         `json:"error"`
	Code    wire.Code       `json:"code,omitzero"`
	Hint    string          `json:"hint,omitzero"`
	Warning string          `json:"warning,omitzero"`
	Records []wire.Record   `json:"records,omitzero"` // the decisions of policies
	Text    string          `json:"-"`                // set by the command line from the step's output
}

// BatchOut is the output of [Batch].
type BatchOut struct {
	Results []StepResult `json:"results"`
}

// Batch runs several commands in one request. Commands of other callers run before or after the
// batch, not between its commands.
var Batch = wire.Verb[BatchIn, BatchOut]{Spec: wire.Spec{
	Name: "batch", NoPolicy: true, Group: groupSession, Short: "Run several commands at once, without commands of other callers in between",
	Example: `abrowser batch "open https://example.com" "get title"`,
}}

// CloseIn is the input of [Close].
type CloseIn struct {
	Page bool `json:"page,omitzero" help:"also close the session's tabs, instead of keeping them for review"`
	All  bool `json:"all,omitzero" by:"command" help:"end all of your sessions"`
	// Force requires All.
	Force bool `json:"force,omitzero" by:"person" help:"with --all: also end the sessions of other agents; only if the environment sets no session"`
}

// Check returns an error for Force without All.
func (in CloseIn) Check() error {
	if in.Force && !in.All {
		return wire.Errorf(wire.CodeBadInput, "--force goes with --all").WithHint("abrowser kill ends one session by force")
	}
	return nil
}

// CloseOut is the output of [Close]. Sessions and Skipped are set if the input had All.
type CloseOut struct {
	Closed    any      `json:"closed"`             // true, or the number of sessions if All was set
	Kept      int      `json:"kept"`               // the number of tabs that stay open
	Discarded int      `json:"discarded,omitzero"` // the number of closed incognito tabs
	Sessions  []string `json:"sessions,omitzero"`
	Skipped   []string `json:"skipped,omitzero"` // sessions of other agents
	HAR       string   `json:"har,omitzero"`     // the path of the written HAR file
}

// Text returns how many tabs stay open, how many are discarded, and the path of the HAR file.
func (o CloseOut) Text() string {
	kept, discarded := "", ""
	if o.Kept > 0 {
		kept = counted(o.Kept, "tab stays", "tabs stay") + " open for review; abrowser tabs lists them"
	}
	if o.Discarded > 0 {
		discarded = counted(o.Discarded, "incognito tab is", "incognito tabs are") + " discarded with all data; the next session of this name is incognito only with --mode incognito"
	}
	return lines(kept, discarded, o.HAR)
}

// Close ends the session. The session's tabs stay open for review, except in these cases:
//
//   - Page is set.
//   - [Open] has set OnEnd to close.
//   - The session is incognito.
var Close = wire.Verb[CloseIn, CloseOut]{Spec: wire.Spec{
	Name: "close", NoPolicy: true, Aliases: []string{"quit", "exit"}, Group: groupSession, Short: "End the session; its tabs stay open",
	Example: "abrowser close", Unqueued: true, NoStart: true, EndsServer: true,
}}

// KillIn is the input of [Kill].
type KillIn struct {
	Page bool `json:"page,omitzero" help:"also close the session's tabs, instead of keeping them for review"`
}

// KillOut is the output of [Kill].
type KillOut struct {
	Killed     bool `json:"killed"` // a daemon was running
	Kept       int  `json:"kept"`   // the number of tabs that stay open
	ClosedTabs int  `json:"closedTabs,omitzero"`
	Discarded  int  `json:"discarded,omitzero"` // the number of closed tabs of an incognito session
}

// Text says how many tabs stay open and how many incognito tabs are discarded. If no daemon was
// running, Text first says that there was no daemon to kill.
func (o KillOut) Text() string {
	if !o.Killed {
		return lines("no daemon to kill", CloseOut{Kept: o.Kept, Discarded: o.Discarded}.Text())
	}
	return CloseOut{Kept: o.Kept, Discarded: o.Discarded}.Text()
}

// Kill ends the session by force, even if its daemon or driver does not answer.
var Kill = wire.Verb[KillIn, KillOut]{Spec: wire.Spec{
	Name: "kill", NoPolicy: true, Group: groupSession, Short: "End the session by force, even if it does not answer; its tabs stay open",
	Example: "abrowser kill", By: wire.ByCommand, NoStart: true,
}}

// The states of a session. Lists of tabs contain only StateLive and StateReleased.
const (
	StateStarting = "starting" // the daemon is connecting to the browser
	StateReady    = "ready"
	StateBusy     = "busy"     // a command runs
	StateWedged   = "wedged"   // the page or daemon does not respond
	StateTaken    = "taken"    // a person uses the pages, and commands that act wait
	StateLive     = "live"     // the daemon is connected to the broker
	StateReleased = "released" // the daemon has ended and left the session's tabs open
)

// StatusOut is the output of [Status].
type StatusOut struct {
	SessionID string `json:"sessionId"`
	Running   bool   `json:"running"`
	State     string `json:"state,omitzero"` // see [StateReady]
	Mode      string `json:"mode,omitzero"`
	PID       int    `json:"pid,omitzero"`
	Build     string `json:"build,omitzero"`
	Wedged    bool   `json:"wedged,omitzero"` // the session does not respond; see Reason and Hint
	Reason    string `json:"reason,omitzero"`
	Command   string `json:"command,omitzero"` // the verb that runs
	Waiting   int    `json:"waiting,omitzero"` // the number of queued commands
	// Questions are requests of pages that wait for a person.
	Questions []PendingQuestion `json:"questions,omitzero"`
	// LastActivityAt is when the last command ended, or the current time while a command runs.
	LastActivityAt time.Time `json:"lastActivityAt,omitzero"`
	// Driver is the session's Playwright driver, if it has one.
	Driver   DriverStatus `json:"driver,omitzero"`
	URL      string       `json:"url,omitzero"`
	Title    string       `json:"title,omitzero"`
	Pages    int          `json:"pages,omitzero"`
	Device   string       `json:"device,omitzero"`
	Viewport string       `json:"viewport,omitzero"` // empty if it was not set
	Hint     string       `json:"hint,omitzero"`
}

// DriverStatus describes a session's driver.
type DriverStatus struct {
	PID      int  `json:"pid"`
	Shared   bool `json:"shared"`
	Sessions int  `json:"sessions,omitzero"` // the number of sessions that the driver serves; 0 if unknown
}

// Text returns the state of the session.
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

// Status returns the state of the session, even while a command runs.
var Status = wire.Verb[Empty, StatusOut]{Spec: wire.Spec{
	Name: "status", NoPolicy: true, Group: groupSession, Short: "Print the state of the session", Example: "abrowser status",
	Unqueued: true, NoStart: true, ReadOnly: true,
}}

// SessionOut is the output of [Session].
type SessionOut struct {
	Session string `json:"session"`
}

// Text returns the session's name.
func (o SessionOut) Text() string { return o.Session }

// Session returns the name of the session that commands use.
var Session = wire.Verb[Empty, SessionOut]{Spec: wire.Spec{
	Name: "session", NoPolicy: true, Group: groupSession, Short: "Print the name of the session", Example: "abrowser session",
	By: wire.ByCommand, NoStart: true, ReadOnly: true,
}}

// TypeBrowser is the type of a session in outputs. It is the only type.
const TypeBrowser = "browser"

// SessionEntry is one session of [SessionList].
type SessionEntry struct {
	ID             string       `json:"id"`
	SessionID      string       `json:"sessionId"`
	Type           string       `json:"type"`
	Mode           string       `json:"mode"`
	Browser        string       `json:"browser,omitzero"` // the name of the tabs' browser, such as default
	State          string       `json:"state"`            // see [StateReady]
	Wedged         bool         `json:"wedged,omitzero"`
	Hint           string       `json:"hint,omitzero"` // what to do if the session is wedged
	URL            string       `json:"url"`
	Title          string       `json:"title"`
	Pages          int          `json:"pages"`
	Outcome        *Outcome     `json:"outcome,omitzero"` // what the task has said about its end
	Clients        int          `json:"clients,omitzero"` // the number of programs at the session's CDP endpoint
	OpenedAt       time.Time    `json:"openedAt"`
	CreatedAt      time.Time    `json:"createdAt"`
	LastActivityAt time.Time    `json:"lastActivityAt"`
	OwnerID        string       `json:"ownerId"`
	PID            int          `json:"pid,omitzero"`
	Capabilities   Capabilities `json:"capabilities"`
}

// Capabilities describe the emulation in a session's pages.
type Capabilities struct {
	BrowserName string `json:"browserName"`
	DeviceName  string `json:"deviceName,omitzero"`
	Viewport    string `json:"viewport,omitzero"` // such as 800x600; empty if it was not set
	Headed      bool   `json:"headed,omitzero"`
}

// SessionListOut is the output of [SessionList].
type SessionListOut struct {
	Sessions       []SessionEntry `json:"sessions"`
	CurrentSession string         `json:"currentSession"`
}

// Text returns one line for each session; a star marks the current one.
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
		clients := ""
		if s.Clients > 0 {
			clients = counted(s.Clients, "client", "clients") + "  "
		}
		all = append(all, strings.TrimRight(fmt.Sprintf("%s %-20s %-9s %-7s  %s%s%s", mark, s.ID, s.State, counted(s.Pages, "tab", "tabs"), mode, clients, s.URL)+"  "+s.Outcome.Text(), " "))
	}
	return lines(all...)
}

// SessionList lists all sessions, including those that have ended and left tabs.
var SessionList = wire.Verb[Empty, SessionListOut]{Spec: wire.Spec{
	Name: "session list", NoPolicy: true, Group: groupSession, Short: "List all sessions, including ended ones with tabs for review",
	Example: "abrowser session list", By: wire.ByCommand, NoStart: true, ReadOnly: true,
}}

// SessionRuntime says what of a session is running.
type SessionRuntime struct {
	DaemonPID       int  `json:"backgroundPid"` // 0 if no daemon runs
	BrowserLaunched bool `json:"browserLaunched"`
	PageCount       int  `json:"pageCount"`
}

// SessionInfoOut is the output of [SessionInfo].
type SessionInfoOut struct {
	Session string `json:"session"`
	Active  bool   `json:"active"`
	PID     int    `json:"pid"`
	Socket  string `json:"socket"`
	// SocketDir is the directory of Socket. SocketDir and Runtime are members that agent-browser has.
	SocketDir string         `json:"socketDir"`
	Runtime   SessionRuntime `json:"runtime"`
	Log       string         `json:"log"`
	Version   string         `json:"version"`
	Entry     SessionEntry   `json:"entry"`
}

// Text returns one line for each property.
func (o SessionInfoOut) Text() string {
	state := "not running"
	if o.Active {
		state = fmt.Sprintf("running (pid %d)", o.PID)
	}
	return lines("session: "+o.Session, "daemon:  "+state, "state:   "+o.Entry.State, "mode:    "+o.Entry.Mode, labelled("hint:    ", o.Entry.Hint), "url:     "+o.Entry.URL, labelled("task:    ", o.Entry.Outcome.Text()),
		"socket:  "+o.Socket, "log:     "+o.Log)
}

// SessionInfo describes the session and its files.
var SessionInfo = wire.Verb[Empty, SessionInfoOut]{Spec: wire.Spec{
	Name: "session info", NoPolicy: true, Group: groupSession, Short: "Print the session's state, process and files", Example: "abrowser session info",
	By: wire.ByCommand, NoStart: true, ReadOnly: true,
}}

// SessionLogIn is the input of [SessionLog].
type SessionLogIn struct {
	Name string `json:"name,omitzero" arg:"0" help:"the session; the default is the current one"`
	Last int    `json:"last,omitzero" min:"1" help:"print only this many of the newest commands"`
}

// Activity is a command that a session has run.
type Activity struct {
	Time string    `json:"time"`
	Verb string    `json:"verb"`
	Code wire.Code `json:"code"` // of the error; empty for success
	MS   float64   `json:"ms"`
}

// SessionLogOut is the output of [SessionLog].
type SessionLogOut struct {
	Session  string     `json:"session"`
	Commands []Activity `json:"commands"`
}

// Text returns one line of JSON for each command.
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

// SessionLog returns the commands that a session has run.
var SessionLog = wire.Verb[SessionLogIn, SessionLogOut]{Spec: wire.Spec{
	Name: "session log", Group: groupSession, Short: "Print the commands of a session, one line of JSON each",
	Long:    "Time, command, error code and duration, but no arguments. The log remains after the session has ended.",
	Example: "abrowser session log task_123", By: wire.ByCommand, NoStart: true, ReadOnly: true,
}}

// SessionCloseIn is the input of [SessionClose]. A session is ended if it meets all given
// conditions.
type SessionCloseIn struct {
	Prefix string `json:"prefix,omitzero" help:"sessions whose names start with this"`
	IdleMS int    `json:"idleMs,omitzero" min:"1" help:"sessions without a command for this many milliseconds"`
	All    bool   `json:"all,omitzero" help:"all sessions that meet the other conditions"`
	Force  bool   `json:"force,omitzero" by:"person" help:"also the sessions of other agents; only if the environment sets no session"`
}

// SessionCloseOut is the output of [SessionClose]. Closed are the sessions that were ended.
// Skipped are the running sessions that do not meet the conditions, belong to other agents or
// could not be ended.
type SessionCloseOut struct {
	Closed  []string `json:"closed"`
	Skipped []string `json:"skipped"`
}

// Text returns the closed and the skipped sessions.
func (o SessionCloseOut) Text() string {
	return lines(labelled("closed: ", strings.Join(o.Closed, ", ")), labelled("skipped: ", strings.Join(o.Skipped, ", ")))
}

// SessionClose ends the running sessions that meet all given conditions. The tabs of a session
// stay open, unless the session is incognito or [Open] has set OnEnd to close.
var SessionClose = wire.Verb[SessionCloseIn, SessionCloseOut]{Spec: wire.Spec{
	Name: "session close", Group: groupSession, Short: "End the sessions with a prefix or without recent commands; their tabs stay open",
	Example: "abrowser session close --prefix task_ --idle-ms 600000", By: wire.ByCommand, NoStart: true,
}}
