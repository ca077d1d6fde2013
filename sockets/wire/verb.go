package wire

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// Server is the kind of process that serves a verb.
type Server int

const (
	// ByDaemon means that the session's daemon serves the verb.
	ByDaemon Server = iota
	// ByBroker means that the browser's broker serves the verb.
	ByBroker
	// ByCommand means that the command line itself runs the verb. It sends requests to
	// daemons and the broker if needed.
	ByCommand
)

// Spec describes a verb.
type Spec struct {
	Name        string   // as a user types it; one space separates words: "tab new"
	Aliases     []string // other complete names of the verb
	Group       string   // the heading above the verb in the help and in COMMANDS.md
	Short       string   // one line: starts in upper case, no full stop
	Long        string   // further text, if needed
	Example     string   // a valid command line
	By          Server
	Unqueued    bool // the daemon runs the verb at once, without waiting for other verbs
	NoStart     bool // the verb starts no daemon and no browser
	ReadOnly    bool // the verb changes nothing that a page or a person could see
	PageText    bool // its output contains text of the page, which a stranger may have written
	Destructive bool // the verb removes something that cannot be restored
	// EndsServer means that the verb ends its server. The server accepts such a verb from clients of
	// any protocol version and build.
	EndsServer bool
	NoPolicy   bool // an action policy cannot forbid the verb
	Person     bool // the verb is for a person: a command of a task, or of an MCP client, is refused
	Hidden     bool // the verb is for use between processes, not for people
}

// Path returns the path of requests for the verb.
func (s Spec) Path() string { return "/v1/" + strings.ReplaceAll(s.Name, " ", "/") }

// Verb is an operation on a session: the types of its input and output, and its description.
type Verb[In, Out any] struct{ Spec }

// AnyVerb is a [Verb] of any input and output types.
type AnyVerb interface {
	Describe() Spec
	Fields() []Field // the input's fields, in the order of their declaration
	NewIn() any      // a pointer to a zero input
	NewOut() any     // a pointer to a zero output
	Decode(body io.Reader) (any, error)
}

// Describe returns the verb's description.
func (v Verb[In, Out]) Describe() Spec { return v.Spec }

// Fields returns the input's fields in the order of their declaration.
func (v Verb[In, Out]) Fields() []Field { return fieldsOf(reflect.TypeFor[In]()) }

// NewIn returns a pointer to a zero input.
func (v Verb[In, Out]) NewIn() any { return new(In) }

// NewOut returns a pointer to a zero output.
func (v Verb[In, Out]) NewOut() any { return new(Out) }

// Decode reads an input as [DecodeIn] does and returns a pointer to it.
func (v Verb[In, Out]) Decode(body io.Reader) (any, error) {
	in, err := DecodeIn[In](body)
	if err != nil {
		return nil, err
	}
	return &in, nil
}

// MaxRequest is the size of the largest request in bytes.
const MaxRequest = 8 << 20

// hintHelp is the hint of errors about an input.
const hintHelp = "abrowser help shows what each command takes"

// Checker is an input with a rule that tags cannot express.
type Checker interface {
	// Check returns [CodeBadInput] if the input violates the rule.
	Check() error
}

// DecodeIn reads an input from a JSON object. An empty body counts as an empty object. Absent
// fields get their declared default. DecodeIn returns [CodeTooLarge] for more than [MaxRequest]
// bytes, and [CodeBadInput] for:
//
//   - a body that is not one JSON object in UTF-8
//   - unknown fields
//   - missing required fields
//   - values that the tags or [Checker] do not allow
func DecodeIn[In any](body io.Reader) (In, error) {
	var in In
	raw, err := io.ReadAll(io.LimitReader(body, MaxRequest+1))
	if err != nil {
		return in, Errorf(CodeBadInput, "reading the request: %v", err)
	}
	if len(raw) > MaxRequest {
		return in, Errorf(CodeTooLarge, "the request is larger than %d bytes", MaxRequest)
	}
	if err := decodeFields(raw, reflect.ValueOf(&in).Elem()); err != nil {
		return in, err
	}
	if checked, ok := any(in).(Checker); ok {
		return in, checked.Check()
	}
	return in, nil
}

// decodeFields stores the members of a JSON object in the fields of a struct. A member that is null
// counts as absent. Names must match exactly: encoding/json alone would accept "COUNT" for "count".
func decodeFields(raw []byte, in reflect.Value) error {
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = []byte("{}")
	}
	if !utf8.Valid(raw) {
		return Errorf(CodeBadInput, "the request is not UTF-8")
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		return Errorf(CodeBadInput, "the request is not a JSON object: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if given == nil {
		return Errorf(CodeBadInput, "the request is not a JSON object: it is null")
	}
	fields := fieldsOf(in.Type())
	for name := range given {
		if !slices.ContainsFunc(fields, func(f Field) bool { return f.Name == name }) {
			return Errorf(CodeBadInput, "unknown field %q", name).WithHint(hintHelp)
		}
	}
	for _, f := range fields {
		var err error
		switch value, ok := given[f.Name]; {
		case ok && string(value) != "null":
			err = f.decode(value, f.valueIn(in))
		case f.Default != "":
			err = f.setDefault(f.valueIn(in))
		case f.Required:
			err = Errorf(CodeBadInput, "%s is missing", f.Name).WithHint(hintHelp)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
