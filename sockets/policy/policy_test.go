package policy

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

func TestDecide(t *testing.T) {
	for _, tt := range []struct {
		name, file string
		confirm    []string
		commands   []string
		want       Decision
	}{
		{"nothing is forbidden", `{}`, nil, []string{"eval"}, Allow},
		{"denied", `{"deny":["eval"]}`, nil, []string{"eval"}, Deny},
		{"another one is denied", `{"deny":["eval"]}`, nil, []string{"click"}, Allow},
		{"not in the list", `{"default":"deny","allow":["click"]}`, nil, []string{"eval"}, Deny},
		{"in the list", `{"default":"deny","allow":["click"]}`, nil, []string{"click"}, Allow},
		{"to confirm", `{"default":"deny","confirm":["eval"]}`, nil, []string{"eval"}, Confirm},
		{"to confirm by a setting", `{"default":"deny"}`, []string{"eval"}, []string{"eval"}, Confirm},
		{"denied and to confirm", `{"deny":["eval"],"confirm":["eval"],"allow":["eval"]}`, nil, []string{"eval"}, Deny},
		{"to confirm and allowed", `{"confirm":["eval"],"allow":["eval"]}`, nil, []string{"eval"}, Confirm},
		{"a group", `{"deny":["cookies *"]}`, nil, []string{"cookies clear"}, Deny},
		{"a group and not what begins like it", `{"deny":["cookies *"]}`, nil, []string{"click"}, Allow},
		{"all but some", `{"confirm":["*"]}`, nil, []string{"get text"}, Confirm},
		{"an alias", `{"deny":["quit"]}`, nil, []string{"close"}, Deny},
		{"one of two", `{"deny":["click"]}`, nil, []string{"find", "click"}, Deny},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "policy.json")
			if err := os.WriteFile(path, []byte(tt.file), 0o600); err != nil {
				t.Fatal(err)
			}
			p, err := For(wire.Settings{ActionPolicy: path, ConfirmActions: tt.confirm})
			if got := p.Decide(tt.commands...); err != nil || got != tt.want {
				t.Errorf("Decide(%q) = %v, %v, want %v", tt.commands, got, err, tt.want)
			}
		})
	}
}

// If it is not known what a policy forbids, it forbids everything.
func TestInvalidPolicies(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"is empty": "", "is no JSON": "{", "is a list": "[]", "has an unknown member": `{"denied":["eval"]}`, "has a wrong default": `{"default":"ask"}`,
		"names no command": `{"deny":["evil"]}`, "has a part of a word": `{"deny":["cook*"]}`, "goes on": `{} {}`, "is too large": `{"deny":["` + strings.Repeat("x", maxSize) + `"]}`,
	} {
		path := filepath.Join(dir, "policy.json")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := For(wire.Settings{ActionPolicy: path}); !errors.Is(err, wire.CodeDenied) {
			t.Errorf("a policy that %s: %v", name, err)
		}
	}
	for _, path := range []string{filepath.Join(dir, "none.json"), dir} {
		if _, err := For(wire.Settings{ActionPolicy: path}); !errors.Is(err, wire.CodeDenied) {
			t.Errorf("the policy %s: %v", path, err)
		}
	}
	if _, err := For(wire.Settings{ConfirmActions: []string{"evil"}}); !errors.Is(err, wire.CodeDenied) {
		t.Errorf("an unknown command to confirm: %v", err)
	}
}

// The commands to which no policy applies only tell what is there, end a session, are for a person
// who takes it over, or run other commands, about which the policy decides.
func TestCommandsWithoutPolicy(t *testing.T) {
	free := map[string]bool{}
	for _, v := range []wire.AnyVerb{
		&verbs.Close, &verbs.Kill, &verbs.Status, &verbs.Session, &verbs.SessionList, &verbs.SessionInfo, &verbs.SessionID, &verbs.Confirm, &verbs.Deny,
		&verbs.Batch, &verbs.REPL, &verbs.MCP, &verbs.BrowserStatus, &verbs.DialogStatus, &verbs.PolicyStatus, &verbs.Doctor, &verbs.Man, &verbs.Upgrade, &verbs.SkillsList, &verbs.SkillsGet,
		&verbs.TakeOver, &verbs.HandBack,
	} {
		free[v.Describe().Name] = true
	}
	for _, v := range verbs.All() {
		spec := v.Describe()
		if got := len(Names(spec, v.NewIn())) == 0; got != (free[spec.Name] || spec.Hidden) {
			t.Errorf("%s: no policy applies: %t", spec.Name, got)
		}
	}
}

// A command that runs another one needs the policy's consent for both.
func TestNames(t *testing.T) {
	for want, in := range map[string]struct {
		spec wire.Spec
		in   any
	}{
		"find click":        {verbs.FindElement.Spec, &verbs.FindIn{By: "role", Value: "button"}},
		"find fill":         {verbs.FindElement.Spec, &verbs.FindIn{By: "label", Value: "Name", Action: []string{"fill", "Ada"}}},
		"find get text":     {verbs.FindElement.Spec, &verbs.FindIn{By: "text", Value: "Go", Action: []string{"text"}}},
		"a11y":              {verbs.A11y.Spec, &verbs.A11yIn{}},
		"a11y open":         {verbs.A11y.Spec, &verbs.A11yIn{URL: "x.test"}},
		"vitals open":       {verbs.Vitals.Spec, &verbs.VitalsIn{URL: "x.test"}},
		"record start open": {verbs.RecordStart.Spec, &verbs.RecordStartIn{URL: "x.test"}},
		"tab new open":      {verbs.TabNew.Spec, &verbs.TabNewIn{URL: "x.test"}},
		"tab new":           {verbs.TabNew.Spec, &verbs.TabNewIn{}},
		"diff url open":     {verbs.DiffURL.Spec, &verbs.DiffURLIn{}},
		"click":             {verbs.Click.Spec, &verbs.ClickIn{}},
	} {
		if got := strings.Join(Names(in.spec, in.in), " "); got != want {
			t.Errorf("the commands are %q, want %q", got, want)
		}
	}
}
