package daemon

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"sync"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// State is the settings of a session. It lasts until the session is closed, across all daemons
// that serve the session.
type State struct {
	Policies    verbs.Policies  `json:"policies"`
	Emulation   Emulation       `json:"emulation,omitzero"`
	HAR         *Recording      `json:"har,omitzero"`  // never changed, only replaced
	HARs        []string        `json:"hars,omitzero"` // the files that requests are answered from
	Frame       Frame           `json:"frame,omitzero"`
	Routes      []verbs.RouteIn `json:"routes,omitzero"`      // the newest first; never changed, only replaced
	Scripts     []Script        `json:"scripts,omitzero"`     // never changed, only replaced
	LastScript  int             `json:"lastScript,omitzero"`  // the number of the newest script that was added
	Credentials *Credentials    `json:"credentials,omitzero"` // never changed, only replaced
	ClosesTabs  bool            `json:"closes,omitzero"`      // closing the session closes its tabs
	// Setter is the agent that made the settings. If another agent becomes the owner of the
	// session, these settings do not apply any more.
	Setter wire.AgentKey `json:"setter,omitzero"`
}

// Frame is the frame that the session's commands act in. The zero value is the main frame.
type Frame struct {
	Tab   string `json:"tab"`   // the tab that has the frame
	ID    string `json:"id"`    // the frame's CDP id
	Label string `json:"label"` // how the caller has named it
}

// Script is a script that runs in each document of the session's pages, before the document's own
// scripts.
type Script struct {
	ID     string `json:"id"`
	Source string `json:"source"`
}

// Credentials are a user name and a password for the servers of one origin.
type Credentials struct {
	Origin   string `json:"origin"` // "" until the session opens a page
	Username string `json:"username"`
	Password string `json:"password"`
}

// Emulation is how the browser presents itself to the session's pages, as far as it differs
// from the browser's own settings. The zero value changes nothing.
type Emulation struct {
	Device    string            `json:"device,omitzero"`
	Width     int               `json:"width,omitzero"`
	Height    int               `json:"height,omitzero"`
	Scale     float64           `json:"scale,omitzero"`
	Mobile    bool              `json:"mobile,omitzero"`
	Touch     bool              `json:"touch,omitzero"`
	UserAgent string            `json:"userAgent,omitzero"`
	Geo       *Position         `json:"geo,omitzero"`
	Offline   bool              `json:"offline,omitzero"`
	Headers   map[string]string `json:"headers,omitzero"` // never changed, only replaced
	Colours   string            `json:"colours,omitzero"` // dark or light
	Still     bool              `json:"still,omitzero"`   // reduced motion
}

// Position is the position that geolocation reports to pages.
type Position struct {
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
	Accuracy  float64 `json:"accuracy"`
}

// Recording is a recording of the pages' requests that has not been finished.
type Recording struct {
	Path    string `json:"path"`
	Content string `json:"content"` // the bodies that are recorded: all, text or none
}

// appliesTo reports whether the settings apply while the given agent owns the session. They apply
// if the agent made the settings, or if it may act in a session of the agent that made them. They
// also apply if no agent made them, or if agent is "" because no agent owns the session.
func (s State) appliesTo(session string, agent wire.AgentKey) bool {
	return s.Setter == "" || agent == "" || agent.MayControl(session, s.Setter)
}

// StateStore keeps the state in memory and on disk.
type StateStore struct {
	path string

	// mu guards the fields below. It is held while the file is written, so that the file has
	// the last change.
	mu    sync.Mutex
	state State
	agent wire.AgentKey // the agent that the session belongs to: see setAgent
	ended bool          // the session was closed: nothing is written any more
}

// OpenState reads the state that an earlier daemon of the session has saved. A state that cannot
// be read counts as empty. This is safe, because without a policy a page gets nothing that a
// browser would ask a person to allow.
func OpenState(root home.Root, session string, log *slog.Logger) *StateStore {
	s := &StateStore{path: root.StateFile(session)}
	raw, err := os.ReadFile(s.path)
	if err == nil {
		err = json.Unmarshal(raw, &s.state)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		log.Error("reading the state of the session", "error", err)
		s.state = State{}
	}
	return s
}

// Get returns the state. Its maps must not be changed.
func (s *StateStore) Get() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// Change applies the function change to the state. The new state is on disk before it takes
// effect. After a call of end, Change does not write to disk.
func (s *StateStore) Change(change func(*State)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := s.state
	next.Policies.PerPermission = maps.Clone(next.Policies.PerPermission)
	next.Policies.PerPicker = maps.Clone(next.Policies.PerPicker)
	change(&next)
	next.Setter = cmp.Or(next.Setter, s.agent)
	raw, err := json.Marshal(next)
	if err != nil {
		return err
	}
	if !s.ended {
		if err := home.WriteFile(s.path, raw); err != nil {
			return err
		}
	}
	s.state = next
	return nil
}

// setAgent records which agent the session belongs to from now on.
func (s *StateStore) setAgent(agent wire.AgentKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.agent = agent
}

// lastAgent returns the agent that the session belonged to last, or "" if it has not belonged to
// an agent since this daemon started.
func (s *StateStore) lastAgent() wire.AgentKey {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.agent
}

// end stops all writes to the file, which is removed when the session ends.
func (s *StateStore) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
}

// ClosesAtEnd reports whether closing a session closes its tabs. It reads the session's state
// from disk, for a session that is closed while it has no daemon.
func ClosesAtEnd(root home.Root, session string) bool {
	return OpenState(root, session, slog.New(slog.DiscardHandler)).Get().ClosesTabs
}
