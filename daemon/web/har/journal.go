package har

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/abrowser/abrowser/sockets/home"
)

// Journal is a file with the entries of a recording, one entry on each line. If several entries have
// the same start time, they are of the same request, and the last one counts.
type Journal struct {
	Path string

	mu sync.Mutex // held while a line is written
}

// Append writes an entry, whole or not at all.
func (j *Journal) Append(e Entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return appendLine(j.Path, line)
}

func appendLine(path string, line []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	n, err := f.Write(append(line, '\n'))
	if err != nil && n > 0 { // half a line would spoil the next
		if info, failed := f.Stat(); failed == nil {
			_ = f.Truncate(info.Size() - int64(n)) // if this fails, the next entry is lost too
		}
	}
	return errors.Join(err, f.Close())
}

// WriteArchive writes a HAR with the journal's entries to the file with the given path, and
// returns the number of entries in the HAR.
func (j *Journal) WriteArchive(path string) (int, error) {
	entries, err := j.read()
	if err != nil {
		return 0, err
	}
	return len(entries), writeArchive(path, entries)
}

// Remove removes the journal's file, if it exists.
func (j *Journal) Remove() error { return os.RemoveAll(j.Path) }

// SetAside renames the journal's file, so that the next recording does not change it, and returns
// the file's new name.
func (j *Journal) SetAside() (string, error) {
	aside := j.Path + "." + time.Now().Format("20060102-150405.000")
	return aside, os.Rename(j.Path, aside)
}

// read returns the last entry of each request, in the order in which the requests began. It leaves
// out lines that were not written completely.
func (j *Journal) read() ([]json.RawMessage, error) {
	raw, err := os.ReadFile(j.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	last := map[string]json.RawMessage{}
	for line := range bytes.Lines(raw) {
		var begun struct{ StartedDateTime string }
		if json.Unmarshal(line, &begun) == nil {
			last[begun.StartedDateTime] = bytes.TrimSpace(line)
		}
	}
	var entries []json.RawMessage
	for _, at := range slices.Sorted(maps.Keys(last)) {
		entries = append(entries, last[at])
	}
	return entries, nil
}

// writeArchive writes the file whole or not at all. Only the current user may read the file, since
// it may contain secrets.
func writeArchive(path string, entries []json.RawMessage) error {
	return home.ReplaceFile(path, 0o600, func(f *os.File) error {
		w := bufio.NewWriter(f)
		_, _ = w.WriteString(`{"log":{"version":"1.2","creator":{"name":"abrowser","version":"1"},"pages":[],"entries":[`) // Flush returns the error
		for i, e := range entries {
			if i > 0 {
				_ = w.WriteByte(',')
			}
			_ = w.WriteByte('\n')
			_, _ = w.Write(e)
		}
		_, _ = w.WriteString("\n]}}\n")
		return w.Flush()
	})
}
