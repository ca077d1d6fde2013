package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Texter is an output that knows its text for people. An output without it
// prints nothing.
type Texter interface {
	// Text is the whole answer without a final newline; empty prints nothing.
	Text() string
}

// File is what a command leaves behind in the caller's files. The command line
// writes it with the caller's rights.
type File struct {
	Path    string // absolute, or empty for the default place
	Ext     string // of the default place, with its dot: ".png"
	Content []byte
	// Source is where the file is already, instead of Content. It is moved from
	// there, or copied where it is to stay.
	Source string
	Keep   bool
	// Name is what somebody else calls it: for a Path that is a directory, and for
	// the default place.
	Name string
}

// Filer is an output that carries files. The caller writes each, sets the path
// it wrote by SetPath, and drops the content before the output is shown.
type Filer interface {
	TakeFile() (File, bool) // the file, and whether there is one to write
	SetPath(path string)
}

func lines(all ...string) string {
	kept := all[:0:0]
	for _, s := range all {
		if s != "" {
			kept = append(kept, s)
		}
	}
	return strings.Join(kept, "\n")
}

// counted is a number with what is counted.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func quoted(s string) string { return fmt.Sprintf("%q", s) }

// indent writes JSON for people: its members in their order, its numbers as they
// are, and <, > and & as themselves, which encoding/json escapes on the way.
func indent(raw json.RawMessage) string {
	var b bytes.Buffer
	if err := json.Indent(&b, plainHTML(raw), "", "  "); err != nil {
		return string(raw)
	}
	return b.String()
}

func plainHTML(raw []byte) []byte {
	plain := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' || i+1 == len(raw) {
			plain = append(plain, raw[i])
			continue
		}
		if i+6 <= len(raw) {
			switch string(raw[i+1 : i+6]) {
			case "u003c":
				plain = append(plain, '<')
				i += 5
				continue
			case "u003e":
				plain = append(plain, '>')
				i += 5
				continue
			case "u0026":
				plain = append(plain, '&')
				i += 5
				continue
			}
		}
		plain = append(plain, raw[i], raw[i+1])
		i++
	}
	return plain
}
