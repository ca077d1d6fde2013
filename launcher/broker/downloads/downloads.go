package broker

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

// downloads is the directory into which the browser saves what pages download,
// under names that are no page's choice. The mux says whose each file is; what
// is done to them is done here, apart from the mux's goroutine: a copy to
// another disk takes its time.
type downloads struct {
	dir    string // empty: the browser puts files where it would by itself
	person string // the person's own folder of downloads; empty: there is none
	log    *slog.Logger
	over   <-chan struct{} // closed when no copy is wanted any more
	work   sync.WaitGroup
}

// partial is the ending of a file that the browser has not finished.
const partial = ".crdownload"

func downloadsOf(b *broker) *downloads {
	name := filepath.Base(b.Root.Path("x", b.browser.Name))
	d := &downloads{dir: b.Root.Path("state", "downloads-"+name), log: b.log, over: b.over}
	if b.Settings.External() {
		d.dir = "" // a person's downloads are where that person wants them
		return d
	}
	if home, err := os.UserHomeDir(); err == nil && b.Settings.Headed {
		d.person = filepath.Join(home, "Downloads")
	}
	return d
}

// take makes the directory ready and returns the state as the files in it are: a
// dead broker may have missed the end of a download. Of a browser that has just
// been started there can be none that goes on.
func (d *downloads) take(s patches.State, fresh bool) (patches.State, error) {
	if d.dir == "" {
		return s, nil
	}
	// What is above it is ours alone.
	if err := os.MkdirAll(d.dir, 0o700); err != nil {
		return s, err
	}
	known := map[string]bool{}
	for i, o := range s.Tenants {
		var kept []patches.Download
		for _, f := range o.Downloads {
			if f.Path == "" {
				f.State = d.stateOf(f)
			}
			lost := f.State == patches.DownloadDone && f.Path == "" && !exists(filepath.Join(d.dir, f.GUID))
			if lost || fresh && f.State != patches.DownloadDone {
				continue
			}
			known[f.GUID] = true
			kept = append(kept, f)
		}
		s.Tenants[i].Downloads = kept
	}
	if fresh {
		d.sweep(known)
	}
	return s, nil
}

// stateOf is what the files say of a download. One that has none yet may have only
// just begun; the browser will say more of it.
func (d *downloads) stateOf(f patches.Download) string {
	switch {
	case f.State != patches.DownloadRunning:
		return f.State
	case exists(filepath.Join(d.dir, f.GUID)):
		return patches.DownloadDone
	case exists(filepath.Join(d.dir, f.GUID+partial)):
		return patches.DownloadRunning
	}
	return patches.DownloadCanceled
}

// sweep removes the files of nobody that an earlier browser has left.
func (d *downloads) sweep(known map[string]bool) {
	entries, err := os.ReadDir(d.dir)
	if err != nil {
		d.log.Error("reading the directory of downloads", "error", err)
		return
	}
	for _, e := range entries {
		if !known[e.Name()] {
			d.remove(e.Name())
		}
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func (d *downloads) remove(name string) {
	if err := os.Remove(filepath.Join(d.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.log.Warn("removing a download", "error", err)
	}
}

// end waits for what goes on, and removes all files where the browser was stopped.
func (d *downloads) end(stopped bool) {
	d.work.Wait()
	if stopped && d.dir != "" {
		if err := os.RemoveAll(d.dir); err != nil {
			d.log.Warn("removing the directory of downloads", "error", err)
		}
	}
}

// Deliver implements [patches.Transport].
func (b *broker) Deliver(file string, to []patches.Delivery, done func(where []string)) {
	b.downloads.work.Go(func() {
		where := make([]string, len(to))
		for i, t := range to {
			var err error
			if where[i], err = b.downloads.deliver(file, t); err != nil {
				where[i] = ""
				b.log.Warn("handing a download on", "error", err)
			}
		}
		select {
		case b.inbox <- func() { done(where) }:
		case <-b.over:
		}
	})
}

// Discard implements [patches.Transport].
func (b *broker) Discard(name string) {
	if !isName(name) {
		return
	}
	b.downloads.work.Go(func() {
		b.downloads.remove(name)
		b.downloads.remove(name + partial)
	})
}

// isName reports whether a name names a file of a directory, and no other place.
func isName(name string) bool {
	return name != "" && filepath.Base(name) == name && name != "." && name != ".."
}

// deliver puts a finished file where it is wanted and returns its path there.
// Where the system can, it is the same file under another name.
func (d *downloads) deliver(file string, to patches.Delivery) (string, error) {
	if !filepath.IsAbs(file) {
		if !isName(file) {
			return "", fmt.Errorf("%q is no file's name", file)
		}
		file = filepath.Join(d.dir, file)
	}
	if to.Dir == "" {
		to.Dir = d.person
	}
	if to.Dir == "" {
		return "", errors.New("the person has no folder of downloads")
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
		if !errors.Is(err, fs.ErrExist) || n == mostNames {
			return "", err
		}
	}
}

const (
	mostNames = 1000
	copyPiece = 4 << 20
)

// putAt makes path the same file as file, or a copy, whole from the first moment.
// What is there already stays: [fs.ErrExist].
func (d *downloads) putAt(file, path string) error {
	err := os.Link(file, path)
	if err == nil || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	beside, err := d.copyBeside(file, path)
	if err != nil {
		return err
	}
	defer os.Remove(beside)
	if err := os.Link(beside, path); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if exists(path) {
		return fs.ErrExist
	}
	return os.Rename(beside, path) // there are no links in that directory
}

// copyBeside copies a file into the directory of another, in pieces: it is given up
// when the broker ends.
func (d *downloads) copyBeside(file, path string) (name string, err error) {
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
		case <-d.over:
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
