// Package downloads manages the directory into which the browser saves downloaded files. In this
// directory, a file's name is the download's GUID, so that no page can choose it.
//
// The CDP multiplexer decides which client gets a file, and this package delivers the file. It
// does so on goroutines of its own, since copying a file to another disk takes time.
package downloads

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/abrowser/abrowser/patches"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Dir is the directory of downloads. Log and Done are required.
type Dir struct {
	Path   string // if empty, the browser saves files where its user wants them
	Person string // the user's own folder of downloads, for files that no session owns
	Log    *slog.Logger
	Done   <-chan struct{} // copying stops when this is closed

	work sync.WaitGroup
}

// partial is the extension of a file that the browser has not completed.
const partial = ".crdownload"

// Adopt creates the directory and updates the state of each download from the files in it, since a
// dead broker may have missed the end of a download. The parameter fresh is true if the browser
// has just started. Then no download is running, and Adopt also removes all files that are not a
// completed download of a session.
func (d *Dir) Adopt(s patches.State, fresh bool) (patches.State, error) {
	if d.Path == "" {
		return s, nil
	}
	// The parent directory is accessible to this user only.
	if err := os.MkdirAll(d.Path, 0o700); err != nil {
		return s, err
	}
	known := map[string]bool{}
	for i, tenant := range s.Tenants {
		var kept []patches.Download
		for _, f := range tenant.Downloads {
			if f.Path == "" {
				f.State = d.stateOf(f)
			}
			lost := f.State == patches.DownloadDone && f.Path == "" && !exists(d.file(f.GUID))
			if lost || fresh && f.State != patches.DownloadDone {
				continue
			}
			known[f.GUID] = true
			kept = append(kept, f)
		}
		s.Tenants[i].Downloads = kept
	}
	if fresh {
		d.removeOthers(known)
	}
	return s, nil
}

// stateOf returns the state of a download. If the recorded state is running, the files show the
// actual state. A download without a file counts as canceled. If the download has only just begun
// and gets its file later, the browser's next event corrects the state.
func (d *Dir) stateOf(f patches.Download) string {
	switch {
	case f.State != patches.DownloadRunning:
		return f.State
	case exists(d.file(f.GUID)):
		return patches.DownloadDone
	case exists(d.file(f.GUID + partial)):
		return patches.DownloadRunning
	}
	return patches.DownloadCanceled
}

// removeOthers removes the files that a previous browser has left, except those in known, which
// belong to sessions.
func (d *Dir) removeOthers(known map[string]bool) {
	entries, err := os.ReadDir(d.Path)
	if err != nil {
		d.Log.Error("reading the directory of downloads", "error", err)
		return
	}
	for _, e := range entries {
		if !known[e.Name()] {
			d.remove(e.Name())
		}
	}
}

func (d *Dir) file(name string) string { return filepath.Join(d.Path, name) }

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func (d *Dir) remove(name string) {
	if err := os.Remove(d.file(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.Log.Warn("removing a download", "error", err)
	}
}

// Locate returns the path of a completed download. isOurs reports whether the file is in the
// directory of downloads. isThere reports whether the file exists. It does not exist after a
// client has fetched it, because the client removes it.
func (d *Dir) Locate(f patches.Download) (path string, isOurs, isThere bool) {
	path = d.file(f.GUID)
	if f.Path != "" {
		path = f.Path
	}
	return path, f.Path == "", exists(path)
}

// Close waits for deliveries. If the browser was stopped, Close removes all files.
func (d *Dir) Close(stopped bool) {
	d.work.Wait()
	if stopped && d.Path != "" {
		if err := os.RemoveAll(d.Path); err != nil {
			d.Log.Warn("removing the directory of downloads", "error", err)
		}
	}
}

// Discard removes a file, complete or not. It does not wait for the removal.
func (d *Dir) Discard(name string) {
	if !isName(name) {
		return
	}
	d.work.Go(func() {
		d.remove(name)
		d.remove(name + partial)
	})
}

// Deliver delivers a completed file and then calls done with the file's new paths, on another
// goroutine. The path of a delivery that failed is empty.
func (d *Dir) Deliver(file string, to []patches.Delivery, done func(paths []string)) {
	d.work.Go(func() {
		paths := make([]string, len(to))
		for i, t := range to {
			path, err := d.deliver(file, t)
			if err != nil {
				d.Log.Warn("delivering a download", "error", err)
				continue
			}
			paths[i] = path
		}
		done(paths)
	})
}

// isName reports whether a name is the name of a file in a directory, and not a path.
func isName(name string) bool {
	return name != "" && filepath.Base(name) == name && name != "." && name != ".."
}

// deliver puts a completed file into the directory of a delivery and returns the file's path there.
// The parameter file is a name in the directory of downloads, or an absolute path. deliver makes a
// hard link to the file if the system permits that, and otherwise a copy.
func (d *Dir) deliver(file string, to patches.Delivery) (string, error) {
	if !filepath.IsAbs(file) {
		if !isName(file) {
			return "", fmt.Errorf("%q is not a file name", file)
		}
		file = d.file(file)
	}
	if to.Dir == "" {
		to.Dir = d.Person
	}
	if to.Dir == "" {
		return "", errors.New("the user has no folder of downloads")
	}
	if err := os.MkdirAll(to.Dir, 0o700); err != nil {
		return "", err
	}
	if to.Exact {
		path := filepath.Join(to.Dir, filepath.Base(to.Name))
		return path, d.putAt(file, path)
	}
	name := wire.FileName(to.Name)
	for n := 0; ; n++ {
		path := filepath.Join(to.Dir, wire.NumberedName(name, n))
		err := d.putAt(file, path)
		if err == nil {
			return path, nil
		}
		if !errors.Is(err, fs.ErrExist) || n == maxNumber {
			return "", err
		}
	}
}

const (
	maxNumber = 1000    // the highest number that is added to a name, as in "report (1).txt"
	copyPiece = 4 << 20 // bytes that are copied at once
)

// putAt links or copies file to path. There is never an incomplete file at path. If path exists,
// putAt returns [fs.ErrExist].
func (d *Dir) putAt(file, path string) error {
	err := os.Link(file, path)
	if err == nil || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	temp, err := d.copyBeside(file, path)
	if err != nil {
		return err
	}
	defer os.Remove(temp)
	if err := os.Link(temp, path); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if exists(path) {
		return fs.ErrExist
	}
	return os.Rename(temp, path) // the file system does not support links
}

// copyBeside copies a file to a temporary file in the directory of path. It copies in pieces, so
// that it can stop when the broker ends.
func (d *Dir) copyBeside(file, path string) (temp string, err error) {
	from, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer from.Close()
	to, err := os.CreateTemp(filepath.Dir(path), ".abrowser-*")
	if err != nil {
		return "", err
	}
	for err == nil {
		select {
		case <-d.Done:
			err = errors.New("the browser is gone")
		default:
			_, err = io.CopyN(to, from, copyPiece)
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if err := errors.Join(err, to.Close()); err != nil {
		return "", errors.Join(err, os.Remove(to.Name()))
	}
	return to.Name(), nil
}
