package verbs

import (
	"errors"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/wire"
)

func TestDecodeChecksRules(t *testing.T) {
	tests := []struct {
		name string
		verb wire.AnyVerb
		body string
		want string // a part of the message; empty for success
	}{
		{"wait without a condition", Wait, `{}`, "needs one condition"},
		{"wait with two conditions", Wait, `{"what":"100","text":"x"}`, "needs one condition"},
		{"wait with one condition", Wait, `{"text":"x","timeout":5}`, ""},
		{"prune without a condition", TabPrune, `{}`, "needs a condition"},
		{"prune of all", TabPrune, `{"all":true}`, ""},
		{"negative timeout", Click, `{"selector":"a","timeout":-1}`, "timeout is -1; it takes 1 or more"},
		{"negative delay", Type, `{"selector":"a","text":"b","delay":-1}`, "delay is -1; it takes 0 or more"},
		{"negative amount", Scroll, `{"amount":-5}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.verb.Decode(strings.NewReader(tt.body))
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("Decode(%s) = %v, want none", tt.body, err)
			case tt.want != "" && (!errors.Is(err, wire.CodeBadInput) || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("Decode(%s) = %v, want %q", tt.body, err, tt.want)
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		"", "{}", "null", "[]", `{"selector":null}`, `{"SELECTOR":"a"}`, `{"steps":[{}]}`, "{\"selector\":\"\xff\"}", `{"selector":"e1","timeout":-1}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		for _, v := range All() {
			if _, err := v.Decode(strings.NewReader(body)); err != nil && !errors.Is(err, wire.CodeBadInput) {
				t.Fatalf("%s: Decode(%q) = %v, want %s", v.Describe().Name, body, err, wire.CodeBadInput)
			}
		}
	})
}
