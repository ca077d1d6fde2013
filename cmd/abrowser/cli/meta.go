package cli

import (
	"strings"

	"github.com/abrowser/abrowser/cmd/abrowser/args"
	"github.com/abrowser/abrowser/cmd/abrowser/commands"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// versionOut is the answer to --version.
type versionOut struct {
	Version  string `json:"version"`
	Protocol int    `json:"protocol"`
}

// Text returns the version as --version prints it.
func (o versionOut) Text() string { return "abrowser " + o.Version }

// meta answers commands about the command line itself: help, version and completion.
func (c *command) meta() int {
	l := c.line
	switch {
	case l.On("version"), l.Name() == "version" && !l.On("help"):
		return c.printer.answer(versionOut{Version: commands.Version(), Protocol: wire.Protocol()}, nil)
	case l.Name() == "help":
		if len(l.Rest) == 1 {
			if text, ok := topicHelp(l.Rest[0], verbs.All()); ok {
				return c.printer.text(text)
			}
		}
		named, err := args.Parse(append([]string{"--help"}, l.Rest...))
		if err != nil {
			return c.printer.fail(err)
		}
		return c.printer.text(help(named))
	case l.On("help"):
		return c.printer.text(help(l))
	case len(l.Words) == 0:
		return c.printer.text(screen(verbs.All()))
	case l.Name() == "completion" || strings.HasPrefix(l.Name(), "__complete"):
		return c.complete()
	}
	subcommands := args.Subcommands(l.Name())
	if len(subcommands) == 0 {
		return c.printer.fail(wire.Errorf(wire.CodeBadInput, "%s is a process of abrowser's own, not a command", l.Name()).WithHint("abrowser help"))
	}
	return c.printer.fail(wire.Errorf(wire.CodeBadInput, "%s needs one of %s", l.Name(), strings.Join(subcommands, ", ")).
		WithHint("abrowser help %s", l.Name()))
}

// help returns the help on the command or group that a line names. If the line names neither,
// help returns the help that fits on a screen. For a name that is both a command and a group, such
// as tab, it returns the help on the group.
func help(l args.Line) string {
	switch {
	case len(args.Subcommands(l.Name())) > 0:
		return groupHelp(l.Name(), verbs.All())
	case l.Verb != nil:
		return verbHelp(l.Verb)
	}
	return screen(verbs.All())
}
