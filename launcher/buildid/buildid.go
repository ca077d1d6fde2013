// Package buildid tells which program an executable is. Every command asks, so it reads
// little and links little.
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

// Of identifies the executable at path: 16 hex digits made from the Go build id,
// which differs whenever the code does. Two executables with one build are one
// program.
func Of(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if id := Raw(f); id != nil {
		h.Write(id)
	} else if _, err := io.Copy(h, f); err != nil { // linked with -buildid=
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}

// Raw is the id that the Go linker wrote: as a note in ELF, and in every format
// before the first instruction of the text. Nil where there is none.
func Raw(f *os.File) []byte {
	if id := noteID(f); id != nil {
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

// noteID is the note's content. Go's linkers write it into the file's first page,
// which is all that is read: every command does, and package debug/elf would read
// two dozen times. A class or order that is not that of today's machines has the id
// before its text, too.
func noteID(f *os.File) []byte {
	page := make([]byte, 4096)
	n, err := f.ReadAt(page, 0)
	if n < 0x40 || err != nil && !errors.Is(err, io.EOF) || !bytes.HasPrefix(page, []byte("\x7fELF\x02\x01")) {
		return nil
	}
	page = page[:n]
	number := binary.LittleEndian
	at, size, count := number.Uint64(page[0x20:]), uint64(number.Uint16(page[0x36:])), int(number.Uint16(page[0x38:]))
	for range count {
		header := part(page, at, size)
		if len(header) < 0x38 {
			return nil
		}
		const note = 4
		if number.Uint32(header) == note {
			if id := goNote(part(page, number.Uint64(header[0x08:]), number.Uint64(header[0x20:]))); id != nil {
				return id
			}
		}
		at += size
	}
	return nil
}

// part is size bytes of page from at on, nil where it has not so many.
func part(page []byte, at, size uint64) []byte {
	if at > uint64(len(page)) || size > uint64(len(page))-at {
		return nil
	}
	return page[at : at+size]
}

// goNote reads the notes of one segment, each with the sizes of its name and its
// content, its type, the name and the content, and returns that of Go's build id.
func goNote(notes []byte) []byte {
	const buildID = 4
	for len(notes) >= 12 {
		number := binary.LittleEndian
		name, size, kind := uint64(number.Uint32(notes)), uint64(number.Uint32(notes[4:])), number.Uint32(notes[8:])
		behind := 12 + (name+3)&^3
		content := part(notes, behind, size)
		if content == nil {
			return nil
		}
		if kind == buildID && bytes.HasPrefix(notes[12:], []byte("Go\x00\x00")) && size > 0 {
			return content
		}
		notes = notes[min(behind+(size+3)&^3, uint64(len(notes))):]
	}
	return nil
}
