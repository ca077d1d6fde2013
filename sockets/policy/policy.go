// Package policy reads action policies and decides which commands they allow. A policy keeps an
// agent from commands that a person does not want it to run by mistake. It does not stop a program
// that wants to get around it, because such a program can also start a browser by itself.
package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// maxSize is the size in bytes of the largest policy file.
const maxSize = 64 << 10

// Decision is what a policy decides about a command.
type Decision int

// The decisions, the strictest last.
const (
	Allow   Decision = iota
	Confirm          // the command is run when it has been confirmed
	Deny
)

// Policy decides about commands. It is the content of a policy file. The lists contain names of
// commands, and names that end in " *", which stand for all commands that begin so; "*" stands for
// all. A command that is in several lists is denied, or else has to be confirmed. Default applies to
// a command that is in none.
type Policy struct {
	Default string   `json:"default"` // "allow" or "deny"; empty means "allow"
	Allow   []string `json:"allow"`
	Deny    []string `json:"deny"`
	Confirm []string `json:"confirm"`
}

// For returns the policy for sessions with these settings. Without a policy in the settings, all is
// allowed. For reads the policy file each time, so that a change of the file applies at once. It
// returns [wire.CodeDenied] if the file cannot be read or is invalid, because it is then not known
// what it should forbid.
func For(s wire.Settings) (Policy, error) {
	p := Policy{}
	if s.ActionPolicy != "" {
		var err error
		if p, err = read(s.ActionPolicy); err != nil {
			return p, wire.Errorf(wire.CodeDenied, "the action policy %s cannot be used, so no command is run: %v", s.ActionPolicy, err).
				WithHint(`it is a JSON object: {"default":"allow","deny":["eval"],"confirm":["cookies *"]}`)
		}
	}
	p.Confirm = slices.Concat(p.Confirm, s.ConfirmActions)
	if err := p.complete(); err != nil {
		return p, wire.Errorf(wire.CodeDenied, "the action policy cannot be used, so no command is run: %v", err).WithHint("abrowser help all lists the commands")
	}
	return p, nil
}

func read(path string) (Policy, error) {
	var p Policy
	file, err := os.Open(path)
	if err != nil {
		return p, errors.Unwrap(err)
	}
	defer file.Close()
	raw, err := io.ReadAll(io.LimitReader(file, maxSize+1))
	switch {
	case err != nil:
		return p, err
	case len(raw) > maxSize:
		return p, errors.New("it is larger than 64 KB")
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&p); err != nil {
		return p, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return p, errors.New("something follows the JSON object")
	}
	if p.Default != "" && p.Default != "allow" && p.Default != "deny" {
		return p, errors.New("default is neither allow nor deny")
	}
	return p, nil
}

// complete replaces the aliases in the lists by the names of their commands. It returns an error for
// a name that stands for no command.
func (p *Policy) complete() error {
	all := verbs.All()
	for _, list := range []*[]string{&p.Allow, &p.Deny, &p.Confirm} {
		for i, name := range *list {
			known := slices.IndexFunc(all, func(v wire.AnyVerb) bool {
				spec := v.Describe()
				return !spec.Hidden && (matches(name, spec.Name) || slices.Contains(spec.Aliases, name))
			})
			if known < 0 {
				return errors.New("there is no command " + name)
			}
			if spec := all[known].Describe(); slices.Contains(spec.Aliases, name) {
				(*list)[i] = spec.Name
			}
		}
	}
	return nil
}

// matches reports whether an entry of a list stands for the command with the given name.
func matches(entry, name string) bool {
	if prefix, ok := strings.CutSuffix(entry, "*"); ok {
		return (prefix == "" || strings.HasSuffix(prefix, " ")) && strings.HasPrefix(name, prefix)
	}
	return entry == name
}

// Decide returns the strictest decision about the given commands.
func (p Policy) Decide(names ...string) Decision {
	strictest := Allow
	for _, name := range names {
		strictest = max(strictest, p.decide(name))
	}
	return strictest
}

func (p Policy) decide(name string) Decision {
	lists := func(entries []string) bool {
		return slices.ContainsFunc(entries, func(entry string) bool { return matches(entry, name) })
	}
	switch {
	case lists(p.Deny):
		return Deny
	case lists(p.Confirm):
		return Confirm
	case lists(p.Allow) || p.Default != "deny":
		return Allow
	}
	return Deny
}

// Check decides about a command that nobody can confirm, because no daemon would keep it until then.
// Such a command is denied.
func Check(s wire.Settings, spec wire.Spec, in any) error {
	p, err := For(s)
	if err != nil {
		return err
	}
	switch p.Decide(Names(spec, in)...) {
	case Confirm:
		return wire.Errorf(wire.CodeDenied, "the action policy wants %q to be confirmed, which is not possible for this command", spec.Name).WithHint("allow it, or run it without the policy")
	case Deny:
		return DeniedError(spec)
	default:
		return nil
	}
}

// DeniedError is the error for a command that the policy forbids.
func DeniedError(spec wire.Spec) error {
	return wire.Errorf(wire.CodeDenied, "the action policy forbids %q", spec.Name).WithHint("ask the person who has set ABROWSER_ACTION_POLICY")
}

// Names returns the names of the commands about which the policy has to decide before a verb with this
// input is run: the verb's own, and those that it stands for. No policy applies to some verbs, for
// which Names returns none.
func Names(spec wire.Spec, in any) []string {
	if spec.NoPolicy || spec.Hidden {
		return nil
	}
	names := []string{spec.Name}
	if a, ok := in.(verbs.Actor); ok {
		names = append(names, a.Actions()...)
	}
	return names
}
