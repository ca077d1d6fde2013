package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/abrowser/abrowser/sockets/wire"
)

// line is a command line that was understood.
type line struct {
	words  []string     // the command's, as they were typed
	verb   wire.AnyVerb // nil for help, version, completion, the roles and a group alone
	global members      // the global flags given
	in     members      // the request's members given
	rest   []string     // the tokens behind the words, where there is no verb

	patience time.Duration // how long the verb may wait, where that is not the timeout's
}

func (l line) name() string { return strings.Join(l.words, " ") }

// has reports whether a boolean global flag is on.
func (l line) has(name string) bool { on, _ := l.global[name].(bool); return on }

// text is a member that is a text, empty where it was not given.
func (l line) text(name string) string { s, _ := l.in[name].(string); return s }

// on is a member that is true or false.
func (l line) on(name string) bool { on, _ := l.in[name].(bool); return on }

// request is the body to send, after the same checks that the server makes.
func (l line) request() (json.RawMessage, error) {
	body, err := json.Marshal(l.in)
	if err != nil {
		return nil, err
	}
	if _, err := l.verb.Decode(bytes.NewReader(body)); err != nil {
		return nil, err
	}
	return body, nil
}

// read understands a command line. Of the verbs' commands only the called one's
// is made.
func read(n names, args []string) (line, error) {
	l := line{global: members{}, in: members{}}
	global := globalFlags(l.global)
	f, err := find(n, global, args)
	l.words, l.verb, l.rest = f.words, f.verb, f.rest
	if err != nil {
		return l, err
	}
	if l.verb == nil {
		return l, l.readGlobal(global, f)
	}
	cmd := newCommand(l.verb, l.in)
	flags := cmd.Flags()
	flags.AddFlagSet(global)
	fields := l.verb.Fields()
	a, err := arrange(flags, fields, f.rest)
	if err != nil {
		return l, withHelp(err, l.verb.Describe())
	}
	if err := parseFlags(flags, slices.Concat(f.flags, a.flags)); err != nil {
		return l, withHelp(err, l.verb.Describe())
	}
	if l.has("help") || l.has("version") {
		return l, nil
	}
	return l, bind(l.verb.Describe(), fields, a.texts, l.in)
}

// readGlobal reads the flags of a line without a verb. What is behind the words
// of help, completion and the roles is theirs.
func (l *line) readGlobal(global *pflag.FlagSet, f found) error {
	if len(f.words) == 1 && slices.Contains(specials(), f.words[0]) && f.words[0] != "version" {
		return parseFlags(global, f.flags)
	}
	a, err := arrange(global, nil, f.rest)
	if err != nil {
		return err
	}
	l.rest = a.texts
	return parseFlags(global, slices.Concat(f.flags, a.flags))
}

func parseFlags(flags *pflag.FlagSet, args []string) error {
	err := flags.Parse(args)
	var coded *wire.Error
	if errors.As(err, &coded) {
		return coded // without pflag's words around it
	}
	if err != nil {
		return wire.Errorf(wire.CodeBadInput, "%v", err)
	}
	return nil
}

// withHelp gives an error that has no hint the one that always helps.
func withHelp(err error, doc wire.Spec) error {
	if e := wire.AsError(err); e.Hint == "" {
		return e.WithHint("abrowser %s --help", doc.Name)
	}
	return err
}
