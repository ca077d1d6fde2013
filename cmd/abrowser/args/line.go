package args

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/abrowser/abrowser/cmd/abrowser/config"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Line is a parsed command line.
type Line struct {
	Words  []string       // the words of the command, as they were typed
	Verb   wire.AnyVerb   // nil if there are no words, or if they name a group or one of specials
	Global map[string]any // the global flags that were given
	Params map[string]any // the verb's parameters that were given
	Rest   []string       // the tokens after the words, for a line whose Verb is nil
}

// Name returns the command's words as one text.
func (l Line) Name() string { return strings.Join(l.Words, " ") }

// On reports whether a boolean global flag is on.
func (l Line) On(name string) bool { on, _ := l.Global[name].(bool); return on }

// Parse parses a command line. If it fails, the returned Line contains what was parsed before the
// error.
func Parse(argv []string) (Line, error) {
	l := Line{Global: map[string]any{}, Params: map[string]any{}}
	if err := checkUTF8(argv); err != nil {
		return l, err
	}
	global := flagsOf(config.Fields(), l.Global)
	r, err := newIndex(verbs.All()).resolve(global, argv)
	l.Words, l.Verb, l.Rest = r.words, r.verb, r.rest
	if err != nil {
		return l, wire.WithDefaultHint(err, "abrowser help")
	}
	if l.Verb == nil {
		return l, l.parseGlobal(global, r)
	}
	spec, fields := l.Verb.Describe(), l.Verb.Fields()
	all := slices.Concat(flagsOf(fields, l.Params), global)
	n, err := normalize(all, fields, r.rest)
	if err == nil {
		err = assign(slices.Concat(r.flags, n.flags))
	}
	if err != nil {
		return l, wire.WithDefaultHint(err, "abrowser %s --help", spec.Name)
	}
	if l.On("help") || l.On("version") {
		return l, nil
	}
	return l, wire.WithDefaultHint(bind(spec, fields, n.texts, l.Params), "abrowser %s --help", spec.Name)
}

// checkUTF8 returns an error for a token that is not UTF-8. Requests are JSON, where the invalid bytes
// would silently become other characters.
func checkUTF8(argv []string) error {
	for _, token := range argv {
		if !utf8.ValidString(token) {
			return wire.Errorf(wire.CodeBadInput, "%.60q is not UTF-8", token).WithHint("convert it: iconv -t UTF-8")
		}
	}
	return nil
}

// parseGlobal parses the global flags of a line without a verb. The tokens after one of the
// [specials] are the arguments of that command, so parseGlobal does not parse them. The exception
// is version, which has no arguments.
func (l *Line) parseGlobal(global flags, r resolved) error {
	if len(r.words) == 1 && slices.Contains(specials(), r.words[0]) && r.words[0] != "version" {
		return assign(r.flags)
	}
	n, err := normalize(global, nil, r.rest)
	if err != nil {
		return err
	}
	l.Rest = n.texts
	return assign(slices.Concat(r.flags, n.flags))
}
