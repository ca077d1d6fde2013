package web

import (
	_ "embed" // for the script
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// promptsScript takes the place of what a page asks a person with. It is run in the
// page itself, where each page has its own: the browser's own grants would hold for
// all sessions that share its context. So a page that means to can get at the
// browser's own functions again, which answer as for somebody who was not asked yet.
//
//go:embed prompts.js
var promptsScript string

// prompts decides what pages ask for, by the session's policies.
type prompts struct {
	state   *daemon.StateStore
	notices *daemon.Notices

	mu        sync.Mutex // guards the fields below; never held while a person is waited for
	last      int
	pending   map[string]*pendingPrompt
	queue     []pickerAnswer
	saves     map[string]string // the file behind an id that a page was given
	clipboard string            // the session's own
}

func newPrompts(k *daemon.StateStore, n *daemon.Notices) *prompts {
	return &prompts{state: k, notices: n, pending: map[string]*pendingPrompt{}, saves: map[string]string{}}
}

// promptRequest is a page's question. All of it is the page's word.
type promptRequest struct {
	ID     int      `json:"id"`
	Kind   string   `json:"kind"`
	Names  []string `json:"names"` // of permissions
	API    string   `json:"api"`   // of a file picker
	Title  string   `json:"title"`
	Text   string   `json:"text"`
	Active bool     `json:"active"` // a person's click, or what passes for one, made the page ask
	Wait   string   `json:"wait"`   // the question that is waited for
	File   string   `json:"file"`
	Data   []byte   `json:"data"`
	More   bool     `json:"more"` // behind what was written before
}

// decision is what the page is told.
type decision struct {
	Do       string           `json:"do,omitempty"`    // allow or deny
	Wait     string           `json:"wait,omitempty"`  // for a person: ask again
	State    string           `json:"state,omitempty"` // of a permission: granted, denied, prompt
	Text     string           `json:"text,omitempty"`
	Position *daemon.Position `json:"position,omitempty"`
	Files    []pickedFile     `json:"files"`
	File     string           `json:"file,omitempty"`
	Name     string           `json:"name,omitempty"`
}

const (
	doAllow = "allow"
	doDeny  = "deny"

	maxText    = 500 // characters of a page's words that are kept
	maxPending = 20
	waitSlice  = 2 * time.Second // shorter than what the page waits for us
	personTime = 5 * time.Minute
)

// respond decides what a page asks and tells its frame, which waits.
func (a *prompts) respond(gone <-chan struct{}, frame playwright.Frame, text string) {
	var q promptRequest
	v := decision{Do: doDeny}
	if json.Unmarshal([]byte(text), &q) == nil {
		v = a.decide(gone, originOf(frame.URL()), q)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		raw = []byte(`{"do":"deny"}`)
	}
	// Not by what the binding returns: see asks.js. A frame that has gone needs it no more.
	_, _ = frame.Evaluate(fmt.Sprintf("globalThis[Symbol.for('abrowser.asks')]?.answer(%d, %s)", q.ID, raw))
}

func (a *prompts) decide(gone <-chan struct{}, origin string, q promptRequest) decision {
	switch q.Kind {
	case "wait":
		return a.awaitPerson(gone, q.Wait)
	case "query":
		return decision{State: a.permissionState(first(q.Names))}
	case "save":
		return a.save(q)
	case wire.KindPermission:
		return a.permission(origin, q)
	case wire.KindNotification:
		mode := a.state.Get().Policies.Notification
		return a.applyMode(mode, wire.Record{Kind: q.Kind, Name: "Notification", Message: shorten(q.Title), Origin: origin}, q)
	case wire.KindFilePicker:
		return a.pickFiles(origin, q)
	}
	return decision{Do: doDeny}
}

// permission decides about one permission, or about several of which all are needed.
func (a *prompts) permission(origin string, q promptRequest) decision {
	if len(q.Names) == 0 || len(q.Names) > 4 {
		return decision{Do: doDeny}
	}
	modes := map[string]string{}
	strictest := ""
	for _, name := range q.Names {
		mode := a.mode(name, q.Active)
		modes[name] = mode
		if strictest == "" || strictness(mode) > strictness(strictest) {
			strictest = mode
		}
	}
	name := strings.Join(q.Names, "+")
	if strictest == verbs.PolicyAskHuman {
		return a.askPerson(wire.Record{Kind: q.Kind, Name: shorten(name), Message: "wanted by the page", Origin: origin}, q)
	}
	v := decision{Do: doDeny}
	for _, name := range q.Names {
		if modes[name] == modeSilent {
			continue
		}
		r := wire.Record{Kind: q.Kind, Name: shorten(name), Message: "wanted by the page", Origin: origin, Handled: daemon.HandledDenied}
		if modes[name] == verbs.PolicyAllow {
			r.Handled = daemon.HandledAllowed
		}
		r.Unhandled = modes[name] == verbs.PolicyRaise || modes[name] == ""
		a.notices.Add(r)
	}
	if strictest == verbs.PolicyAllow || strictest == modeSilent {
		v = a.grant(q)
	}
	return v
}

// modeSilent is for what a browser allows without asking anybody, where no policy
// says otherwise.
const modeSilent = "silent"

// mode is the policy for a permission.
func (a *prompts) mode(name string, active bool) string {
	p := a.state.Get().Policies
	mode, ok := p.PerPermission[name]
	switch {
	case ok:
	case name == "notifications" && (p.Notification == verbs.PolicyAllow || p.Notification == verbs.PolicyDeny):
		mode = p.Notification // a page asks before it shows one
	default:
		mode = p.Permission
	}
	if mode != verbs.PolicyAllow && mode != verbs.PolicyDeny && isGrantedByDefault(name, active) {
		return modeSilent
	}
	return mode
}

// isGrantedByDefault reports whether a browser gives a permission without asking.
func isGrantedByDefault(name string, active bool) bool {
	switch name {
	case "accelerometer", "gyroscope", "magnetometer", "background-sync", "payment-handler":
		return true
	case "clipboard-write":
		return active
	}
	return false
}

func strictness(mode string) int {
	switch mode {
	case modeSilent:
		return 0
	case verbs.PolicyAllow:
		return 1
	case verbs.PolicyAskHuman:
		return 2
	}
	return 3
}

// permissionState is what a page is told that asks how a permission is, empty for what the
// browser itself knows.
func (a *prompts) permissionState(name string) string {
	switch a.mode(name, false) {
	case verbs.PolicyAllow:
		return "granted"
	case verbs.PolicyDeny:
		return "denied"
	case modeSilent:
		return ""
	}
	return "prompt"
}

// notificationPermission is Notification.permission.
func (a *prompts) notificationPermission() string {
	if state := a.permissionState("notifications"); state != "prompt" {
		return state
	}
	return "default"
}

// grant is what an allowed permission comes with.
func (a *prompts) grant(q promptRequest) decision {
	v := decision{Do: doAllow}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, name := range q.Names {
		switch name {
		case "clipboard-write":
			a.clipboard = q.Text
		case "clipboard-read":
			v.Text = a.clipboard
		case "geolocation":
			v.Position = a.state.Get().Emulation.Geo
		}
	}
	return v
}

// applyMode decides about anything by a mode, and notes it.
func (a *prompts) applyMode(mode string, r wire.Record, q promptRequest) decision {
	v := decision{Do: doDeny}
	r.Handled = daemon.HandledDenied
	switch mode {
	case verbs.PolicyAskHuman:
		return a.askPerson(r, q)
	case verbs.PolicyAllow:
		v.Do, r.Handled = doAllow, daemon.HandledAllowed
	case verbs.PolicyDeny:
	default:
		r.Unhandled = true
	}
	a.notices.Add(r)
	return v
}

func first(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

// shorten cuts a page's words.
func shorten(text string) string {
	if cut := []rune(text); len(cut) > maxText {
		return string(cut[:maxText]) + "..."
	}
	return text
}

// config is what the script is told when it begins.
func (a *prompts) config() (string, error) {
	raw, err := json.Marshal(map[string]any{
		"binding": promptsBinding, "names": verbs.PermissionNames(), "pickers": verbs.PickerNames(), "notifications": a.notificationPermission(),
	})
	return string(raw), err
}

const promptsBinding = "__abrowserAsk"

// script is the script with its configuration, to be run in every document.
func (a *prompts) script() (string, error) {
	config, err := a.config()
	return fmt.Sprintf("%s(%s)", strings.TrimSpace(promptsScript), config), err
}
