package cli

import (
	"bytes"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// versionOut is the version of the command itself.
type versionOut struct {
	Version  string `json:"version"`
	Protocol int    `json:"protocol"`
}

// Text is the version as --version prints it.
func (o versionOut) Text() string { return "abrowser " + o.Version }

// Version is the module's version, as the build knows it.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}

// tellOfItself answers what concerns the command and no session: help, version
// and completion.
func (a *app) tellOfItself(l line) int {
	switch {
	case l.has("version"), l.name() == "version" && !l.has("help"):
		return a.printer.answer(versionOut{Version: Version(), Protocol: wire.Protocol})
	case l.name() == "help":
		return a.help(l.rest)
	case l.has("help") && len(l.words) == 0, l.has("help") && slices.Contains(specials(), l.name()):
		return a.help(nil)
	case l.has("help"):
		return a.helpOn(l)
	case len(l.words) == 0:
		return a.printer.text(screen(verbs.All()))
	case l.name() == "completion" || strings.HasPrefix(l.name(), "__complete"):
		return a.complete(l)
	}
	return a.printer.fail(wire.Errorf(wire.CodeBadInput, "%s needs one of %s", l.name(), strings.Join(a.names.under(l.name()), ", ")).
		WithHint("abrowser help %s", l.name()))
}

// help prints what the words say: all commands, one, or a group's.
func (a *app) help(words []string) int {
	l, err := read(a.names, append([]string{"--help"}, words...))
	switch {
	case err != nil:
		return a.printer.fail(err)
	case len(l.words) == 0 || slices.Contains(specials(), l.name()):
		return a.printer.text(fullHelp(verbs.All()))
	}
	return a.helpOn(l)
}

// helpOn tells what one command takes, or which commands a group has. A word that
// is both (tab) is a group.
func (a *app) helpOn(l line) int {
	if l.verb == nil || len(a.names.under(l.name())) > 0 {
		return a.printer.text(groupHelp(l.name(), verbs.All()))
	}
	return a.printer.text(verbHelp(l.verb))
}

// complete has cobra print a shell's completion script, or what may follow.
func (a *app) complete(l line) int {
	if l.name() == "completion" && (len(l.rest) == 0 || !slices.Contains([]string{"bash", "zsh", "fish", "powershell"}, l.rest[0])) {
		return a.printer.fail(wire.Errorf(wire.CodeBadInput, "completion needs a shell: bash, zsh, fish or powershell").
			WithHint("abrowser completion bash"))
	}
	var out bytes.Buffer
	root := newTree(verbs.All())
	root.SetOut(&out)
	root.SetErr(a.sys.Stderr)
	root.SetArgs(append([]string{l.name()}, l.rest...))
	if err := root.Execute(); err != nil {
		return a.printer.fail(wire.Errorf(wire.CodeBadInput, "%v", err).WithHint("abrowser completion bash"))
	}
	return a.printer.write(out.Bytes())
}
