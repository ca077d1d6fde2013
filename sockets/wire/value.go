package wire

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Parse converts text to a value of the field's type and checks it. The parameter name is used in
// error messages: it is the name of the flag, argument or variable that contains the text.
func (f Field) Parse(name, text string) (any, error) {
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Bool:
		on, err := strconv.ParseBool(text)
		if err != nil {
			return nil, Errorf(CodeBadInput, "%s takes true or false, not %q", name, text)
		}
		return on, nil
	case reflect.Int, reflect.Int64:
		return f.parseInt(name, text)
	case reflect.Float64:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || n != n || n-n != 0 {
			return nil, Errorf(CodeBadInput, "%s takes a number, not %q", name, text)
		}
		return n, nil
	case reflect.Slice:
		list := SplitList(text)
		return list, f.CheckEnum(name, list...)
	default:
		if f.Duration {
			_, err := ParseDuration(name, text)
			return text, err
		}
		return text, f.CheckEnum(name, text)
	}
}

func (f Field) parseInt(name, text string) (any, error) {
	n, err := strconv.Atoi(text)
	if err != nil {
		return nil, Errorf(CodeBadInput, "%s takes a whole number (%s), not %q", name, f.Help, text)
	}
	if least, err := strconv.Atoi(f.Min); err == nil && n < least {
		return nil, Errorf(CodeBadInput, "%s takes %d or more (%s), not %d", name, least, f.Help, n)
	}
	return n, nil
}

// CheckEnum returns an error for the first text that is not one of the field's allowed values. The
// parameter name is used in error messages as the name of the field.
func (f Field) CheckEnum(name string, texts ...string) error {
	for _, text := range texts {
		if len(f.Enum) == 0 || slices.Contains(f.Enum, text) {
			continue
		}
		err := Errorf(CodeBadInput, "%s takes %s, not %q", name, strings.Join(f.Enum, ", "), text)
		if near := Nearest(text, f.Enum); near != "" {
			return err.WithHint("did you mean %s?", near)
		}
		return err
	}
	return nil
}

// FromEnvironment returns the field's value from the first of its variables that is set and not
// empty; see [Field.Variables]. It returns nil if there is no such variable. The parameter lookup
// is os.LookupEnv.
func (f Field) FromEnvironment(lookup func(string) (string, bool)) (any, error) {
	name, text := LookupVariable(lookup, f.Variables())
	if text == "" {
		return nil, nil
	}
	return f.Parse(name, text)
}
