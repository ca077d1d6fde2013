package aria

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// Node is an element or a run of text in a snapshot.
type Node struct {
	Role          string // "text" for a run of text
	Name          string
	Text          string // the text of a run of text, or the only text inside an element
	Attrs         map[string]string
	Props         map[string]string // url, placeholder, and the properties that describe sets, in snapshot.js of launcher/driver
	PlaywrightRef string            // Playwright's own ref, which is valid in this document only
	Ref           int               // abrowser's own ref; 0: none
	Children      []*Node
	usable        bool // see HasRef
}

// Parse reads a snapshot that Playwright's AriaSnapshot has made in its mode for AI agents. Such
// a snapshot is a YAML list, which uses only a small part of YAML. The node that Parse returns
// stands for the whole snapshot.
func Parse(text string) (*Node, error) {
	root := &Node{Role: "fragment"}
	path := []*Node{root} // path[i] is the last node at depth i-1
	for i, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		body := strings.TrimLeft(line, " ")
		indent := len(line) - len(body)
		item, ok := strings.CutPrefix(body, "- ")
		depth := indent / 2
		if !ok || indent%2 != 0 || depth >= len(path) {
			return nil, wire.Errorf(wire.CodeInternal, "snapshot not understood: line %d", i+1)
		}
		parent := path[depth]
		if prop, ok := strings.CutPrefix(item, "/"); ok {
			key, value, _ := strings.Cut(prop, ":")
			if parent.Props == nil {
				parent.Props = map[string]string{}
			}
			parent.Props[key] = unquoteYAML(strings.TrimSpace(value))
			continue
		}
		n := parseItem(item)
		if n.Role == "text" && parent.holdsInput() && parent.Text == "" {
			parent.Text = n.Text // a field with properties has its value on a line of its own
			continue
		}
		parent.Children = append(parent.Children, n)
		path = append(path[:depth+1], n)
	}
	root.Walk(func(n *Node) bool {
		n.inlineText()
		n.nameByLabel()
		return true
	})
	markUsable(root)
	return root, nil
}

// inlineText moves the text of a node's only child to the node. Playwright does the same, unless
// the element has properties. inlineText is for elements whose properties come from describe in
// snapshot.js of launcher/driver, and not from Playwright.
func (n *Node) inlineText() {
	own := len(n.Props) > 0 && n.Props["url"] == "" && n.Props["placeholder"] == ""
	if own && n.Text == "" && len(n.Children) == 1 && n.Children[0].Role == "text" {
		n.Text, n.Children = n.Children[0].Text, nil
	}
}

// nameByLabel handles an element that the page shows in place of a form control: see hiddenLabel in
// snapshot.js of launcher/driver. The label of the form control becomes the element's name. The
// element's former name is the option that is chosen, and becomes its value.
func (n *Node) nameByLabel() {
	label := OneLine(n.Props["of"])
	if label == "" || label == n.Name {
		return
	}
	if n.Props["value"] == "" {
		n.Props["value"] = n.Name
	}
	n.Name = label
}

// holdsInput reports whether the text in the node is a value that was typed or set.
func (n *Node) holdsInput() bool {
	switch n.Role {
	case "textbox", "searchbox", "spinbutton", "slider", "progressbar", "meter":
		return true
	}
	return false
}

// parseItem reads one item of the list: an element, or a run of text. An element has a key, and
// may have a text after it.
func parseItem(item string) *Node {
	key, value := splitKey(item)
	if key == "text" {
		return &Node{Role: "text", Text: unquoteYAML(value)}
	}
	n := parseKey(key)
	n.Text = unquoteYAML(value)
	return n
}

// splitKey cuts an item at the colon that ends its key. The key may be quoted as in YAML,
// and may contain a quoted name.
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
func parseKey(key string) *Node {
	n := &Node{Attrs: map[string]string{}}
	role, tail, found := strings.Cut(key, " ")
	n.Role = role
	rest := ""
	if found {
		rest = key[len(role):]
	}
	switch {
	case strings.HasPrefix(tail, `"`):
		if end := jsonStringEnd(tail); end > 0 && json.Unmarshal([]byte(tail[:end]), &n.Name) == nil {
			rest = tail[end:]
		}
	case strings.HasPrefix(tail, "/"):
		if end := slashEnd(tail); end > 0 {
			n.Name, rest = tail[:end], tail[end:]
		}
	}
	parseAttrs(rest, func(name, value string) { n.Attrs[name] = value })
	n.PlaywrightRef = n.Attrs["ref"]
	return n
}

// slashEnd returns the index after a name that begins and ends with a slash. Playwright does not
// quote such a name, so the name ends with the last slash after which only attributes follow. If
// there is no such slash, slashEnd returns 0.
func slashEnd(tail string) int {
	for end := strings.LastIndexByte(tail, '/'); end > 0; end = strings.LastIndexByte(tail[:end], '/') {
		if behind := tail[end+1:]; parseAttrs(behind, nil) == len(behind) {
			return end + 1
		}
	}
	return 0
}

// parseAttrs calls each(), which may be nil, for every attribute in text. An attribute is a space
// that is followed by [name] or [name=value]. parseAttrs returns how many bytes of text are
// attributes.
func parseAttrs(text string, each func(name, value string)) (read int) {
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

// unquoteYAML removes the quotes of a value.
func unquoteYAML(value string) string {
	if len(value) < 2 || value[0] != '"' || value[len(value)-1] != '"' {
		return value
	}
	if text, err := strconv.Unquote(value); err == nil {
		return text
	}
	return value[1 : len(value)-1]
}

// Walk calls visit for every node below n, parents first, until visit returns false. It
// reports whether all nodes were visited.
func (n *Node) Walk(visit func(*Node) bool) bool {
	for _, child := range n.Children {
		if !visit(child) || !child.Walk(visit) {
			return false
		}
	}
	return true
}

// Find returns the node below n whose PlaywrightRef is pwRef, or nil.
func (n *Node) Find(pwRef string) *Node {
	var found *Node
	n.Walk(func(c *Node) bool {
		if c.PlaywrightRef == pwRef {
			found = c
		}
		return found == nil
	})
	return found
}

// FrameOf returns the part of pwRef, a ref of Playwright's, that names the frame. The part is
// empty for the main frame.
func FrameOf(pwRef string) string {
	at := strings.LastIndexByte(pwRef, 'e')
	if at <= 0 {
		return ""
	}
	return pwRef[:at]
}
