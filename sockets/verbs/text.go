package verbs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// lines joins the texts that are not empty, each on its own line.
func lines(all ...string) string {
	kept := all[:0:0]
	for _, s := range all {
		if s != "" {
			kept = append(kept, s)
		}
	}
	return strings.Join(kept, "\n")
}

// counted returns a number and its noun. The parameter one is the singular of the noun, and many is
// the plural.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// labelled returns the label followed by the text, or an empty string if the text is empty.
func labelled(label, text string) string {
	if text == "" {
		return ""
	}
	return label + text
}

func quoted(s string) string { return fmt.Sprintf("%q", s) }

// indent formats JSON for people. It keeps the order of members and the form of numbers. It
// writes <, > and & unescaped, although encoding/json has escaped them.
func indent(raw json.RawMessage) string {
	unescape := strings.NewReplacer(`\\`, `\\`, `\u003c`, "<", `\u003e`, ">", `\u0026`, "&")
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(unescape.Replace(string(raw))), "", "  "); err != nil {
		return string(raw)
	}
	return b.String()
}
