// Package completion completes command lines in shells. It gives cobra the tree of abrowser's
// commands, and cobra prints the shells' scripts and answers the requests that these make.
//
// The commands are declared from sockets/verbs. They are only offered and never run: package
// args parses command lines, since cobra knows neither global flags between the words of a
// command nor text that looks like a flag. Help is package cli's, for the same reason.
// Man pages are not generated: they would need two more dependencies.
//
// Package roles uses it, so it is in the full program only. The thin command line does without
// cobra and text/template: it is 0.3 MB smaller, and starts as fast as with them. It is the only
// package with cobra.
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

// Write writes what a completion command answers. words are "completion" and a shell, for the
// shell's script, or a command of that script and the words to complete.
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

// newTree returns the commands of all verbs that people type.
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
		Run: func(cmd *cobra.Command, _ []string) { cmd.Println(cmd.UseLine()) }, // cobra offers only commands that run
	}
}

// place puts cmd below the groups that its name begins with. A group that is itself a command
// (session) takes the place and the commands of its stand-in.
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

// completeArguments offers the choices of an argument, or files if it is a file.
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

// addFlags declares the fields that are flags. What they are given is not read.
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
			// The flag has just been declared, so it is there and has no completion yet.
			_ = cmd.RegisterFlagCompletionFunc(f.Flag, cobra.FixedCompletions(f.Enum, cobra.ShellCompDirectiveNoFileComp))
		}
	}
}
