package home

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// Place is where a session's daemon, a browser's broker or a driver is found.
type Place struct {
	Name   string // of the session or browser; empty where only the file is known
	Socket string // where it listens
	Lock   string // its lease: see [Hold]
	Start  string // held while it is being started: see [HoldWait]
	Log    string // what it writes to stdout and stderr
}

// Session is the place of a session's daemon.
func (r Root) Session(name string) (Place, error) {
	if err := CheckName(name); err != nil {
		return Place{}, err
	}
	p := r.session(name, fileName(name))
	return p, p.CheckLength()
}

func (r Root) session(name, file string) Place {
	return Place{
		Name:   name,
		Socket: r.Path("run", "s", file+".sock"),
		Lock:   r.Path("run", "s", file+".lock"),
		Start:  r.Path("run", "s", file+".start"),
		Log:    r.Path("log", file+".log"),
	}
}

// Driver is the place of the root's nth shared driver, from 1. All share a start
// lock: whoever starts one first looks whether another has room.
func (r Root) Driver(n int) (Place, error) {
	name := "driver-" + strconv.Itoa(n)
	p := Place{
		Name:   name,
		Socket: r.Path("run", "d", name+".sock"),
		Lock:   r.Path("run", "d", name+".lock"),
		Start:  r.Path("run", "d", "driver.start"),
		Log:    r.Path("log", "driver."+strconv.Itoa(n)+".log"),
	}
	return p, p.CheckLength()
}

// CheckLength refuses a path that the system's socket address has no room for.
// The system itself only says "invalid argument".
func (p Place) CheckLength() error {
	if len(p.Socket) <= MaxSocketPath {
		return nil
	}
	const longest = len("/run/s/.sock") + maxLiteral
	return wire.Errorf(wire.CodeBadInput, "the socket's path %s has %d bytes; this system allows %d", p.Socket, len(p.Socket), MaxSocketPath).
		WithHint("set ABROWSER_HOME to a shorter path; one of at most %d bytes fits every session's name", MaxSocketPath-longest)
}

// Sessions lists the places of sessions that have a socket or lock file, whether
// anybody listens or not. The name is empty where the file's name is a hash.
func (r Root) Sessions() ([]Place, error) {
	entries, err := os.ReadDir(r.Path("run", "s"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, wire.OSError("listing "+r.Path("run", "s"), err)
	}
	var places []Place
	for _, e := range entries {
		ext := filepath.Ext(e.Name())
		if ext != ".sock" && ext != ".lock" {
			continue
		}
		file := strings.TrimSuffix(e.Name(), ext)
		name := file
		if !isLiteral(file) {
			name = ""
		}
		if p := r.session(name, file); !slices.Contains(places, p) {
			places = append(places, p)
		}
	}
	return places, nil
}
