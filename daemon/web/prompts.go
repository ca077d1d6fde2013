package daemon

import (
	_ "embed" // for the script
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// asksScript takes the place of what a page asks a person with. It is run in the
// page itself, where each page has its own: the browser's own grants would hold for
// all sessions that share its context. So a page that means to can get at the
// browser's own functions again, which answer as for somebody who was not asked yet.
//
//go:embed asks.js
var asksScript string

// asks decides what pages ask for, by the session's policies.
type asks struct {
	kept *keeping
	news *news

	mu        sync.Mutex // guards the fields below; never held while a person is waited for
	last      int
	pending   map[string]*question
	queue     []pickerAnswer
	saves     map[string]string // the file behind an id that a page was given
	clipboard string            // the session's own
}

func newAsks(k *keeping, n *news) *asks {
	return &asks{kept: k, news: n, pending: map[string]*question{}, saves: map[string]string{}}
}

// asked is a page's question. All of it is the page's word.
type asked struct {
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

// verdict is what the page is told.
type verdict struct {
	Do       string    `json:"do,omitempty"`    // allow or deny
	Wait     string    `json:"wait,omitempty"`  // for a person: ask again
	State    string    `json:"state,omitempty"` // of a permission: granted, denied, prompt
	Text     string    `json:"text,omitempty"`
	Position *position `json:"position,omitempty"`
	Files    []picked  `json:"files"`
	File     string    `json:"file,omitempty"`
	Name     string    `json:"name,omitempty"`
}

// position is where geolocation says that the page is.
type position struct {
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
	Accuracy  float64 `json:"accuracy"`
}

const (
	doAllow = "allow"
	doDeny  = "deny"

	mostAsked   = 500 // characters of a page's words that are kept
	mostPending = 20
	askSlice    = 2 * time.Second // shorter than what the page waits for us
	humanTime   = 5 * time.Minute
)

// answer decides what a page asks and tells its frame, which waits.
func (a *asks) answer(gone <-chan struct{}, frame playwright.Frame, text string) {
	var q asked
	v := verdict{Do: doDeny}
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

func (a *asks) decide(gone <-chan struct{}, origin string, q asked) verdict {
	switch q.Kind {
	case "wait":
		return a.awaitPerson(gone, q.Wait)
	case "query":
		return verdict{State: a.state(first(q.Names))}
	case "save":
		return a.save(q)
	case wire.KindPermission:
		return a.permission(origin, q)
	case wire.KindNotification:
		mode := a.kept.get().Policies.Notification
		return a.settle(mode, wire.Record{Kind: q.Kind, Name: "Notification", Message: brief(q.Title), Origin: origin}, q)
	case wire.KindFilePicker:
		return a.picker(origin, q)
	}
	return verdict{Do: doDeny}
}

// permission decides about one permission, or about several of which all are needed.
func (a *asks) permission(origin string, q asked) verdict {
	if len(q.Names) == 0 || len(q.Names) > 4 {
		return verdict{Do: doDeny}
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
		return a.askPerson(wire.Record{Kind: q.Kind, Name: brief(name), Message: "wanted by the page", Origin: origin}, q)
	}
	v := verdict{Do: doDeny}
	for _, name := range q.Names {
		if modes[name] == modeSilent {
			continue
		}
		r := wire.Record{Kind: q.Kind, Name: brief(name), Message: "wanted by the page", Origin: origin, Handled: handledDenied}
		if modes[name] == verbs.PolicyAllow {
			r.Handled = handledAllowed
		}
		r.Raised = modes[name] == verbs.PolicyRaise || modes[name] == ""
		a.news.add(r)
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
func (a *asks) mode(name string, active bool) string {
	p := a.kept.get().Policies
	mode, ok := p.PerPermission[name]
	switch {
	case ok:
	case name == "notifications" && (p.Notification == verbs.PolicyAllow || p.Notification == verbs.PolicyDeny):
		mode = p.Notification // a page asks before it shows one
	default:
		mode = p.Permission
	}
	if mode != verbs.PolicyAllow && mode != verbs.PolicyDeny && unasked(name, active) {
		return modeSilent
	}
	return mode
}

// unasked reports whether a browser gives a permission without asking.
func unasked(name string, active bool) bool {
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

// state is what a page is told that asks how a permission is, empty for what the
// browser itself knows.
func (a *asks) state(name string) string {
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

// notifications is Notification.permission.
func (a *asks) notifications() string {
	if state := a.state("notifications"); state != "prompt" {
		return state
	}
	return "default"
}

// grant is what an allowed permission comes with.
func (a *asks) grant(q asked) verdict {
	v := verdict{Do: doAllow}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, name := range q.Names {
		switch name {
		case "clipboard-write":
			a.clipboard = q.Text
		case "clipboard-read":
			v.Text = a.clipboard
		case "geolocation":
			v.Position = a.kept.get().Emulation.Geo
		}
	}
	return v
}

// settle decides about anything by a mode, and notes it.
func (a *asks) settle(mode string, r wire.Record, q asked) verdict {
	v := verdict{Do: doDeny}
	r.Handled = handledDenied
	switch mode {
	case verbs.PolicyAskHuman:
		return a.askPerson(r, q)
	case verbs.PolicyAllow:
		v.Do, r.Handled = doAllow, handledAllowed
	case verbs.PolicyDeny:
	default:
		r.Raised = true
	}
	a.news.add(r)
	return v
}

func first(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

// brief cuts a page's words.
func brief(text string) string {
	if cut := []rune(text); len(cut) > mostAsked {
		return string(cut[:mostAsked]) + "..."
	}
	return text
}

// config is what the script is told when it begins.
func (a *asks) config() (string, error) {
	raw, err := json.Marshal(map[string]any{
		"binding": asksBinding, "names": verbs.PermissionNames(), "pickers": verbs.PickerNames(), "notifications": a.notifications(),
	})
	return string(raw), err
}

const asksBinding = "__abrowserAsk"

// install is the script with its configuration, to be run in every document.
func (a *asks) install() (string, error) {
	config, err := a.config()
	return fmt.Sprintf("%s(%s)", strings.TrimSpace(asksScript), config), err
}
