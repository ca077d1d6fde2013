package daemon

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// node is one element, or one run of text, of a snapshot.
type node struct {
	role     string // "text" for a run of text
	name     string
	text     string // of a run of text, or the only text inside an element
	attrs    map[string]string
	props    map[string]string // url, placeholder
	pwRef    string            // Playwright's own, of this document only
	ref      int               // ours; 0: none
	children []*node
}

// parseAria reads what Playwright's AriaSnapshot prints in its mode for agents: a
// list in YAML of which only a small part is used.
func parseAria(text string) (*node, error) {
	root := &node{role: "fragment"}
	path := []*node{root} // path[i] is the last node at depth i-1
	for i, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		body := strings.TrimLeft(line, " ")
		indent := len(line) - len(body)
		item, ok := strings.CutPrefix(body, "- ")
		depth := indent / 2
		if !ok || indent%2 != 0 || depth >= len(path) {
			return nil, wire.Errorf(wire.CodeInternal, "line %d of the snapshot is not understood", i+1)
		}
		parent := path[depth]
		if prop, ok := strings.CutPrefix(item, "/"); ok {
			key, value, _ := strings.Cut(prop, ":")
			if parent.props == nil {
				parent.props = map[string]string{}
			}
			parent.props[key] = unquoteYAML(strings.TrimSpace(value))
			continue
		}
		n := parseItem(item)
		if n.role == "text" && parent.isField() && parent.text == "" {
			parent.text = n.text // what it holds stands apart where it has properties, too
			continue
		}
		parent.children = append(parent.children, n)
		path = append(path[:depth+1], n)
	}
	return root, nil
}

// isField reports whether the text inside is what somebody typed or set.
func (n *node) isField() bool {
	switch n.role {
	case "textbox", "searchbox", "spinbutton", "slider", "progressbar", "meter":
		return true
	}
	return false
}

// parseItem reads one element with its key and, where it has one, its text.
func parseItem(item string) *node {
	key, value := splitKey(item)
	if key == "text" {
		return &node{role: "text", text: unquoteYAML(value)}
	}
	n := parseKey(key)
	n.text = unquoteYAML(value)
	return n
}

// splitKey cuts an item at the colon that ends its key. The key may be quoted for
// YAML, and has a quoted name in it.
func splitKey(item string) (key, value string) {
	if strings.HasPrefix(item, "'") {
		var b strings.Builder
		for i := 1; i < len(item); i++ {
			if item[i] != '\'' {
				b.WriteByte(item[i])
				continue
			}
			if i+1 < len(item) && item[i+1] == '\'' {
				b.WriteByte('\'')
				i++
				continue
			}
			return b.String(), strings.TrimSpace(strings.TrimPrefix(item[i+1:], ":"))
		}
		return b.String(), ""
	}
	inName := false
	for i := 0; i < len(item); i++ {
		switch {
		case inName && item[i] == '\\':
			i++
		case item[i] == '"':
			inName = !inName
		case !inName && item[i] == ':' && (i+1 == len(item) || item[i+1] == ' '):
			return item[:i], strings.TrimSpace(item[i+1:])
		}
	}
	return item, ""
}

var (
	attrPattern  = regexp.MustCompile(` \[([a-z]+)(?:=([^\]]*))?\]`)
	slashPattern = regexp.MustCompile(`^([a-z]+) (/.*/)((?: \[[a-z]+(?:=[^\]]*)?\])*)$`)
)

// parseKey reads `role "name" [attr] [attr=value]`.
func parseKey(key string) *node {
	n := &node{attrs: map[string]string{}}
	rest := ""
	switch slashed := slashPattern.FindStringSubmatch(key); {
	case slashed != nil: // a name that begins and ends with a slash stands unquoted
		n.role, n.name, rest = slashed[1], slashed[2], slashed[3]
	default:
		var tail string
		var found bool
		n.role, tail, found = strings.Cut(key, " ")
		if found {
			rest = " " + tail
		}
		if strings.HasPrefix(tail, `"`) {
			if end := jsonStringEnd(tail); end > 0 && json.Unmarshal([]byte(tail[:end]), &n.name) == nil {
				rest = tail[end:]
			}
		}
	}
	for _, m := range attrPattern.FindAllStringSubmatch(rest, -1) {
		n.attrs[m[1]] = m[2]
	}
	n.pwRef = n.attrs["ref"]
	return n
}

func jsonStringEnd(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}

// unquoteYAML undoes the quoting of a value.
func unquoteYAML(value string) string {
	if len(value) < 2 || value[0] != '"' || value[len(value)-1] != '"' {
		return value
	}
	if text, err := strconv.Unquote(value); err == nil {
		return text
	}
	return value[1 : len(value)-1]
}

// walk visits every node below n, parents first, until visit reports false.
func (n *node) walk(visit func(*node) bool) bool {
	for _, child := range n.children {
		if !visit(child) || !child.walk(visit) {
			return false
		}
	}
	return true
}

// find returns the node with one of Playwright's refs.
func (n *node) find(pwRef string) *node {
	var found *node
	n.walk(func(c *node) bool {
		if c.pwRef == pwRef {
			found = c
		}
		return found == nil
	})
	return found
}

// frameOf is the part of one of Playwright's refs that names its frame: empty in
// the main frame.
func frameOf(pwRef string) string {
	at := strings.LastIndexByte(pwRef, 'e')
	if at <= 0 {
		return ""
	}
	return pwRef[:at]
}
