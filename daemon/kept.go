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

// kept is what was set for a session and holds until it is closed, whatever daemon
// serves it.
type kept struct {
	Policies  verbs.Policies `json:"policies"`
	Emulation emulation      `json:"emulation,omitzero"`
	HAR       *recording     `json:"har,omitzero"`    // never changed, only replaced
	HARs      []string       `json:"hars,omitzero"`   // that requests are answered from
	Closes    bool           `json:"closes,omitzero"` // its tabs are closed with it
	// Setter is who set it: another agent that gets the session has nothing of it.
	Setter wire.AgentKey `json:"setter,omitzero"`
}

// passes reports whether what is kept for a session is in force for an agent, too: it
// may act in a session of whoever set it.
func (k kept) passes(session string, to wire.AgentKey) bool {
	return k.Setter == "" || to == "" || to.MayControl(session, k.Setter)
}

// keeping holds what is kept, here and on disk.
type keeping struct {
	path string

	mu    sync.Mutex // guards the fields below; held while the file is written, so that the last change is what it has
	now   kept
	agent wire.AgentKey // who sets what is set from now on
	ended bool          // the session was closed: nothing is kept any more
}

// newKeeping reads what an earlier daemon of the session kept. What cannot be read
// is as if it had never been set: the defaults let nothing pass.
func newKeeping(path string, log *slog.Logger) *keeping {
	k := &keeping{path: path}
	raw, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(raw, &k.now)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		log.Error("reading what was set for the session", "error", err)
		k.now = kept{}
	}
	return k
}

// get returns what is kept. Its maps are never changed, only replaced.
func (k *keeping) get() kept {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.now
}

// change changes what is kept. It is on disk before it is in force.
func (k *keeping) change(change func(*kept)) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	next := k.now
	next.Policies.PerPermission = maps.Clone(next.Policies.PerPermission)
	next.Policies.PerPicker = maps.Clone(next.Policies.PerPicker)
	change(&next)
	next.Setter = cmp.Or(next.Setter, k.agent)
	raw, err := json.Marshal(next)
	if err != nil {
		return err
	}
	if !k.ended {
		if err := home.WriteFile(k.path, raw); err != nil {
			return err
		}
	}
	k.now = next
	return nil
}

// setBy takes note whose the session is, who sets what is set from now on.
func (k *keeping) setBy(agent wire.AgentKey) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.agent = agent
}

// holder returns the agent that [keeping.setBy] was told of last, empty before the first.
func (k *keeping) holder() wire.AgentKey {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.agent
}

// end is for the session's end: its file is being removed.
func (k *keeping) end() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ended = true
}

// ClosesAtEnd reports whether the tabs of a session that ends without its daemon are
// to be closed with it.
func ClosesAtEnd(root home.Root, session string) bool {
	return newKeeping(root.StateFile(session), slog.New(slog.DiscardHandler)).get().Closes
}
