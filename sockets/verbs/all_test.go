package verbs

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"github.com/abrowser/abrowser/sockets/wire"
)

func TestAllVerbsAreWellDeclared(t *testing.T) {
	names := map[string]bool{}
	paths := map[string]bool{wire.PathHello: true, wire.PathRetire: true}
	for _, v := range All() {
		doc := v.Describe()
		t.Run(doc.Name, func(t *testing.T) {
			for _, name := range append([]string{doc.Name}, doc.Aliases...) {
				if name == "tab" {
					continue // an alias of tab switch if an argument follows, otherwise of tab list
				}
				if names[name] {
					t.Errorf("two verbs have the name %q", name)
				}
				names[name] = true
				if found, ok := Find(name); !ok || found.Describe().Name != doc.Name {
					t.Errorf("Find(%q) does not return this verb", name)
				}
			}
			if taken := paths[doc.Path()] || strings.HasPrefix(doc.Path()+"/", wire.PathSession); taken && doc.By != wire.ByCommand {
				t.Errorf("another verb has the path %s", doc.Path())
			}
			paths[doc.Path()] = true
			if doc.Name != strings.ToLower(strings.Join(strings.Fields(doc.Name), " ")) {
				t.Errorf("the name is not lower-case words with single spaces")
			}
			if first := []rune(doc.Short + " ")[0]; !unicode.IsUpper(first) || strings.HasSuffix(doc.Short, ".") || doc.Group == "" {
				t.Errorf("group %q and short %q, want both, and short to start upper-case without a full stop", doc.Group, doc.Short)
			}
			if !strings.HasPrefix(doc.Example, "abrowser ") {
				t.Errorf("the example is %q, want a command of abrowser", doc.Example)
			}
			checkFields(t, v)
			if reflect.TypeOf(v.NewIn()).Kind() != reflect.Pointer || reflect.TypeOf(v.NewOut()).Kind() != reflect.Pointer {
				t.Error("NewIn and NewOut do not return pointers")
			}
		})
	}
	if _, ok := Find("dance"); ok {
		t.Error("Find finds an unknown verb")
	}
}

func checkFields(t *testing.T, v wire.AnyVerb) {
	t.Helper()
	seen, flags, args := map[string]bool{}, map[string]bool{}, map[int]bool{}
	given := map[string]any{}
	for _, f := range v.Fields() {
		if seen[f.Name] || f.Flag != "" && flags[f.Flag] || f.Short != "" && flags[f.Short] || f.Arg >= 0 && args[f.Arg] {
			t.Errorf("%s has the name, flag or position of another field", f.Name)
		}
		seen[f.Name], flags[f.Flag], flags[f.Short], args[f.Arg] = true, true, true, true
		if help := strings.TrimPrefix(f.Help, "JavaScript"); help == "" || unicode.IsUpper([]rune(help)[0]) || strings.HasSuffix(help, ".") {
			t.Errorf("the help of %s is %q, want lower case and no full stop", f.Name, f.Help)
		}
		if f.Required && f.Default != "" {
			t.Errorf("%s is required and has a default", f.Name)
		}
		if len(f.Short) > 1 {
			t.Errorf("the short flag of %s is %q", f.Name, f.Short)
		}
		if f.Required {
			given[f.Name] = reflect.Zero(f.Type).Interface()
			switch {
			case len(f.Enum) > 0:
				given[f.Name] = f.Enum[0]
			case f.Type.Kind() == reflect.Slice:
				given[f.Name] = []int{}
			}
		}
	}
	for i := range len(args) - 1 {
		if !args[i] && args[i+1] {
			t.Errorf("no field has argument %d, but one has argument %d", i, i+1)
		}
	}
	raw, err := json.Marshal(given)
	if err != nil {
		t.Fatal(err)
	}
	// Defaults must decode: only the Check method of the input may return an error.
	in, err := v.Decode(strings.NewReader(string(raw)))
	if _, own := reflect.ValueOf(v.NewIn()).Elem().Interface().(wire.Checker); err != nil && !own {
		t.Errorf("Decode(%s) = %v", raw, err)
	}
	if err == nil && reflect.TypeOf(in) != reflect.TypeOf(v.NewIn()) {
		t.Errorf("Decode returns a %T, want %T", in, v.NewIn())
	}
}

func TestExitStatus(t *testing.T) {
	for code, want := range map[wire.Code]int{
		"": 0, wire.CodeInternal: 1, wire.CodeNotFound: 1, wire.CodeBadInput: 2, wire.CodeUnknownVerb: 2, wire.CodeNoBrowser: 3, wire.CodeIntegrity: 3,
		wire.CodeTimeout: 4, wire.CodeWedged: 4, wire.CodeOwnership: 5, wire.CodePageClosed: 6, wire.CodeInterrupted: 130, "never heard of": 1,
	} {
		if got := wire.ExitStatus(code); got != want {
			t.Errorf("ExitStatus(%q) = %d, want %d", code, got, want)
		}
	}
	if !errors.Is(fmt.Errorf("x: %w", wire.CodeBusy), wire.CodeBusy) {
		t.Error("errors.Is does not find a wrapped code")
	}
}
