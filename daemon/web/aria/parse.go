package daemon

import (
	"encoding/json"
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

// parseKey reads `role "name" [attr] [attr=value]`.
func parseKey(key string) *node {
	n := &node{attrs: map[string]string{}}
	role, tail, found := strings.Cut(key, " ")
	n.role = role
	rest := ""
	if found {
		rest = key[len(role):]
	}
	switch {
	case strings.HasPrefix(tail, `"`):
		if end := jsonStringEnd(tail); end > 0 && json.Unmarshal([]byte(tail[:end]), &n.name) == nil {
			rest = tail[end:]
		}
	case strings.HasPrefix(tail, "/"):
		if end := slashEnd(tail); end > 0 {
			n.name, rest = tail[:end], tail[end:]
		}
	}
	readAttrs(rest, func(name, value string) { n.attrs[name] = value })
	n.pwRef = n.attrs["ref"]
	return n
}

// slashEnd is where a name ends that begins and ends with a slash, which stands
// unquoted: behind its last slash that only attributes follow. 0: it is none.
func slashEnd(tail string) int {
	for end := strings.LastIndexByte(tail, '/'); end > 0; end = strings.LastIndexByte(tail[:end], '/') {
		if behind := tail[end+1:]; readAttrs(behind, nil) == len(behind) {
			return end + 1
		}
	}
	return 0
}

// readAttrs reads all attributes in text, each ` [name]` or ` [name=value]`, and
// returns how many bytes of text are attributes.
func readAttrs(text string, each func(name, value string)) (read int) {
	for {
		at := strings.Index(text, " [")
		if at < 0 {
			return read
		}
		text = text[at:]
		inside, _, closed := strings.Cut(text[2:], "]")
		name, value, _ := strings.Cut(inside, "=")
		if !closed || name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") != "" {
			text = text[1:]
			continue
		}
		if each != nil {
			each(name, value)
		}
		size := len(" [") + len(inside) + len("]")
		text, read = text[size:], read+size
	}
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
