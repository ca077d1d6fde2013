package patches

import (
	"encoding/json"
	"time"
)

// target is a page, or a service worker, of the browser.
type target struct {
	targetInfo
	raw     rawInfo
	owner   *tenant
	tab     *Tab   // of an owned page
	session string // the CDP session that we hold on it, "" for none
	// handed is the session that it was paused for, while it is paused and a
	// client has it; word is what that client said for it to run.
	handedOff  *session
	resumeCall *pendingCall
	paused     bool  // it is paused until we let it go
	awake      bool  // focus emulation and screencast are on
	lastCreate int64 // the newest createTarget call when it appeared: it may be of one up to that
	// waits are the owner's CDP sessions that it waits for. It is nil until the
	// owner's sessions have been attached.
	waiting   map[string]bool
	attaching int // attachments on the way
	// announced are called when the owner's sessions have been told of it.
	whenAnnounced []func()
}

type sessionParam struct {
	SessionID string `json:"sessionId"`
}

type targetParam struct {
	TargetID string `json:"targetId"`
}

// rawInfo is a TargetInfo as Chromium wrote it, members that we do not know
// included.
type rawInfo struct{ json.RawMessage }

type targetInfo struct {
	TargetID  string `json:"targetId"`
	Type      string `json:"type"`
	Title     string `json:"title"`
	URL       string `json:"url"`
	OpenerID  string `json:"openerId"`
	ContextID string `json:"browserContextId"`
}

func (r rawInfo) parse() targetInfo {
	var info targetInfo
	// What Chromium writes has this shape; what has not is a target without id.
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

// target returns the target that info is about, with info.
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

// newTime is longer than Playwright takes to know a page that was made.
const newPageTime = 10 * time.Second

// isNew reports whether a page was just made and has been nowhere.
func (t *target) isNew(now time.Time) bool {
	return (t.URL == "" || t.URL == "about:blank") && now.Sub(t.tab.Opened) < newPageTime
}

// opened is when the target got its owner.
func (m *Mux) now() time.Time { return m.Clock().UTC().Truncate(time.Millisecond) }
