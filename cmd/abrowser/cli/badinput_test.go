package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/args"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Bad arguments of every verb are refused before anything happens: no daemon is started, no file
// is written, and a file that exists stays as it is. The answer has a message and a hint.
func TestBadArgumentsOfEveryVerb(t *testing.T) {
	b := newBench(t)
	b.env["AGENT_BROWSER_SESSION"] = "task"
	kept := filepath.Join(b.dir, "kept")
	if err := os.WriteFile(kept, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused := 0
	for _, v := range verbs.All() {
		for name, argv := range badArguments(t, v) {
			refused++
			stdout, _, status := b.run(append([]string{"--json"}, argv...)...)
			var answer struct {
				Success           bool
				Code              wire.Code
				Error, Hint, Data string
			}
			if err := json.Unmarshal([]byte(stdout), &answer); err != nil {
				t.Errorf("%s: %q answers %q: %v", name, short(argv), stdout, err)
				continue
			}
			if answer.Code != wire.CodeBadInput || status != wire.ExitStatus(wire.CodeBadInput) || answer.Error == "" || answer.Hint == "" {
				t.Errorf("%s: %q ends with %d and answers %.300s", name, short(argv), status, stdout)
			}
			if len(answer.Error) > 1000 {
				t.Errorf("%s: %q: the message has %d bytes", name, short(argv), len(answer.Error))
			}
		}
	}
	if want := 5 * len(verbs.All()); refused < want {
		t.Errorf("%d command lines were tried, want %d or more", refused, want)
	}
	if text, err := os.ReadFile(kept); err != nil || string(text) != "kept" {
		t.Errorf("the file that was there contains %q (%v)", text, err)
	}
	if files, err := os.ReadDir(b.dir); err != nil || len(files) != 1 {
		t.Errorf("the directory contains %v (%v)", files, err)
	}
}

// badArguments returns command lines of a verb that are wrong in one place each. All else in them is
// the verb's example.
func badArguments(t *testing.T, v wire.AnyVerb) map[string][]string {
	t.Helper()
	spec, fields := v.Describe(), v.Fields()
	words := strings.Fields(spec.Name)
	with := func(more ...string) []string { return slices.Concat(words, more) }
	bad := map[string][]string{
		"a flag that is not UTF-8": with("--\xff"),
		"an argument, not UTF-8":   with("\xff"),
	}
	given, err := args.Split(strings.TrimPrefix(spec.Example, "abrowser "))
	if err != nil {
		t.Fatalf("%s: the example: %v", spec.Name, err)
	}
	arguments := given[min(len(words), len(given)):]
	required, rest, text := 0, false, false
	for _, f := range args.Arguments(fields) {
		rest, text = rest || f.Rest, text || f.Rest && f.Arg == 0 && f.IsText() && !f.Dashed
		if f.Required {
			required++
		}
	}
	if !text {
		bad["an unknown flag"], bad["unknown letters"] = with("--fly"), with("-§")
	}
	if required > 0 {
		bad["no argument"] = with()
		if !rest {
			bad["an empty argument"] = with("")
		}
	}
	if !rest {
		bad["an argument too many"] = with(strings.Fields(strings.Repeat("1 ", len(args.Arguments(fields))+1))...)
	}
	for _, f := range fields {
		if f.Flag == "" {
			continue
		}
		flag := "--" + f.Flag
		for what, value := range badValues(f) {
			bad[flag+" with "+what] = slices.Concat(words, []string{flag + "=" + value}, arguments)
		}
		if f.Type.Kind() != reflect.Bool && !rest {
			bad[flag+" without a value"] = slices.Concat(words, arguments, []string{flag})
		}
	}
	return bad
}

// badValues returns values that a field does not accept.
func badValues(f wire.Field) map[string]string {
	bad := map[string]string{"text that is not UTF-8": "a\xff"}
	kind := f.Type
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	switch {
	case kind.Kind() == reflect.Bool:
		bad["a word"] = "perhaps"
	case kind.Kind() == reflect.Int, kind.Kind() == reflect.Int64:
		bad["a word"], bad["a fraction"], bad["a huge number"], bad["nothing"] = "many", "1.5", "99999999999999999999", ""
		if f.Min != "" {
			bad["a number that is too small"] = "-1000"
		}
	case kind.Kind() == reflect.Float64:
		bad["a word"], bad["no number"], bad["infinity"], bad["nothing"] = "many", "NaN", "Inf", ""
	case f.Duration:
		bad["a word"], bad["a negative time"] = "soon", "-5s"
	case len(f.Enum) > 0:
		bad["another word"] = "nonsense"
	}
	return bad
}

// short returns the arguments, each cut to a length that can be read.
func short(argv []string) []string {
	cut := make([]string, len(argv))
	for i, arg := range argv {
		cut[i] = arg[:min(len(arg), 60)]
	}
	return cut
}
