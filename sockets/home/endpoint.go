package home

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/abrowser/abrowser/sockets/wire"
)

// Endpoint is the name and the files of a session's daemon, a browser's broker or a driver.
type Endpoint struct {
	Name   string // of the session or browser; empty if only its hash is known
	Socket string // the socket on which it listens
	Lock   string // the file of its lease
	Start  string // the lock file that is held while it is being started
	Log    string // gets its stdout and stderr
}

// Session returns the place of a session's daemon.
func (r Root) Session(name string) (Endpoint, error) {
	if err := CheckName(name); err != nil {
		return Endpoint{}, err
	}
	p := r.session(name, fileName(name))
	return p, p.CheckLength()
}

func (r Root) session(name, file string) Endpoint {
	return Endpoint{
		Name:   name,
		Socket: r.Path("run", "s", file+".sock"),
		Lock:   r.Path("run", "s", file+".lock"),
		Start:  r.Path("run", "s", file+".start"),
		Log:    r.Path("log", file+".log"),
	}
}

// Driver returns the place of the root's nth shared driver, counted from 1. All drivers
// share one start lock, so that a process that starts a driver sees all that have room.
func (r Root) Driver(n int) (Endpoint, error) {
	name := "driver-" + strconv.Itoa(n)
	p := Endpoint{
		Name:   name,
		Socket: r.Path("run", "d", name+".sock"),
		Lock:   r.Path("run", "d", name+".lock"),
		Start:  r.Path("run", "d", "driver.start"),
		Log:    r.Path("log", "driver."+strconv.Itoa(n)+".log"),
	}
	return p, p.CheckLength()
}

// MaxSocketPath is the length in bytes of the longest socket path: sun_path without the
// NUL at its end.
const MaxSocketPath = len(unix.RawSockaddrUnix{}.Path) - 1

// CheckLength returns an error if the socket's path is longer than [MaxSocketPath]. The
// error of the system is only "invalid argument".
func (p Endpoint) CheckLength() error {
	if len(p.Socket) <= MaxSocketPath {
		return nil
	}
	const longest = len("/run/s/.sock") + maxLiteral
	return wire.Errorf(wire.CodeBadInput, "the socket path %s has %d bytes; this system allows %d", p.Socket, len(p.Socket), MaxSocketPath).
		WithHint("set ABROWSER_HOME to a shorter path; one of at most %d bytes fits every session's name", MaxSocketPath-longest)
}

// Sessions lists the places of sessions whose socket or lock file exists, whether a daemon
// listens or not. Name is empty if the file's name is a hash.
func (r Root) Sessions() ([]Endpoint, error) {
	entries, err := os.ReadDir(r.Path("run", "s"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, wire.OSError("listing "+r.Path("run", "s"), err)
	}
	var places []Endpoint
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
