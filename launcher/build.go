package launcher

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"errors"
	"io"
	"os"

	"github.com/abrowser/abrowser/sockets/wire"
)

// Build identifies our executable: 16 hex digits made from the Go build id, which
// differs whenever the code does. Two executables with one build are one program.
func (l *Launcher) Build() (string, error) {
	l.once.Do(func() {
		l.build, l.buildErr = buildOf(l.image())
		if l.buildErr != nil {
			l.buildErr = wire.Errorf(wire.CodeInternal, "reading our executable's build: %v", l.buildErr)
		}
	})
	return l.build, l.buildErr
}

// image is the file to read of our executable. On Linux it is the one this process
// runs, even when another has taken its path since or, as with go run, none has.
func (l *Launcher) image() string {
	if l.Executable != "" {
		return l.Executable
	}
	if _, err := os.Stat("/proc/self/exe"); err == nil {
		return "/proc/self/exe"
	}
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}

func buildOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if id := buildID(f); id != nil {
		h.Write(id)
	} else if _, err := io.Copy(h, f); err != nil { // linked with -buildid=
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}

// buildID is the id that the Go linker wrote: as a note in ELF, and in every format
// before the first instruction of the text.
func buildID(f *os.File) []byte {
	if id, err := elfNote(f); err == nil && len(id) > 0 {
		return id
	}
	head := make([]byte, 1<<20)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	_, rest, ok := bytes.Cut(head[:n], []byte("\xff Go build ID: \""))
	id, _, closed := bytes.Cut(rest, []byte("\"\n \xff"))
	if !ok || !closed || len(id) == 0 || len(id) > 1<<10 {
		return nil
	}
	return id
}

func elfNote(f *os.File) ([]byte, error) {
	e, err := elf.NewFile(f)
	if err != nil {
		return nil, err
	}
	s := e.Section(".note.go.buildid")
	if s == nil {
		return nil, errors.New("no note")
	}
	note, err := s.Data()
	if err != nil || len(note) < 16 {
		return nil, errors.New("no note")
	}
	// Sizes of name and content, the type, the name "Go\0\0", the content.
	name, size := e.ByteOrder.Uint32(note), e.ByteOrder.Uint32(note[4:])
	if name != 4 || uint64(size) > uint64(len(note)-16) {
		return nil, errors.New("no note of Go's")
	}
	return note[16 : 16+size], nil
}
