package patches

import (
	"encoding/json"
	"time"
)

// target is a page or a service worker of the browser.
type target struct {
	targetInfo
	raw     rawInfo
	owner   *tenant
	tab     *Tab   // of an owned page; nil for others
	session string // the Mux's own CDP session on it; empty without one
	// handedOff is the CDP session for which the target is paused, if the Mux has handed
	// that session off to a client (see [Mux.handOff]). resumeCall is the client's
	// unanswered Runtime.runIfWaitingForDebugger on the session.
	handedOff  *session
	resumeCall *pendingCall
	paused     bool // it waits for [Mux.resume]
	dialogs    dialogs
	awake      bool  // focus emulation and screencast are on, see [Mux.wake]
	lastCreate int64 // the newest message id when it appeared; no later call can have created it
	// waiting are the CDP sessions of the owner's clients on which
	// Runtime.runIfWaitingForDebugger has to be sent before the target resumes.
	waiting   map[string]bool
	attaching int // number of unanswered attachToTarget calls for the owner's clients
	// whenAnnounced are called when attaching has fallen to 0. The owner's clients have then
	// got the attachedToTarget event.
	whenAnnounced []func()
}

type sessionParam struct {
	SessionID string `json:"sessionId"`
}

type targetParam struct {
	TargetID string `json:"targetId"`
}

// rawInfo is a TargetInfo as Chromium wrote it, including members that this package
// does not know.
type rawInfo struct{ json.RawMessage }

type targetInfo struct {
	TargetID  string `json:"targetId"`
	Type      string `json:"type"`
	Title     string `json:"title"`
	URL       string `json:"url"`
	OpenerID  string `json:"openerId"`
	ContextID string `json:"browserContextId"`
}

// parse returns the members that this package uses.
func (r rawInfo) parse() targetInfo {
	var info targetInfo
	// Anything that is not a TargetInfo becomes a target without an id.
	_ = json.Unmarshal(r.RawMessage, &info)
	return info
}

type attachedParams struct {
	SessionID string  `json:"sessionId"`
	Info      rawInfo `json:"targetInfo"`
	Waiting   bool    `json:"waitingForDebugger"`
}

type infoParams struct {
	Info rawInfo `json:"targetInfo"`
}

// updateTarget returns the target that info describes, updated or new.
func (m *Mux) updateTarget(info rawInfo) *target {
	now := info.parse()
	t := m.targets[now.TargetID]
	if t == nil {
		t = &target{lastCreate: m.lastID}
		m.targets[now.TargetID] = t
	}
	if m.OnActivity != nil && now.Type == "page" && now.URL != t.URL {
		m.OnActivity()
	}
	t.targetInfo, t.raw = now, info
	return t
}

// newPageTime is how long a page counts as new. Playwright sets up a new page in less time.
const newPageTime = 10 * time.Second

// isNew reports whether a page was created less than newPageTime ago and has not navigated.
func (t *target) isNew(now time.Time) bool {
	return (t.URL == "" || t.URL == "about:blank") && now.Sub(t.tab.Opened) < newPageTime
}

// now returns the time in the precision in which it is saved.
func (m *Mux) now() time.Time { return m.Clock().UTC().Truncate(time.Millisecond) }

// HasTarget reports whether a target belongs to the named tenant.
func (m *Mux) HasTarget(name, target string) bool {
	t := m.targets[target]
	return t != nil && t.owner != nil && t.owner.Name == name
}
