package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/abrowser/abrowser/sockets/wire"
)

// newCommand makes the command of one verb. What its flags are given is kept in
// into. On the way of an ordinary command it is the only one that is made.
func newCommand(v wire.AnyVerb, into members) *cobra.Command {
	doc := v.Describe()
	words := strings.Fields(doc.Name)
	_, arguments, _ := strings.Cut(usage(doc, v.Fields()), doc.Name)
	cmd := &cobra.Command{
		Use: words[len(words)-1] + arguments, Short: doc.Short, Long: doc.Long, Example: doc.Example,
		GroupID: doc.Group, Args: cobra.ArbitraryArgs, SilenceErrors: true, SilenceUsage: true,
		ValidArgsFunction: completeArguments(v.Fields()),
		RunE:              func(*cobra.Command, []string) error { return nil },
	}
	if len(words) > 1 {
		cmd.GroupID = ""
	}
	cmd.Flags().SortFlags = false
	addFlags(cmd.Flags(), v.Fields(), into)
	return cmd
}

// newTree makes the commands of all verbs, for completion and for tests.
func newTree(verbs []wire.AnyVerb) *cobra.Command {
	root := &cobra.Command{
		Use: "abrowser", Short: summary, SilenceErrors: true, SilenceUsage: true,
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	root.PersistentFlags().AddFlagSet(globalFlags(members{}))
	for _, v := range verbs {
		doc := v.Describe()
		if doc.Hidden {
			continue
		}
		if !root.ContainsGroup(doc.Group) {
			root.AddGroup(&cobra.Group{ID: doc.Group, Title: doc.Group})
		}
		words := strings.Fields(doc.Name)
		place(root, words[:len(words)-1], doc.Group, newCommand(v, members{}))
		completeFlags(root, words, v.Fields())
	}
	return root
}

// place puts cmd below the groups that its name begins with. A group that is a
// command itself (session) takes over what was below its stand-in.
func place(root *cobra.Command, groups []string, group string, cmd *cobra.Command) {
	parent := root
	for _, word := range groups {
		next := child(parent, word)
		if next == nil {
			next = &cobra.Command{
				Use: word, GroupID: group, Short: group, SilenceErrors: true, SilenceUsage: true,
				RunE: func(*cobra.Command, []string) error { return nil },
			}
			parent.AddCommand(next)
		}
		parent, group = next, ""
	}
	if before := child(parent, cmd.Name()); before != nil {
		below := slices.Clone(before.Commands())
		before.RemoveCommand(below...)
		parent.RemoveCommand(before)
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

// completeArguments offers what an argument with choices takes.
func completeArguments(fields []wire.Field) cobra.CompletionFunc {
	args := arguments(fields)
	return func(_ *cobra.Command, given []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(given) >= len(args) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		if args[len(given)].File != "" {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return args[len(given)].Enum, cobra.ShellCompDirectiveNoFileComp
	}
}

func completeFlags(root *cobra.Command, words []string, fields []wire.Field) {
	cmd := root
	for _, word := range words {
		cmd = child(cmd, word)
	}
	for _, f := range fields {
		if f.Flag != "" && len(f.Enum) > 0 {
			// The flag was declared from the same field, and once.
			_ = cmd.RegisterFlagCompletionFunc(f.Flag, cobra.FixedCompletions(f.Enum, cobra.ShellCompDirectiveNoFileComp))
		}
	}
}
