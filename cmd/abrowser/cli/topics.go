package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/abrowser/abrowser/cmd/abrowser/config"
	"github.com/abrowser/abrowser/sockets/wire"
)

const summary = "abrowser drives a browser for many tasks at once, each on a page of its own."

const usage = "usage: abrowser [--session NAME] COMMAND [ARGUMENTS] [flags]"

// Topics of the help that are not groups of commands.
const (
	topicAll   = "all"
	topicFlags = "flags"
	topicOther = "other"
)

// firstCommands returns the commands that are enough to begin with, each with a short description.
func firstCommands() [][2]string {
	return [][2]string{
		{"--session task_1 open https://example.com", "go to a URL, on the task's own page"},
		{"snapshot -i", "what is on the page, with refs to act on"},
		{"click e2", "an element: a ref, a selector, text=Send"},
		{"fill '#name' Ada", "replace the value of a field"},
		{"press Enter", "a key, or several: Control+a"},
		{"find label Name fill Ada", "find an element as a person does"},
		{"get text h1", "also get value, attr, url, title, html ..."},
		{"wait --text Welcome", "or for an element, a URL, a script ..."},
		{"screenshot page.png", "an image of the page or an element"},
		{"eval document.title", "run JavaScript in the page"},
		{"tab list", "also tab new, tab t2, tab close"},
		{"close", "the tab stays, for review or a follow-up"},
	}
}

// screen returns help that fits on one screen: the first commands and the groups of all commands.
func screen(all []wire.AnyVerb) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s\n\nThe first commands:\n", summary, usage)
	for _, c := range firstCommands() {
		column := 30
		if len(c[0]) >= column-2 { // the one line that shows how to name a session
			column = len(c[0]) + 4
		}
		b.WriteString(row("  "+c[0], c[1], column))
	}
	const label = "Groups: "
	b.WriteString("\n" + label + wrap(strings.Join(topics(all), ", "), width-len(label), strings.Repeat(" ", len(label))) + "\n")
	b.WriteString(`
"abrowser help GROUP" lists a group, "abrowser help COMMAND" explains a command,
"abrowser help flags" lists the settings and exit statuses.`)
	return b.String()
}

// topics returns the words after "abrowser help" that stand for a group of commands.
func topics(all []wire.AnyVerb) []string {
	var words []string
	for _, group := range groups(all) {
		words = append(words, topicOf(group))
	}
	return append(words, topicOther)
}

// topicOf returns the word by which the help names a group: the first word of its heading.
func topicOf(group string) string {
	word, _, _ := strings.Cut(strings.ToLower(group), " ")
	return strings.TrimSuffix(word, ",")
}

// topicHelp returns the help on a topic. The result ok is false if there is no such topic.
func topicHelp(topic string, all []wire.AnyVerb) (text string, ok bool) {
	switch topic {
	case topicAll:
		return fullHelp(all), true
	case topicFlags:
		return strings.TrimPrefix(flagsHelp(), "\n"), true
	case topicOther:
		return strings.TrimSuffix(otherRows(), "\n"), true
	}
	for _, group := range groups(all) {
		if topicOf(group) == topic {
			return strings.TrimSuffix(groupRows(group, all), "\n") + "\n\n\"abrowser help COMMAND\" explains a command.", true
		}
	}
	return "", false
}

// fullHelp returns a line for each command, and the flags that all of them take.
func fullHelp(all []wire.AnyVerb) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s\n\n", summary, usage)
	for _, group := range groups(all) {
		b.WriteString(groupRows(group, all) + "\n")
	}
	b.WriteString(otherRows())
	b.WriteString(flagsHelp())
	return b.String()
}

// groupRows returns the heading of a group and a line for each of its commands.
func groupRows(group string, all []wire.AnyVerb) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:\n", group)
	for _, v := range shown(all, group) {
		b.WriteString(row("  "+v.Describe().Name, shortWithAliases(v.Describe()), 18))
	}
	return b.String()
}

// otherRows describes the commands that are not verbs.
func otherRows() string {
	return "Other:\n" +
		row("  help", "Print what a command takes, or the commands of a group; help all prints everything", 18) +
		row("  version", "Print the version", 18) +
		row("  completion", "Print the completion script for bash, zsh or fish", 18)
}

// flagsHelp describes the flags that all commands take, and the exit statuses.
func flagsHelp() string {
	return "\nFlags of all commands, before or after them:\n" + flagRows(config.Fields()) + `
A token that is not a flag of the command is text if the last argument is text;
after -- everything is text. The variables in brackets have ABROWSER_ or
AGENT_BROWSER_ before them. Settings and output can stand in
~/.config/abrowser/config.json, too; output and timeout also in ./abrowser.json.

exit status: 0 done, 1 failed, 2 usage, 3 no browser, 4 timed out, 5 ownership,
6 page closed, 130 interrupted`
}

// groups returns the headings of the verbs that are not hidden, in the order of the verbs.
func groups(all []wire.AnyVerb) []string {
	var names []string
	for _, v := range all {
		if doc := v.Describe(); !doc.Hidden && !slices.Contains(names, doc.Group) {
			names = append(names, doc.Group)
		}
	}
	return names
}

func shown(all []wire.AnyVerb, group string) []wire.AnyVerb {
	return slices.DeleteFunc(slices.Clone(all), func(v wire.AnyVerb) bool {
		return v.Describe().Hidden || v.Describe().Group != group
	})
}
