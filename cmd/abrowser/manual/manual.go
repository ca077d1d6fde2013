// Package manual makes abrowser's manual page from the declarations of the verbs.
//
// The page is in the format of man(7). The package prints nothing. Package commands uses it.
package manual

import (
	"fmt"
	"slices"
	"strings"

	"github.com/abrowser/abrowser/cmd/abrowser/args"
	"github.com/abrowser/abrowser/cmd/abrowser/config"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Page returns the manual page for the verbs that are not hidden.
func Page(version string, all []wire.AnyVerb) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH ABROWSER 1 \"\" \"abrowser %s\"\n", text(version))
	b.WriteString(".SH NAME\nabrowser \\- drive a browser for many tasks at once\n")
	b.WriteString(".SH SYNOPSIS\n.B abrowser\n[\\fB\\-\\-session\\fR NAME] COMMAND [ARGUMENTS] [flags]\n")
	b.WriteString(".SH DESCRIPTION\nEach session has its own page in one shared browser. Selectors are refs of the last snapshot, CSS, XPath or text.\n")
	var groups []string
	for _, v := range all {
		spec := v.Describe()
		if spec.Hidden {
			continue
		}
		if !slices.Contains(groups, spec.Group) {
			groups = append(groups, spec.Group)
			fmt.Fprintf(&b, ".SH %s\n", text(strings.ToUpper(spec.Group)))
		}
		b.WriteString(command(v))
	}
	b.WriteString(".SH FLAGS OF ALL COMMANDS\n" + flags(config.Fields()))
	b.WriteString(".SH EXIT STATUS\n0 done, 1 failed, 2 usage, 3 no browser, 4 timed out, 5 ownership, 6 page closed, 130 interrupted\n")
	return strings.TrimSuffix(b.String(), "\n")
}

// command returns the entry of one command.
func command(v wire.AnyVerb) string {
	spec := v.Describe()
	var b strings.Builder
	fmt.Fprintf(&b, ".TP\n\\fB%s\\fR\n%s.\n", text(strings.TrimPrefix(args.Usage(spec, v.Fields()), "abrowser ")), text(spec.Short))
	if spec.Long != "" {
		fmt.Fprintf(&b, "%s\n", text(spec.Long))
	}
	if own := flags(v.Fields()); own != "" {
		b.WriteString(".RS\n" + own + ".RE\n")
	}
	fmt.Fprintf(&b, ".IP\nExample: %s\n", text(spec.Example))
	return b.String()
}

func flags(fields []wire.Field) string {
	var b strings.Builder
	for _, f := range fields {
		if f.Flag == "" {
			continue
		}
		name := "--" + f.Flag
		if f.Short != "" {
			name = "-" + f.Short + ", " + name
		}
		help := f.Help
		if len(f.Enum) > 0 && !strings.Contains(help, f.Enum[0]) {
			help += ": " + strings.Join(f.Enum, ", ")
		}
		if f.Env != "" {
			help += " (ABROWSER_" + f.Env + ")"
		}
		fmt.Fprintf(&b, ".TP\n\\fB%s\\fR\n%s\n", text(name), text(help))
	}
	return b.String()
}

// text escapes a text for man(7). It escapes backslashes and dashes, and a dot or quote at the
// beginning, which would make the line a request.
func text(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ").Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}
