package args

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/config"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

func TestVerbsAreFoundByTheirNames(t *testing.T) {
	x := newIndex(verbs.All())
	for _, v := range x {
		spec := v.Describe()
		for _, name := range append([]string{spec.Name}, spec.Aliases...) {
			if !slices.ContainsFunc(x.named(name), func(v wire.AnyVerb) bool { return v.Describe().Name == spec.Name }) {
				t.Errorf("%s is not found as %s", spec.Name, name)
			}
		}
	}
	for _, word := range specials() {
		if x.hasPrefix(word) {
			t.Errorf("%s is a verb's word, too", word)
		}
	}
}

// Two verbs have the same name only if one needs an argument and the other needs none.
func TestNamesAreUnique(t *testing.T) {
	x := newIndex(verbs.All())
	for name := range x.all() {
		named := x.named(name)
		needs := map[bool]string{}
		for _, v := range named {
			key := minTexts(v.Fields()) > 0
			if other, taken := needs[key]; taken {
				t.Errorf("%s is both %s and %s", name, other, v.Describe().Name)
			}
			needs[key] = v.Describe().Name
		}
		if len(named) > 1 && len(needs) < 2 {
			t.Errorf("%s is the name of several verbs", name)
		}
	}
}

func TestFlagsAreUnique(t *testing.T) {
	for _, v := range newIndex(verbs.All()) {
		seen := map[string]bool{}
		for _, f := range flagsOf(slices.Concat(v.Fields(), config.Fields()), nil) {
			for _, name := range []string{"--" + f.Flag, "-" + f.Short} {
				if seen[name] && name != "-" {
					t.Errorf("%s has two flags %s", v.Describe().Name, name)
				}
				seen[name] = true
			}
		}
	}
}

func TestExamplesParse(t *testing.T) {
	for _, v := range newIndex(verbs.All()) {
		spec := v.Describe()
		words := words(t, spec.Example)
		if len(words) == 0 || words[0] != "abrowser" {
			t.Errorf("%s: the example is %q", spec.Name, spec.Example)
			continue
		}
		l, err := Parse(words[1:])
		if err != nil {
			t.Errorf("%s: the example %q: %v", spec.Name, spec.Example, err)
			continue
		}
		if got := l.Verb.Describe().Name; got != spec.Name {
			t.Errorf("the example of %s is one of %s", spec.Name, got)
		}
		if spec.Name == verbs.Batch.Name {
			continue // the request of a batch is made from its actions, not from its parameters
		}
		body, err := json.Marshal(l.Params)
		if err == nil {
			_, err = l.Verb.Decode(bytes.NewReader(body))
		}
		if err != nil {
			t.Errorf("%s: the example %q: %v", spec.Name, spec.Example, err)
		}
	}
}
