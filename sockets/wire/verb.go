package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// Server says who answers a verb.
type Server int

const (
	// ByDaemon is a verb that the session's own daemon answers.
	ByDaemon Server = iota
	// ByBroker is a verb that the browser's broker answers.
	ByBroker
	// ByCommand is a verb that the command line answers itself, asking daemons
	// and broker as it needs.
	ByCommand
)

// Spec describes a verb to people and machines.
type Spec struct {
	Name        string   // as it is typed, words separated by one space: "tab new"
	Aliases     []string // other whole names that mean the same
	Group       string   // the heading it stands under in help and README
	Short       string   // one line: upper case, no full stop
	Long        string   // more, where more is needed
	Example     string   // one command line that parses
	By          Server
	Unqueued    bool // answered at once, never behind a page verb
	NoStart     bool // starts no daemon and no browser
	ReadOnly    bool // changes nothing that a page or a person could see
	Destructive bool // takes something away that cannot be had back
	EndsServer  bool // ends its server; a caller of any protocol may ask for it
	Hidden      bool // spoken between processes, not typed by people
}

// Path is the request path of the verb on its server.
func (d Spec) Path() string { return "/v1/" + strings.ReplaceAll(d.Name, " ", "/") }

// Verb is one thing a session can do: its input, its output and its description.
type Verb[In, Out any] struct{ Spec }

// AnyVerb is a [Verb] whose types are not known to the caller.
type AnyVerb interface {
	Describe() Spec
	Fields() []Field // the input's fields, in the order they are declared
	NewIn() any      // a pointer to a zero input
	NewOut() any     // a pointer to a zero output
	Decode(body io.Reader) (any, error)
}

// Describe returns the verb's description.
func (v Verb[In, Out]) Describe() Spec { return v.Spec }

// Fields returns the input's fields in the order they are declared.
func (v Verb[In, Out]) Fields() []Field { return fieldsOf(reflect.TypeFor[In]()) }

// NewIn returns a pointer to a zero input.
func (v Verb[In, Out]) NewIn() any { return new(In) }

// NewOut returns a pointer to a zero output.
func (v Verb[In, Out]) NewOut() any { return new(Out) }

// Decode reads an input as [DecodeIn] does and returns it as a pointer.
func (v Verb[In, Out]) Decode(body io.Reader) (any, error) {
	in, err := DecodeIn[In](body)
	if err != nil {
		return nil, err
	}
	return &in, nil
}

// MaxRequest is the size of the largest request, in bytes.
const MaxRequest = 8 << 20

// DecodeIn reads one JSON object: absent fields take their declared default,
// unknown fields, values outside a field's choices, missing required fields and
// trailing bytes are [CodeBadInput]. An empty body is an empty object.
func DecodeIn[In any](body io.Reader) (In, error) {
	var in In
	raw, err := io.ReadAll(io.LimitReader(body, MaxRequest+1))
	if err != nil {
		return in, Errorf(CodeBadInput, "reading the request: %v", err)
	}
	if len(raw) > MaxRequest {
		return in, Errorf(CodeTooLarge, "the request is larger than %d bytes", MaxRequest)
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = []byte("{}")
	}
	if !utf8.Valid(raw) {
		return in, Errorf(CodeBadInput, "the request is not UTF-8")
	}
	fields := fieldsOf(reflect.TypeFor[In]())
	given, err := fill(raw, fields)
	if err != nil {
		return in, err
	}
	if len(given) > 0 {
		full, err := json.Marshal(given)
		if err != nil {
			return in, Errorf(CodeBadInput, "the request is not a JSON object: %s", plain(err))
		}
		dec := json.NewDecoder(bytes.NewReader(full))
		dec.DisallowUnknownFields() // of structs inside; fill looked at the outermost
		if err := dec.Decode(&in); err != nil {
			return in, Errorf(CodeBadInput, "%s", plain(err))
		}
	}
	if err := checkValues(reflect.ValueOf(in), fields); err != nil {
		return in, err
	}
	if checked, ok := any(in).(Checker); ok {
		return in, checked.Check()
	}
	return in, nil
}

// fill reads a JSON object and gives absent fields their defaults. A null is as
// good as absent. Names are taken as they are: encoding/json would let "COUNT"
// stand for "count".
func fill(raw []byte, fields []Field) (map[string]json.RawMessage, error) {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		return nil, Errorf(CodeBadInput, "the request is not a JSON object: %s", plain(err))
	}
	if given == nil {
		return nil, Errorf(CodeBadInput, "the request is not a JSON object: it is null")
	}
	for name, value := range given {
		if !slices.ContainsFunc(fields, func(f Field) bool { return f.Name == name }) {
			return nil, Errorf(CodeBadInput, "unknown field %q", name).WithHint("abrowser help shows what each command takes")
		}
		if string(value) == "null" {
			delete(given, name)
		}
	}
	for _, f := range fields {
		if _, ok := given[f.Name]; ok {
			continue
		}
		switch {
		case f.Default != "":
			given[f.Name] = f.jsonDefault()
		case f.Required:
			return nil, Errorf(CodeBadInput, "%s is missing", f.Name).WithHint("abrowser help shows what each command takes")
		}
	}
	return given, nil
}

// Checker is an input with a rule of its own, beyond what its fields' tags say.
type Checker interface {
	// Check returns [CodeBadInput] for an input that breaks the rule.
	Check() error
}

// plain is a decoding error in words that name the field and no Go type.
func plain(err error) string {
	var typed *json.UnmarshalTypeError
	if errors.As(err, &typed) && typed.Field != "" {
		return fmt.Sprintf("%s takes %s, not %s", typed.Field, kindWords(typed.Type), typed.Value)
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

func kindWords(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Float32, reflect.Float64:
		return "a number"
	default:
		return "a whole number"
	}
}
