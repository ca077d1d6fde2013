package wire

import (
	"encoding/json"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Field is one input of a verb, read from the tags of its struct field:
//
//	json:"name,omitzero"   the name in requests; without a flag tag also the flag's
//	arg:"0"                the positional argument's place; arg:"0..." takes all that follow,
//	                       in a string joined by spaces
//	flag:"full,f"          the flag's long and short name; "-" means no flag
//	default:"1"            the value where none is given
//	enum:"up|down"         the values it may have
//	required:"true"        it must be given
//	env:"HEADED"           ABROWSER_HEADED and AGENT_BROWSER_HEADED set it; so do further names
//	                       behind a comma
//	is:"duration"          a text that [ParseDuration] reads
//	live:"true"            a setting that is changed while a daemon or browser runs
//	min:"0"                the smallest number it may be, where it is given
//	file:"out"             a file that the caller writes: resolved in the caller's directory
//	file:"into"            the same, or a directory to write it in
//	file:"in"              files that the caller may read, made absolute likewise
//	file:"name"            a name, or with a slash a path: resolved likewise
//	by:"person"            a flag that only a person may give: no agent, see [Call.Agent]
//	by:"command"           a flag with which the command line answers the verb itself
//	help:"..."             lower case, no full stop
type Field struct {
	Name     string // in requests
	Flag     string // long flag, empty when there is none
	Short    string // one letter, empty when there is none
	Arg      int    // position, -1 when it is a flag
	Rest     bool   // takes all positional arguments from Arg on
	Required bool
	Default  string
	Enum     []string
	Env      string
	EnvAlso  []string // more names for Env
	Duration bool     // it is a time
	Live     bool     // a running daemon or browser takes it over
	Person   bool     // no agent may give it
	Local    bool     // with it the command line answers the verb itself
	Min      string   // of a number, empty when any will do
	File     string   // "out", "into": a file the caller writes; "name": a name, or with a slash a path
	Help     string
	Type     reflect.Type
}

// IsText reports whether the field takes any text at all, so that a token which
// looks like a flag and is none of the command's is meant as text.
func (f Field) IsText() bool { return f.Type.Kind() == reflect.String && len(f.Enum) == 0 }

// Variables returns the names of the variables that set the field; the first that is set
// wins.
func (f Field) Variables() []string {
	if f.Env == "" {
		return nil
	}
	var all []string
	for _, name := range append([]string{f.Env}, f.EnvAlso...) {
		all = append(all, Variables(name)...)
	}
	return all
}

func fieldsOf(t reflect.Type) []Field {
	var fields []Field
	for i := range t.NumField() {
		sf := t.Field(i)
		if sf.Anonymous {
			fields = append(fields, fieldsOf(sf.Type)...)
			continue
		}
		if f, ok := fieldOf(t, sf); ok {
			fields = append(fields, f)
		}
	}
	return fields
}

// fieldOf reads a struct field's tags, all in one pass: every command reads those
// of some thirty fields. ok is false for one that is not in requests.
func fieldOf(t reflect.Type, sf reflect.StructField) (f Field, ok bool) {
	f = Field{Arg: -1, Type: sf.Type}
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
			number, rest := strings.CutSuffix(value, "...")
			place, err := strconv.Atoi(number)
			if err != nil {
				panic(fmt.Sprintf("wire: %s.%s: arg:%q is no position", t, sf.Name, value))
			}
			f.Arg, f.Rest = place, rest
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

// tags are the keys and values of a struct field's tag, in their order.
func tags(tag reflect.StructTag) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for rest := string(tag); ; {
			key, behind, found := strings.Cut(strings.TrimLeft(rest, " "), ":")
			quoted, err := strconv.QuotedPrefix(behind)
			if !found || err != nil {
				return
			}
			value, _ := strconv.Unquote(quoted) // QuotedPrefix has found it well-formed
			if !yield(key, value) {
				return
			}
			rest = behind[len(quoted):]
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

func (f Field) jsonDefault() json.RawMessage {
	if f.Type.Kind() == reflect.String {
		quoted, _ := json.Marshal(f.Default)
		return quoted
	}
	return json.RawMessage(f.Default)
}

func checkValues(v reflect.Value, fields []Field) error {
	for _, f := range fields {
		if err := f.checkMin(fieldValue(v, f.Name)); err != nil {
			return err
		}
		if len(f.Enum) == 0 {
			continue
		}
		value := fieldValue(v, f.Name)
		for _, s := range stringsOf(value) {
			if s != "" && !slices.Contains(f.Enum, s) {
				return Errorf(CodeBadInput, "%s is %q; it takes %s", f.Name, s, strings.Join(f.Enum, ", ")).
					WithHint("abrowser help shows what each command takes")
			}
		}
	}
	return nil
}

// checkMin refuses a number below the field's smallest. Zero is what an absent
// number looks like after decoding and passes.
func (f Field) checkMin(v reflect.Value) error {
	if f.Min == "" || !v.CanInt() || v.IsZero() {
		return nil
	}
	least, err := strconv.ParseInt(f.Min, 10, 64)
	if err != nil {
		panic(fmt.Sprintf("wire: %s: min:%q is no number", f.Name, f.Min))
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

func fieldValue(v reflect.Value, name string) reflect.Value {
	t := v.Type()
	for i := range t.NumField() {
		sf := t.Field(i)
		if sf.Anonymous {
			if found := fieldValue(v.Field(i), name); found.IsValid() {
				return found
			}
			continue
		}
		if tag, _, _ := strings.Cut(sf.Tag.Get("json"), ","); tag == name {
			return v.Field(i)
		}
	}
	return reflect.Value{}
}
