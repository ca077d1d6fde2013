package verbs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

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
