package verbs

import (
	"fmt"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

const groupDiagnosis = "Console and network"

// ConsoleIn is the input of [Console] and [Errors].
type ConsoleIn struct {
	Clear bool `json:"clear,omitzero" help:"remove the records instead of listing them"`
	AsideIn
}

// AsideIn is the part of an input that says whether a person reads, beside the session's task.
type AsideIn struct {
	Aside bool `json:"aside,omitzero" flag:"-" help:"leave notices for the next command of the task"`
}

// IsAside returns Aside.
func (in AsideIn) IsAside() bool { return in.Aside }

// Asider is an input that can come from a person beside the session's task. The reply then has no
// notices, which are for the task.
type Asider interface{ IsAside() bool }

// ScriptPlace is a position in a script. Line and Column count from 0.
type ScriptPlace struct {
	URL    string `json:"url"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// String returns the position as URL:line:column, or "" if it is unknown. In the string, line and
// column count from 1.
func (p ScriptPlace) String() string {
	if p.URL == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d:%d", p.URL, p.Line+1, p.Column+1)
}

// ConsoleMessage is a message that a page has logged.
type ConsoleMessage struct {
	Type string `json:"type"` // log, info, warning, error, debug and the other types of CDP
	Text string `json:"text"`
	Args []any  `json:"args"` // as CDP describes them: type, subtype, value, description
	ScriptPlace
	Timestamp float64 `json:"timestamp"` // milliseconds since 1970
}

// ConsoleOut is the output of [Console].
type ConsoleOut struct {
	Messages []ConsoleMessage `json:"messages"`
	Dropped  int              `json:"dropped,omitzero"` // the number of older messages that were not kept
	Cleared  *int             `json:"cleared,omitzero"` // the number of messages that were removed
}

// Text returns a line for each message, or the number of messages that were removed.
func (o ConsoleOut) Text() string {
	var all []string
	for _, m := range o.Messages {
		all = append(all, "["+m.Type+"] "+m.Text)
	}
	return recordsText(all, "messages", o.Dropped, o.Cleared)
}

// recordsText returns the text of a list of records. If cleared is not nil, the text is the number
// of removed records. The parameter plural is what the text calls the records, such as "messages".
func recordsText(all []string, plural string, dropped int, cleared *int) string {
	switch {
	case cleared != nil:
		return "removed " + counted(*cleared, strings.TrimSuffix(plural, "s"), plural)
	case len(all) == 0:
		return "no " + plural
	case dropped > 0:
		all = append([]string{fmt.Sprintf("(%d older %s were not kept)", dropped, plural)}, all...)
	}
	return strings.Join(all, "\n")
}

const longRecords = "The records are those of all pages of the session since it was opened, also of popups, frames, workers and closed pages, " +
	"and include what happened while no command ran. The newest 1000 are kept, or fewer if they are longer than 1 MB. They end with the session; " +
	"if its daemon or the driver is restarted, only those of the present documents are left."

// Console lists what the session's pages have logged.
var Console = wire.Verb[ConsoleIn, ConsoleOut]{Spec: wire.Spec{
	Name: "console", PageText: true, Group: groupDiagnosis, Short: "List what the session's pages have logged", Long: longRecords,
	Example: "abrowser console", ReadOnly: true,
}}

// PageError is an error that a page did not catch.
type PageError struct {
	Text string `json:"text"` // the error and its stack
	ScriptPlace
	Timestamp float64 `json:"timestamp"` // milliseconds since 1970
}

// ErrorsOut is the output of [Errors].
type ErrorsOut struct {
	Errors  []PageError `json:"errors"`
	Dropped int         `json:"dropped,omitzero"` // the number of older errors that were not kept
	Cleared *int        `json:"cleared,omitzero"` // the number of errors that were removed
}

// Text returns each error with its stack, or the number of errors that were removed.
func (o ErrorsOut) Text() string {
	var all []string
	for _, e := range o.Errors {
		text := e.Text
		if !strings.Contains(text, "\n") {
			text = lines(text, labelled("    at ", e.String()))
		}
		all = append(all, text)
	}
	return recordsText(all, "errors", o.Dropped, o.Cleared)
}

// Errors lists the errors that the session's pages did not catch.
var Errors = wire.Verb[ConsoleIn, ErrorsOut]{Spec: wire.Spec{
	Name: "errors", PageText: true, Group: groupDiagnosis, Short: "List the errors that the session's pages did not catch", Long: longRecords,
	Example: "abrowser errors", ReadOnly: true,
}}
