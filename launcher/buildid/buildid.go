// Package buildid identifies the build of an executable.
//
// Two processes are of one build if their executables have the same build ID, which the Go
// linker derives from the code. The launcher, the thin command line and every daemon compare
// builds, and a daemon of another build is replaced. Every command computes its build, so the
// package usually reads only one page of the executable, and imports little.
//
// The package tells only whether two builds are the same, not which one is newer.
package buildid

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"os"
)

// Of returns the build of the executable at path: 16 hex digits, which differ whenever the
// code differs.
func Of(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if id := Raw(f); id != nil {
		h.Write(id)
	} else if _, err := io.Copy(h, f); err != nil { // the program was linked with -buildid=
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}

// Raw returns the build ID that the Go linker wrote, or nil if there is none. An ELF file has
// the build ID in a note. An executable of any format also has it, between two marker texts,
// in front of the first instruction.
func Raw(f *os.File) []byte {
	if id := noteID(head(f, 4096)); id != nil {
		return id
	}
	_, rest, ok := bytes.Cut(head(f, 1<<20), []byte("\xff Go build ID: \""))
	id, _, closed := bytes.Cut(rest, []byte("\"\n \xff"))
	if !ok || !closed || len(id) == 0 || len(id) > 1<<10 {
		return nil
	}
	return id
}

// head returns the first size bytes of a file, or fewer if the file is shorter.
func head(f *os.File, size int) []byte {
	buf := make([]byte, size)
	n, err := f.ReadAt(buf, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	return buf[:n]
}

// noteID returns the content of the ELF note with the build ID, or nil. Go's linkers write the
// note into the first page, so one read is enough. Package debug/elf would need two dozen
// reads, since it finds the note through the file's headers. noteID supports only 64-bit
// little-endian files.
func noteID(page []byte) []byte {
	if !bytes.HasPrefix(page, []byte("\x7fELF\x02\x01")) {
		return nil
	}
	// A note consists of the size of its name, the size of its content, its type, the name and
	// the content. The page is cut at the type (4 means a build ID) and the name ("Go").
	before, content, ok := bytes.Cut(page, []byte("\x04\x00\x00\x00Go\x00\x00"))
	if !ok || len(before) < 8 {
		return nil
	}
	size := binary.LittleEndian.Uint32(before[len(before)-4:])
	if size == 0 || uint64(size) > uint64(len(content)) {
		return nil
	}
	return content[:size]
}
