// Package socketwatch notices when the socket file of a daemon is removed or replaced. After that,
// no process can reach the daemon any more.
//
// The broker of a browser watches the sockets of all daemons. The daemons do not watch their own
// sockets, because Linux allows a user only 128 inotify instances, and because every new socket
// would wake every daemon.
package socketwatch

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
)

const (
	// settleTime is how long Run collects changes before it calls onChange. By then, a removal of a
	// whole directory is usually complete. If onChange ran earlier, a process could create its
	// socket in the directory again, and the removal would fail.
	settleTime = time.Second
	// pollEvery is how often a socket that is gone is reported again. On systems without events
	// for sockets, it is also how often all sockets are checked.
	pollEvery = 2 * time.Second
)

// Run calls onChange once at the start, and then after changes of socket files in the root's run
// directory, until ctx ends. After the first change, Run collects further changes for 1 s
// (settleTime) before it calls onChange. On systems without events for sockets, it calls onChange
// every 2 s (pollEvery) instead.
//
// The argument of onChange is the path of the changed file. The path is empty if several files may
// have changed, for example because a directory was removed or renamed. onChange returns true if a
// socket is gone. Run then calls onChange again after 2 s, or after the next change if that is
// earlier.
func Run(ctx context.Context, root home.Root, onChange func(path string) (gone bool)) {
	w := watcher{dirs: []string{root.Dir, root.Path("run"), root.Path("run", "s"), root.Path("run", "b")}}
	if notify, err := fsnotify.NewWatcher(); err == nil {
		defer notify.Close()
		if runtime.GOOS == "linux" { // elsewhere the removal of a socket causes no event
			w.notify = notify
		}
	}
	w.watch()
	for path, ok := "", true; ok; {
		poll := onChange(path) || w.notify == nil
		path, ok = w.next(ctx, poll)
	}
}

// watcher watches the directories that contain sockets, and the directories above them.
type watcher struct {
	dirs []string
	// notify is nil on a system without events for sockets, or if the user has no inotify instance
	// left.
	notify *fsnotify.Watcher
}

// watch watches the directories, including those that were removed and created again.
func (w watcher) watch() {
	if w.notify == nil {
		return
	}
	for _, dir := range w.dirs {
		_ = w.notify.Remove(dir) // the watch of a previous directory with this name
		_ = w.notify.Add(dir)    // a missing directory is added when it is created
	}
}

// next waits until a socket file changes, and then collects further changes for settleTime. path is
// the file that changed, or empty if several files may have changed. If poll is true and nothing
// changes, next returns after pollEvery with an empty path. ok is false if ctx has ended.
func (w watcher) next(ctx context.Context, poll bool) (path string, ok bool) {
	due := time.NewTimer(pollEvery)
	defer due.Stop()
	if !poll {
		due.Stop()
	}
	var events <-chan fsnotify.Event
	var errs <-chan error
	if w.notify != nil {
		events, errs = w.notify.Events, w.notify.Errors
	}
	for changed := false; ; {
		next := ""
		select {
		case <-ctx.Done():
			return "", false
		case <-due.C:
			return path, true
		case <-errs: // events were lost
			w.watch()
		case e := <-events:
			switch {
			case !e.Has(fsnotify.Create | fsnotify.Remove | fsnotify.Rename):
				continue
			case slices.Contains(w.dirs, e.Name):
				w.watch()
			case filepath.Ext(e.Name) == ".sock":
				next = e.Name
			default:
				continue
			}
		}
		switch {
		case !changed:
			path, changed = next, true
			due.Reset(settleTime)
		case next != path:
			path = ""
		}
	}
}

// Socket identifies a socket file as it was when Of was called.
type Socket struct {
	path string
	info fs.FileInfo // nil if the file was already gone
}

// Of returns the socket file at a path as it is now.
func Of(path string) Socket {
	info, err := os.Lstat(path)
	if err != nil {
		info = nil
	}
	return Socket{path, info}
}

// IsGone reports whether the file was removed or replaced. changed is the path that Run passed to
// its callback. If changed names another socket, IsGone returns false at once.
func (s Socket) IsGone(changed string) bool {
	if changed != "" && changed != s.path {
		return false
	}
	now, err := os.Lstat(s.path)
	return err != nil || s.info == nil || !sockets.SameSocket(s.info, now)
}
