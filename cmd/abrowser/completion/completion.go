// Package completion completes command lines in shells. It builds a tree of abrowser's commands
// for cobra. Cobra prints the completion scripts for shells, and answers the requests of these
// scripts for completions.
//
// The tree is built from the declarations in sockets/verbs. Cobra only completes these commands
// and never runs one. Package args parses command lines instead, since cobra supports neither
// global flags between the words of a command nor text that looks like a flag. Cobra does not
// print the help either: package cli does. Package manual makes the manual page, since cobra's
// generator of man pages would need two more dependencies.
//
// Only package roles uses this package, and only this package uses cobra. The thin command line
// therefore does not link cobra and text/template. This makes it 0.3 MB smaller, but no faster to
// start.
package completion

import (
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/abrowser/abrowser/cmd/abrowser/args"
	"github.com/abrowser/abrowser/cmd/abrowser/config"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Write answers a completion command. The parameter words has its words. If they are "completion"
// and the name of a shell, Write prints the completion script of this shell. Such a script runs
// another command, such as __complete, followed by the words of the command line to complete. For
// this command, Write prints the candidates.
func Write(out, errs io.Writer, words []string) error {
	if words[0] == "completion" && (len(words) == 1 || !slices.Contains([]string{"bash", "zsh", "fish", "powershell"}, words[1])) {
		return wire.Errorf(wire.CodeBadInput, "completion needs a shell: bash, zsh, fish or powershell").
			WithHint("abrowser completion bash")
	}
	root := newTree(verbs.All())
	root.SetOut(out)
	root.SetErr(errs)
	root.SetArgs(words)
	if err := root.Execute(); err != nil {
		return wire.Errorf(wire.CodeBadInput, "%v", err).WithHint("abrowser completion bash")
	}
	return nil
}

// Candidates returns the words in the answer to __completeNoDesc. The last line of the answer
// begins with a colon and has no word.
func Candidates(answer string) []string {
	var all []string
	for line := range strings.Lines(answer) {
		if line = strings.TrimRight(line, "\n"); line != "" && !strings.HasPrefix(line, ":") {
			all = append(all, line)
		}
	}
	return all
}

// newTree returns the tree of the commands that are not hidden.
func newTree(all []wire.AnyVerb) *cobra.Command {
	root := newCommand("abrowser", "")
	addFlags(root, config.Fields(), true)
	for _, v := range all {
		spec := v.Describe()
		if spec.Hidden {
			continue
		}
		words := strings.Fields(spec.Name)
		last := len(words) - 1
		_, arguments, _ := strings.Cut(args.Usage(spec, v.Fields()), spec.Name)
		cmd := newCommand(words[last]+arguments, spec.Short)
		cmd.ValidArgsFunction = completeArguments(v.Fields())
		place(root, words[:last], spec.Group, cmd)
		addFlags(cmd, v.Fields(), false)
	}
	return root
}

func newCommand(use, short string) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: cobra.ArbitraryArgs, SilenceErrors: true, SilenceUsage: true,
		// Cobra offers only commands with a Run function.
		Run: func(cmd *cobra.Command, _ []string) { cmd.Println(cmd.UseLine()) },
	}
}

// place adds cmd to the tree below its groups, which are the words before the last word of its
// name. It creates a stand-in for a missing group. If cmd is also a group, such as session, and
// has a stand-in, then cmd replaces the stand-in and takes over its subcommands.
func place(root *cobra.Command, groups []string, short string, cmd *cobra.Command) {
	parent := root
	for _, word := range groups {
		next := child(parent, word)
		if next == nil {
			next = newCommand(word, short)
			parent.AddCommand(next)
		}
		parent = next
	}
	if standIn := child(parent, cmd.Name()); standIn != nil {
		below := slices.Clone(standIn.Commands())
		standIn.RemoveCommand(below...)
		parent.RemoveCommand(standIn)
		cmd.AddCommand(below...)
	}
	parent.AddCommand(cmd)
}

func child(parent *cobra.Command, name string) *cobra.Command {
	for _, c := range parent.Commands() {
		if c.Name() == name {
			return c
		}
	}
	return nil
}

// completeArguments returns a function that completes the next positional argument: with the
// argument's choices, or with file names if the argument is a file.
func completeArguments(fields []wire.Field) cobra.CompletionFunc {
	arguments := args.Arguments(fields)
	return func(_ *cobra.Command, given []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(given) >= len(arguments) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		if arguments[len(given)].File != "" {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return arguments[len(given)].Enum, cobra.ShellCompDirectiveNoFileComp
	}
}

// addFlags declares the fields that are flags, so that cobra offers them. Their values are not
// used.
func addFlags(cmd *cobra.Command, fields []wire.Field, persistent bool) {
	flags := cmd.Flags()
	if persistent {
		flags = cmd.PersistentFlags()
	}
	flags.SortFlags = false
	for _, f := range fields {
		switch {
		case f.Flag == "":
			continue
		case f.Type.Kind() == reflect.Bool:
			flags.BoolP(f.Flag, f.Short, false, f.Help)
		case f.Type.Kind() == reflect.Slice:
			flags.StringSliceP(f.Flag, f.Short, nil, f.Help)
		default:
			flags.StringP(f.Flag, f.Short, "", f.Help)
		}
		if len(f.Enum) > 0 {
			// This cannot fail: the flag was declared just before and has no completion yet.
			_ = cmd.RegisterFlagCompletionFunc(f.Flag, cobra.FixedCompletions(f.Enum, cobra.ShellCompDirectiveNoFileComp))
		}
	}
}
