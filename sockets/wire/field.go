package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Field is one input of a verb, read from the tags of a struct field:
//
//	json:"name,omitzero"   the name in requests; also the flag's name, unless there is a flag tag
//	arg:"0"                the position of the argument; arg:"0..." also takes all following
//	                       arguments, which a string field joins with spaces
//	arg:"--"               takes all arguments after the separator --, and no others
//	flag:"full,f"          the long and the short name of the flag; "-" means no flag
//	default:"1"            the value if the request has none
//	enum:"up|down"         the allowed values
//	required:"true"        the request must have a value
//	env:"HEADED"           the variables ABROWSER_HEADED and AGENT_BROWSER_HEADED set the field;
//	                       further names follow after commas
//	is:"duration"          a string that [ParseDuration] accepts
//	live:"true"            a setting that can change while a daemon or browser runs
//	min:"0"                the smallest allowed number
//	file:"out"             a file that the caller writes; the path is made absolute in the
//	                       caller's directory
//	file:"into"            like "out", but the path may also be a directory to write the file in
//	file:"in"              a file, or files, that the caller may read; the paths are made absolute
//	file:"name"            a name, or a path if it contains a slash; a path is made absolute
//	by:"person"            only a person may set the flag, not an agent; see [Call.Agent]
//	by:"command"           if the flag is given, the command line itself serves the verb
//	library:"axe-core"     the path of this npm package's script; the command line sets it
//	help:"..."             the help text, in lower case and without a full stop
type Field struct {
	Name     string // in requests
	Flag     string // the long flag; empty for none
	Short    string // a letter; empty for none
	Arg      int    // the position; -1 for none
	Rest     bool   // takes all arguments from the position Arg on
	Dashed   bool   // takes the arguments after --; Rest is set and Arg is 0
	Required bool
	Default  string
	Enum     []string
	Env      string   // without prefix
	EnvAlso  []string // further names, without prefix
	Duration bool
	Live     bool
	Person   bool
	Local    bool   // with the flag, the command line itself serves the verb
	Min      string // empty for no minimum
	File     string // "out", "into", "in" or "name"; empty if the field is not a file
	Library  string // the npm package whose script's path the command line stores in the field; may be empty
	Help     string
	Type     reflect.Type

	index []int // of the struct field, for [reflect.Value.FieldByIndex]
}

// IsText reports whether the field accepts any text, including text that looks like a flag.
func (f Field) IsText() bool { return f.Type.Kind() == reflect.String && len(f.Enum) == 0 }

// Variables returns the names of the environment variables that set the field. The first of
// them that is set wins.
func (f Field) Variables() []string {
	if f.Env == "" {
		return nil
	}
	names := Variables(f.Env)
	for _, name := range f.EnvAlso {
		names = append(names, Variables(name)...)
	}
	return names
}

// fieldsOf returns the fields of a struct and of the structs embedded in it.
func fieldsOf(t reflect.Type) []Field {
	fields := make([]Field, 0, t.NumField()+1)
	for i := range t.NumField() {
		sf := t.Field(i)
		if sf.Anonymous {
			for _, f := range fieldsOf(sf.Type) {
				f.index = append([]int{i}, f.index...)
				fields = append(fields, f)
			}
			continue
		}
		if f, ok := fieldOf(t, sf); ok {
			fields = append(fields, f)
		}
	}
	return fields
}

// fieldOf reads the tags of the struct field sf of the type t. It returns false if the field is not
// part of requests. For speed, fieldOf reads all tags of the field in one pass, since every command
// reads the tags of about thirty fields.
func fieldOf(t reflect.Type, sf reflect.StructField) (f Field, ok bool) {
	f = Field{Arg: -1, Type: sf.Type, index: sf.Index}
	flag, hasFlag := "", false
	for key, value := range tags(sf.Tag) {
		switch key {
		case "json":
			f.Name, _, _ = strings.Cut(value, ",")
		case "required":
			f.Required = value == "true"
		case "default":
			f.Default = value
		case "help":
			f.Help = value
		case "min":
			f.Min = value
		case "file":
			f.File = value
		case "library":
			f.Library = value
		case "is":
			f.Duration = value == "duration"
		case "live":
			f.Live = value == "true"
		case "by":
			f.Person, f.Local = value == "person", value == "command"
		case "env":
			if names := strings.Split(value, ","); names[0] != "" {
				f.Env, f.EnvAlso = names[0], append(f.EnvAlso, names[1:]...)
			}
		case "enum":
			if value != "" {
				f.Enum = strings.Split(value, "|")
			}
		case "arg":
			if value == "--" {
				f.Arg, f.Rest, f.Dashed = 0, true, true
				continue
			}
			number, rest := strings.CutSuffix(value, "...")
			position, err := strconv.Atoi(number)
			if err != nil {
				panic(fmt.Sprintf("wire: %s.%s: arg:%q is not a position", t, sf.Name, value))
			}
			f.Arg, f.Rest = position, rest
		case "flag":
			flag, hasFlag = value, true
		}
	}
	switch {
	case hasFlag:
		if f.Flag, f.Short, _ = strings.Cut(flag, ","); f.Flag == "-" {
			f.Flag = ""
		}
	case f.Arg < 0:
		f.Flag = kebab(f.Name)
	}
	return f, f.Name != "" && f.Name != "-"
}

