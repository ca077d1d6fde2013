package prompts

import (
	_ "embed" // for the script
	"strings"
	"sync"
	"time"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Prompts decides about the requests of a session's pages. It follows the session's policies.
type Prompts struct {
	state   *daemon.StateStore
	notices *daemon.Notices

	mu        sync.Mutex // guards the fields below; never held during the wait for a person
	last      int
	pending   map[string]*question
	choosers  map[any]*openChooser // by page
	opened    int                  // how many file choosers have opened
	changed   chan struct{}        // closed when the next one opens
	queue     []pickerAnswer
	saves     map[string]string // the paths of the files that pages may write, by id
	clipboard string            // the text that a page of the session copied last
}

// New returns the prompts of a session.
func New(state *daemon.StateStore, notices *daemon.Notices) *Prompts {
	return &Prompts{state: state, notices: notices, pending: map[string]*question{}, choosers: map[any]*openChooser{}, changed: make(chan struct{}), saves: map[string]string{}}
}

// Request is a request of a page. None of its content can be trusted.
type Request struct {
	ID     int      `json:"id"`
	Kind   string   `json:"kind"`
	Names  []string `json:"names"` // of permissions
	API    string   `json:"api"`   // of a file picker
	Title  string   `json:"title"`
	Text   string   `json:"text"`
	Active bool     `json:"active"` // the page asks because of a click or a key
	Wait   string   `json:"wait"`   // the question whose answer the page waits for
	File   string   `json:"file"`   // the id of the file that the page saves
	Data   []byte   `json:"data"`
	More   bool     `json:"more"` // append Data to the file, and do not replace its content
}

// Decision is the response to a page.
type Decision struct {
	Do       string           `json:"do,omitempty"`    // allow or deny
	Wait     string           `json:"wait,omitempty"`  // the question that a person must answer
	State    string           `json:"state,omitempty"` // of a permission: granted, denied or prompt
	Text     string           `json:"text,omitempty"`
	Position *daemon.Position `json:"position,omitempty"`
	Files    []File           `json:"files"`
	File     string           `json:"file,omitempty"`
	Name     string           `json:"name,omitempty"`
}

const (
	doAllow = "allow"
	doDeny  = "deny"

	maxText    = 500 // characters of a page's text in a record
	maxPending = 20
	waitSlice  = 2 * time.Second // shorter than the time that the page waits for a response
	personTime = 5 * time.Minute
)

// Denied returns the decision to deny.
func Denied() Decision { return Decision{Do: doDeny} }

// Decide returns the decision about a request of a page that has the given origin. If a person has
// to decide, the decision names the question in Wait. The page then sends a request of the kind
// "wait". In that request, Decide waits for the person's answer until waitSlice is over or the
// channel gone is closed.
func (p *Prompts) Decide(gone <-chan struct{}, origin string, q Request) Decision {
	switch q.Kind {
	case "wait":
		return p.awaitPerson(gone, q.Wait)
	case "query":
		return Decision{State: p.permissionState(first(q.Names))}
	case "save":
		return p.save(q)
	case wire.KindPermission:
		return p.permission(origin, q)
	case wire.KindNotification:
		mode := p.state.Get().Policies.Notification
		return p.applyMode(mode, wire.Record{Kind: q.Kind, Name: "Notification", Message: shorten(q.Title), Origin: origin}, q)
	case wire.KindFilePicker:
		return p.pickFiles(origin, q)
	}
	return Denied()
}

// permission decides about a request for one permission, or for several that the page needs
// together. The strictest of their policies decides about the whole request.
func (p *Prompts) permission(origin string, q Request) Decision {
	if len(q.Names) == 0 || len(q.Names) > 4 {
		return Denied()
	}
	modes := map[string]string{}
	strictest := ""
	for _, name := range q.Names {
		mode := p.Mode(name, q.Active)
		modes[name] = mode
		if strictest == "" || strictness(mode) > strictness(strictest) {
			strictest = mode
		}
	}
	name := strings.Join(q.Names, "+")
	if strictest == verbs.PolicyAskHuman {
		return p.askPerson(wire.Record{Kind: q.Kind, Name: shorten(name), Message: "wanted by the page", Origin: origin}, q)
	}
	v := Decision{Do: doDeny}
	for _, name := range q.Names {
		if modes[name] == modeSilent {
			continue
		}
		r := wire.Record{Kind: q.Kind, Name: shorten(name), Message: "wanted by the page", Origin: origin, Handled: daemon.HandledDenied}
		if modes[name] == verbs.PolicyAllow {
			r.Handled = daemon.HandledAllowed
		}
		r.Unhandled = modes[name] == verbs.PolicyRaise || modes[name] == ""
		p.notices.Add(r)
	}
	if strictest == verbs.PolicyAllow || strictest == modeSilent {
		v = p.grant(q)
	}
	return v
}

// modeSilent is the mode of a permission that a browser grants without asking a person. A policy
// that allows or denies the permission replaces this mode.
const modeSilent = "silent"

// Mode returns the policy for a permission. The parameter active means that the page asks because
// of a click or a key.
func (p *Prompts) Mode(name string, active bool) string {
	set := p.state.Get().Policies
	mode, ok := set.PerPermission[name]
	switch {
	case ok:
	case name == "notifications" && (set.Notification == verbs.PolicyAllow || set.Notification == verbs.PolicyDeny):
		mode = set.Notification // a page asks before it shows a notification
	default:
		mode = set.Permission
	}
	if mode != verbs.PolicyAllow && mode != verbs.PolicyDeny && isGrantedByDefault(name, active) {
		return modeSilent
	}
	return mode
}

// isGrantedByDefault reports whether a browser grants a permission without asking a person.
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

// permissionState returns the state of a permission, for a page that queries it. If it returns "",
// the page gets the browser's own answer.
func (p *Prompts) permissionState(name string) string {
	switch p.Mode(name, false) {
	case verbs.PolicyAllow:
		return "granted"
	case verbs.PolicyDeny:
		return "denied"
	case modeSilent:
		return ""
	}
	return "prompt"
}

// NotificationPermission returns the value of Notification.permission.
func (p *Prompts) NotificationPermission() string {
	if state := p.permissionState("notifications"); state != "prompt" {
		return state
	}
	return "default"
}

// grant returns the decision to allow, with the data that the permissions give access to. If the
// page asked to write to the clipboard, grant stores the text in p.clipboard.
func (p *Prompts) grant(q Request) Decision {
	v := Decision{Do: doAllow}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, name := range q.Names {
		switch name {
		case "clipboard-write":
			p.clipboard = q.Text
		case "clipboard-read":
			v.Text = p.clipboard
		case "geolocation":
			v.Position = p.state.Get().Emulation.Geo
		}
	}
	return v
}

// Clipboard returns the text in the session's clipboard.
func (p *Prompts) Clipboard() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.clipboard
}

// SetClipboard sets the text in the session's clipboard.
func (p *Prompts) SetClipboard(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clipboard = text
}

// applyMode decides about the request q by a mode, and adds the record r of the decision to the
// notices.
func (p *Prompts) applyMode(mode string, r wire.Record, q Request) Decision {
	v := Decision{Do: doDeny}
	r.Handled = daemon.HandledDenied
	switch mode {
	case verbs.PolicyAskHuman:
		return p.askPerson(r, q)
	case verbs.PolicyAllow:
		v.Do, r.Handled = doAllow, daemon.HandledAllowed
	case verbs.PolicyDeny:
	default:
		r.Unhandled = true
	}
	p.notices.Add(r)
	return v
}

func first(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

// shorten cuts a text of a page to maxText characters.
func shorten(text string) string {
	if cut := []rune(text); len(cut) > maxText {
		return string(cut[:maxText]) + "..."
	}
	return text
}
