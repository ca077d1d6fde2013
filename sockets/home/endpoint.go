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
	Name   string // the name of the session, browser or driver; empty if only its hash is known
	Socket string // the socket on which the server listens
	Lock   string // the file that the server keeps locked while it runs; see package sockets
	Start  string // the file that is locked while the server is being started
	Log    string // gets the server's stdout and stderr
}

// Session returns the endpoint of a session's daemon.
func (r Root) Session(name string) (Endpoint, error) {
	if err := CheckName(name); err != nil {
		return Endpoint{}, err
	}
	e := r.session(name, fileName(name))
	return e, e.CheckLength()
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

// Driver returns the endpoint of the root's nth shared driver, counted from 1. All drivers
// have the same Start file. A process that has locked this file connects to each running driver
// before it starts another one. Therefore no driver is started while a running driver can serve
// one more session.
func (r Root) Driver(n int) (Endpoint, error) {
	name := "driver-" + strconv.Itoa(n)
	e := Endpoint{
		Name:   name,
		Socket: r.Path("run", "d", name+".sock"),
		Lock:   r.Path("run", "d", name+".lock"),
		Start:  r.Path("run", "d", "driver.start"),
		Log:    r.Path("log", "driver."+strconv.Itoa(n)+".log"),
	}
	return e, e.CheckLength()
}

// MaxSocketPath is the length in bytes of the longest possible socket path. The system stores
// the path in the field sun_path, in which a NUL must follow the path.
const MaxSocketPath = len(unix.RawSockaddrUnix{}.Path) - 1

// CheckLength returns an error if the socket's path is longer than [MaxSocketPath]. The
// system's own error would be only "invalid argument".
func (e Endpoint) CheckLength() error {
	if len(e.Socket) <= MaxSocketPath {
		return nil
	}
	const longest = len("/run/s/.sock") + maxLiteral
	return wire.Errorf(wire.CodeBadInput, "the socket path %s has %d bytes; this system allows %d", e.Socket, len(e.Socket), MaxSocketPath).
		WithHint("set ABROWSER_HOME to a shorter path; one of at most %d bytes fits every session's name", MaxSocketPath-longest)
}

// Sessions lists the endpoints of sessions whose socket or lock file exists, whether or not a
// daemon listens. An endpoint's Name is empty if its file name is a hash from [fileName].
func (r Root) Sessions() ([]Endpoint, error) { return r.list("s", r.session, ".sock", ".lock") }

// list returns the endpoints of the servers of one kind. The servers' files are in the
// subdirectory dir of run. An endpoint is listed if a file with one of the extensions exists.
func (r Root) list(dir string, endpoint func(name, file string) Endpoint, extensions ...string) ([]Endpoint, error) {
	entries, err := os.ReadDir(r.Path("run", dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, wire.OSError("listing "+r.Path("run", dir), err)
	}
	var all []Endpoint
	for _, entry := range entries {
		ext := filepath.Ext(entry.Name())
		if !slices.Contains(extensions, ext) {
			continue
		}
		file := strings.TrimSuffix(entry.Name(), ext)
		name := file
		if !isLiteral(file) {
			name = ""
		}
		if e := endpoint(name, file); !slices.Contains(all, e) {
			all = append(all, e)
		}
	}
	return all, nil
}