// tags returns the keys and values of a struct tag, in order.
func tags(tag reflect.StructTag) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for rest := string(tag); ; {
			key, after, found := strings.Cut(strings.TrimLeft(rest, " "), ":")
			quoted, err := strconv.QuotedPrefix(after)
			if !found || err != nil {
				return
			}
			value, _ := strconv.Unquote(quoted) // cannot fail: QuotedPrefix has checked it
			if !yield(key, value) {
				return
			}
			rest = after[len(quoted):]
		}
	}
}

func kebab(name string) string {
	var b strings.Builder
	for _, r := range name {
		if 'A' <= r && r <= 'Z' {
			b.WriteByte('-')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// valueIn returns the field's value in the struct v.
func (f Field) valueIn(v reflect.Value) reflect.Value { return v.FieldByIndex(f.index) }

// decode stores a JSON value in v and checks it.
func (f Field) decode(raw json.RawMessage, v reflect.Value) error {
	dst := v.Addr().Interface()
	var err error
	switch v.Kind() {
	case reflect.Struct, reflect.Slice, reflect.Map, reflect.Pointer:
		// The JSON may contain unknown fields, which are errors.
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.DisallowUnknownFields()
		err = dec.Decode(dst)
	default:
		// The type has no fields, so json.Unmarshal is enough.
		err = json.Unmarshal(raw, dst)
	}
	if err != nil {
		return f.decodeError(err)
	}
	return f.check(v)
}

// setDefault stores the field's default in v.
func (f Field) setDefault(v reflect.Value) error {
	if f.Type.Kind() == reflect.String {
		v.SetString(f.Default)
		return nil
	}
	return json.Unmarshal([]byte(f.Default), v.Addr().Interface())
}

// decodeError returns a decoding error that names the field and no Go type.
func (f Field) decodeError(err error) error {
	var typed *json.UnmarshalTypeError
	if errors.As(err, &typed) {
		name := strings.TrimSuffix(f.Name+"."+typed.Field, ".")
		return Errorf(CodeBadInput, "%s takes %s, not %s", name, kindName(typed.Type), typed.Value)
	}
	return Errorf(CodeBadInput, "%s: %s", f.Name, strings.TrimPrefix(err.Error(), "json: "))
}

func kindName(t reflect.Type) string {
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

// check returns [CodeBadInput] if the tags do not allow the value v. It allows a zero value,
// since a value that was not given is also zero, for example in [Settings.Check].
func (f Field) check(v reflect.Value) error {
	if err := f.checkMin(v); err != nil {
		return err
	}
	for _, s := range stringsOf(v) {
		if f.File != "" && !isPath(s) {
			return Errorf(CodeBadInput, "%s is %.60q, which is not a possible path", f.Name, s).WithHint("give a path of at most %d bytes", maxPath)
		}
		if len(f.Enum) > 0 && s != "" && !slices.Contains(f.Enum, s) {
			return Errorf(CodeBadInput, "%s is %q; it takes %s", f.Name, s, strings.Join(f.Enum, ", ")).WithHint(hintHelp)
		}
	}
	return nil
}

const (
	maxPath     = 4095 // bytes; Linux has this limit, macOS a lower one
	maxPathName = 255  // bytes of one name in a path
)

// isPath reports whether a file can have this path.
func isPath(path string) bool {
	if len(path) > maxPath || strings.ContainsRune(path, 0) {
		return false
	}
	for name := range strings.SplitSeq(path, "/") {
		if len(name) > maxPathName {
			return false
		}
	}
	return true
}

func (f Field) checkMin(v reflect.Value) error {
	if f.Min == "" || !v.CanInt() || v.IsZero() {
		return nil
	}
	least, err := strconv.ParseInt(f.Min, 10, 64)
	if err != nil {
		panic(fmt.Sprintf("wire: %s: min:%q is not a number", f.Name, f.Min))
	}
	if v.Int() < least {
		return Errorf(CodeBadInput, "%s is %d; it takes %d or more", f.Name, v.Int(), least)
	}
	return nil
}

func stringsOf(v reflect.Value) []string {
	switch v.Kind() {
	case reflect.String:
		return []string{v.String()}
	case reflect.Slice:
		var all []string
		for i := range v.Len() {
			all = append(all, stringsOf(v.Index(i))...)
		}
		return all
	default:
		return nil
	}
}
