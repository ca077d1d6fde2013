package broker

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/abrowser/abrowser/launcher/broker/pool"
	"github.com/abrowser/abrowser/launcher/handover"
	"github.com/abrowser/abrowser/patches"
	"github.com/abrowser/abrowser/sockets/home"
)

// table is the file with the mux's state, and the browser that it belongs to.
type table struct {
	path     string
	instance string
	whole    bool // what is at path could be read, or is ours
	stopped  bool // the browser is stopped on purpose, with its tabs
	foreign  bool // it is somebody else's
	agents   pool.State
}

type saved struct {
	Instance string        `json:"instance"`
	Stopped  bool          `json:"stopped,omitempty"`
	State    patches.State `json:"state"`
	Agents   pool.State    `json:"agents"`
}

func tableOf(root home.Root, c *handover.Browser) *table {
	return &table{path: root.Path("state", "browser-"+filepath.Base(root.Path("x", c.Name))+".json"), instance: c.Instance}
}

// load returns what is known of this browser. Where the file is of the one before,
// its tabs are lost, and to be opened again; unless it was stopped, or is somebody
// else's, who may have opened them again himself.
//
// Where the file cannot be read, the one before it is taken, which lacks the latest
// change at most; the error says so and why.
func (t *table) load() (patches.State, error) {
	s, err := read(t.path)
	if err != nil {
		if next, lost := read(t.next()); lost == nil { // we were killed before it had its name
			s, err = next, nil
			_ = os.Rename(t.next(), t.path) // what is in the way, the next save says
		}
	}
	t.whole = err == nil
	if err != nil {
		before, lost := read(t.before())
		switch {
		case errors.Is(err, fs.ErrNotExist) && lost != nil:
			return patches.State{}, nil
		case lost != nil:
			return patches.State{}, fmt.Errorf("it begins anew: %w", err)
		}
		s, err = before, fmt.Errorf("the one before is taken: %w", err)
	}
	t.agents = s.Agents
	if s.Instance != t.instance && s.Stopped { // nobody waits for tabs of a browser that was stopped
		t.agents = pool.State{Agents: s.Agents.Agents}
	}
	switch {
	case s.Instance == t.instance:
		return s.State, err
	case s.Stopped, t.foreign:
		return s.State.Stopped(), err
	default:
		return s.State.Died(), err
	}
}

func (t *table) before() string { return t.path + ".before" }
func (t *table) next() string   { return t.path + ".new" }

func read(path string) (saved, error) {
	var s saved
	raw, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(raw, &s)
	}
	if err == nil && s.Instance == "" {
		err = fmt.Errorf("%s is of no browser", path)
	}
	return s, err
}

// save replaces the file. It is not synced: what a kill of ours leaves to the
// kernel is written, and a machine that goes down takes the browser with it.
func (t *table) save(s patches.State) error {
	raw, err := json.Marshal(saved{t.instance, t.stopped, s, t.agents})
	if err != nil {
		return err
	}
	err = os.WriteFile(t.next(), raw, 0o600)
	// The one before makes room for it; what is at the path stays until it is there.
	if full := errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT); full && os.Remove(t.before()) == nil {
		err = os.WriteFile(t.next(), raw, 0o600)
	}
	if err != nil {
		return err
	}
	if err := t.keep(); err != nil {
		return err
	}
	err = os.Rename(t.next(), t.path)
	t.whole = t.whole || err == nil
	return err
}

// keep makes the file that is there the one before, where it is one. It is a file of its
// own, not a second name, so that damage to one is none to the other. Until the next
// has its name there is none at the path, which load knows.
func (t *table) keep() error {
	info, err := os.Lstat(t.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return os.Remove(t.path)
	case !t.whole, info.Size() == 0:
		return nil
	}
	return os.Rename(t.path, t.before())
}
