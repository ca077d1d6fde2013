package broker

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/abrowser/abrowser/patches"
	"github.com/abrowser/abrowser/sockets"
)

// table is the file that the board's state is in, and of which browser it is.
type table struct {
	path     string
	instance string
	stopped  bool // the browser is stopped on purpose, with its tabs
	foreign  bool // it is somebody else's
}

type saved struct {
	Instance string        `json:"instance"`
	Stopped  bool          `json:"stopped,omitempty"`
	State    patches.State `json:"state"`
}

func tableOf(root sockets.Root, c *charge) *table {
	return &table{path: root.Path("state", "browser-"+filepath.Base(root.Path("x", c.Name))+".json"), instance: c.Instance}
}

// load returns what is known of this browser. Where the file is of the one before,
// its tabs are lost, and to be opened again; unless it was stopped, or is somebody
// else's, who may have opened them again himself.
func (t *table) load() (patches.State, error) {
	raw, err := os.ReadFile(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return patches.State{}, nil
	}
	if err != nil {
		return patches.State{}, err
	}
	var s saved
	if err := json.Unmarshal(raw, &s); err != nil {
		return patches.State{}, err
	}
	switch {
	case s.Instance == t.instance:
		return s.State, nil
	case s.Stopped, t.foreign:
		return s.State.Stopped(), nil
	default:
		return s.State.Died(), nil
	}
}

// save replaces the file. It is not synced: what a kill of ours leaves to the
// kernel is written, and a machine that goes down takes the browser with it.
func (t *table) save(s patches.State) error {
	raw, err := json.Marshal(saved{t.instance, t.stopped, s})
	if err != nil {
		return err
	}
	next := t.path + ".new"
	if err := os.WriteFile(next, raw, 0o600); err != nil {
		return err
	}
	return os.Rename(next, t.path)
}
