package verbs

import (
	"slices"
	"strconv"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// FindIn is the input of [FindElement].
type FindIn struct {
	By     string   `json:"by" arg:"0" required:"true" enum:"role|text|label|placeholder|alt|title|testid|first|last|nth" help:"what identifies the element"`
	Value  string   `json:"value" arg:"1" required:"true" help:"the role, text, attribute or selector; for nth the index, from 0, with the selector after it"`
	Action []string `json:"action,omitzero" arg:"2..." help:"what to do, and the text if it takes one; the default is click"`
	Name   string   `json:"name,omitzero" help:"the name of an element with this role"`
	Exact  bool     `json:"exact,omitzero" help:"match the whole text or name, with upper and lower case"`
	TimeoutIn
}

// FindActions returns the actions of [FindElement].
func FindActions() []string {
	return []string{"click", "dblclick", "fill", "type", "check", "uncheck", "hover", "focus", "text"}
}

// Split returns the value to look for, the index for nth, the action and the text of the action. It
// ignores an index that is not a number, for which [FindIn.Check] returns an error.
func (in FindIn) Split() (value string, index int, action, text string) {
	value, rest := in.Value, in.Action
	if in.By == "nth" && len(rest) > 0 {
		index, _ = strconv.Atoi(in.Value)
		value, rest = rest[0], rest[1:]
	}
	if len(rest) == 0 {
		return value, index, "click", ""
	}
	return value, index, rest[0], strings.Join(rest[1:], " ")
}

// Check returns an error for an unknown action, a text that is missing or superfluous, an index
// that is not a number, and a name without role.
func (in FindIn) Check() error {
	const hint = "abrowser find label Mail fill ada@example.com"
	if _, err := strconv.Atoi(in.Value); in.By == "nth" && (err != nil || len(in.Action) == 0) {
		return wire.Errorf(wire.CodeBadInput, "find nth takes an index and a selector").WithHint("abrowser find nth 0 .row click")
	}
	_, _, action, text := in.Split()
	takesText := action == "fill" || action == "type"
	switch {
	case !slices.Contains(FindActions(), action):
		return wire.Errorf(wire.CodeBadInput, "unknown action %q; find takes %s", action, strings.Join(FindActions(), ", ")).WithHint(hint)
	case takesText && text == "":
		return wire.Errorf(wire.CodeBadInput, "find ... %s takes a text", action).WithHint(hint)
	case !takesText && text != "":
		return wire.Errorf(wire.CodeBadInput, "find ... %s takes no text", action).WithHint(hint)
	case in.Name != "" && in.By != "role":
		return wire.Errorf(wire.CodeBadInput, "name belongs to find role").WithHint("abrowser find role button --name Send")
	}
	return nil
}

// FindOut is the output of [FindElement]. The action determines which of the first eight fields is
// set. Found is the text of the element. The other seven contain the selector of the element.
type FindOut struct {
	Clicked   string  `json:"clicked,omitzero"`
	Filled    string  `json:"filled,omitzero"`
	Typed     string  `json:"typed,omitzero"`
	Checked   string  `json:"checked,omitzero"`
	Unchecked string  `json:"unchecked,omitzero"`
	Hovered   string  `json:"hovered,omitzero"`
	Focused   string  `json:"focused,omitzero"`
	Found     *string `json:"text,omitzero"`
	Effects
}

// Text returns the element's text, or the effects of the action.
func (o FindOut) Text() string {
	if o.Found != nil {
		return *o.Found
	}
	return o.Effects.Text()
}

// FindElement finds an element by its role, text, label or another property, and acts on it.
var FindElement = wire.Verb[FindIn, FindOut]{Spec: wire.Spec{
	Name: "find", PageText: true, Group: groupInput, Short: "Find an element by its role, text or label, and act on it",
	Example: "abrowser find role button click --name Send",
	Long: "The actions are click, dblclick, fill TEXT, type TEXT, check, uncheck, hover, focus and text, which prints the element's text. " +
		"A text or name matches if it contains the value, in upper or lower case. If nothing matches, the error names what is there.",
}}
