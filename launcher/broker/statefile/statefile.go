// Package statefile implements the file in which a broker records which session owns which tab, so
// that the next broker, or the broker of the next browser, continues from there.
//
// Each save replaces the file and keeps the previous one. If a broker is killed at any moment of a
// save, at least one complete state is left.
package statefile

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

// File is the state file of a browser.
type File struct {
	path     string
	instance string
	External bool // the browser is external
	Stopped  bool // the browser is being stopped on purpose, and its tabs with it
	intact   bool // this process has read or written the file at path without an error
}

// Content is the content of the file.
type Content struct {
	Instance string        `json:"instance"` // the instance of the browser, see [handover.Browser]
	Stopped  bool          `json:"stopped,omitempty"`
	State    patches.State `json:"state"`
	Agents   pool.State    `json:"agents"`
}

// New returns the state file of a browser.
func New(root home.Root, b *handover.Browser) *File {
	return &File{path: root.Path("state", "browser-"+filepath.Base(root.Path("x", b.Name))+".json"), instance: b.Instance}
}

// Load returns the last saved state. If another instance of the browser saved it, the tabs of that
// instance are lost, and Load marks them to be opened again. In two cases Load drops the tabs
// instead: if that instance was stopped on purpose, and if the browser is external. The user of an
// external browser may have reopened the tabs there.
//
// If the file cannot be read, Load returns an error and the state in the previous file, which
// lacks at most the last change. If the previous file cannot be read either, the returned state is
// empty. In that case Load returns no error if the file at path does not exist.
func (f *File) Load() (patches.State, pool.State, error) {
	c, err := Read(f.path)
	if err != nil {
		// The broker may have been killed before it renamed the new file.
		if next, failed := Read(f.next()); failed == nil {
			c, err = next, nil
			_ = os.Rename(f.next(), f.path) // if this fails, the next Save reports why
		}
	}
	f.intact = err == nil
	if err != nil {
		previous, failed := Read(f.previous())
		switch {
		case errors.Is(err, fs.ErrNotExist) && failed != nil:
			return patches.State{}, pool.State{}, nil
		case failed != nil:
			return patches.State{}, pool.State{}, fmt.Errorf("starting without a state: %w", err)
		}
		c, err = previous, fmt.Errorf("using the previous state: %w", err)
	}
	switch {
	case c.Instance == f.instance:
		return c.State, c.Agents, err
	case c.Stopped: // no agent waits for tabs of a browser that was stopped
		return c.State.Stopped(), pool.State{Agents: c.Agents.Agents}, err
	case f.External:
		return c.State.Stopped(), c.Agents, err
	default:
		return c.State.Died(), c.Agents, err
	}
}

func (f *File) previous() string { return f.path + ".before" }
func (f *File) next() string     { return f.path + ".new" }

// Read returns the content of a state file.
func Read(path string) (Content, error) {
	var c Content
	raw, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(raw, &c)
	}
	if err == nil && c.Instance == "" {
		err = fmt.Errorf("%s names no browser", path)
	}
	return c, err
}

// Save replaces the file. It does not sync the file to disk. That is not necessary: if only the
// broker is killed, the kernel still writes the data, and if the machine goes down, the browser
// ends too.
func (f *File) Save(s patches.State, agents pool.State) error {
	raw, err := json.Marshal(Content{f.instance, f.Stopped, s, agents})
	if err != nil {
		return err
	}
	err = os.WriteFile(f.next(), raw, 0o600)
	// On a full disk, removing the previous file makes room. The file at path stays until it is
	// replaced.
	if full := errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT); full && os.Remove(f.previous()) == nil {
		err = os.WriteFile(f.next(), raw, 0o600)
	}
	if err != nil {
		return err
	}
	if err := f.keepPrevious(); err != nil {
		return err
	}
	err = os.Rename(f.next(), f.path)
	f.intact = f.intact || err == nil
	return err
}

// keepPrevious renames the file at path to the name of the previous file, unless the file may be
// damaged. A hard link would not do, since damage to the file would then damage the previous file
// too. Until Save renames the next file, no file exists at path. Load handles that.
func (f *File) keepPrevious() error {
	info, err := os.Lstat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return os.Remove(f.path)
	case !f.intact, info.Size() == 0:
		return nil
	}
	return os.Rename(f.path, f.previous())
}
