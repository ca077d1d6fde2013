package completion

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

func TestEveryVerbHasACommand(t *testing.T) {
	root := newTree(verbs.All())
	for _, v := range verbs.All() {
		spec := v.Describe()
		if spec.Hidden {
			continue
		}
		cmd, rest, err := root.Find(strings.Fields(spec.Name))
		if err != nil || len(rest) > 0 || cmd.CommandPath() != "abrowser "+spec.Name || cmd.Short != spec.Short {
			t.Errorf("%s: Find is %s, %v, %v", spec.Name, cmd.CommandPath(), rest, err)
			continue
		}
		for _, f := range v.Fields() {
			if f.Flag != "" && cmd.Flags().Lookup(f.Flag) == nil {
				t.Errorf("%s has no flag --%s", spec.Name, f.Flag)
			}
		}
	}
}

func TestWrite(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		var out, errs bytes.Buffer
		if err := Write(&out, &errs, []string{"completion", shell}); err != nil || !strings.Contains(out.String(), "__complete") || errs.Len() > 0 {
			t.Errorf("completion %s: %d bytes, %q, %v", shell, out.Len(), &errs, err)
		}
	}
	tests := []struct {
		words []string
		want  string
	}{
		{[]string{"scroll", ""}, "up\ndown\nleft\nright\n"},
		{[]string{"wait", "--state", ""}, "visible\nhidden\nattached\ndetached\n"},
		{[]string{"dialog", ""}, "accept\tAccept the next JavaScript dialog, whatever the policy\ndismiss\tDismiss"},
		{[]string{"click", "--new"}, "--new-tab\topen the link in a new tab\n"},
		{[]string{"--mode", ""}, "shared\nincognito\npersistent\nattached\n"},
	}
	for _, tt := range tests {
		var out, errs bytes.Buffer
		err := Write(&out, &errs, append([]string{"__complete"}, tt.words...))
		if !strings.HasPrefix(out.String(), tt.want) || err != nil {
			t.Errorf("completing %q: %q, %v, want %q", tt.words, &out, err, tt.want)
		}
	}
	for _, words := range [][]string{{"completion"}, {"completion", "tcsh"}} {
		if err := Write(&bytes.Buffer{}, &bytes.Buffer{}, words); !errors.Is(err, wire.CodeBadInput) {
			t.Errorf("%q: %v, want %s", words, err, wire.CodeBadInput)
		}
	}
}
