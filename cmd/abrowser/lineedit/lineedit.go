// Package lineedit reads lines that a person types in a terminal, with editing keys, a history and
// completion.
//
// The history lasts as long as the process and is not written to a file, because a line may contain
// a password. The package does not depend on the commands: its caller passes a function that
// completes words. Package roles uses it, for abrowser repl. The invariant: the terminal is
// restored before ReadLine returns, so that Ctrl-C interrupts a command that runs.
package lineedit

import (
	"errors"
	"io"
	"strings"

	"github.com/ergochat/readline"

	"github.com/abrowser/abrowser/sockets/wire"
)

// Lines are the lines that a person types.
type Lines struct{ terminal *readline.Instance }

// New returns the lines typed in the terminal of this process. The function complete gets the words
// before the cursor. The last of these may be incomplete or empty, and complete returns candidates
// for it.
func New(prompt string, in io.Reader, out io.Writer, complete func(words []string) []string) (*Lines, error) {
	terminal, err := readline.NewFromConfig(&readline.Config{
		Prompt: prompt, Stdin: in, Stdout: out, AutoComplete: completer(complete), InterruptPrompt: "^C", EOFPrompt: "\n",
	})
	if err != nil {
		return nil, err
	}
	return &Lines{terminal}, nil
}

// ReadLine returns the next line. It returns io.EOF after Ctrl-D, and [wire.CodeInterrupted] after
// Ctrl-C, which discards the line.
func (l *Lines) ReadLine() (string, error) {
	line, err := l.terminal.ReadLine()
	if errors.Is(err, readline.ErrInterrupt) {
		return "", wire.Errorf(wire.CodeInterrupted, "interrupted")
	}
	return line, err
}

// Close restores the terminal.
func (l *Lines) Close() error { return l.terminal.Close() }

// completer is a function that completes words, as [readline.AutoCompleter] requires it.
type completer func(words []string) []string

// Do returns the endings of the word at the cursor, and how many characters the word has.
func (c completer) Do(line []rune, at int) (endings [][]rune, typed int) {
	before := string(line[:at])
	words := strings.Fields(before)
	if before == "" || strings.HasSuffix(before, " ") {
		words = append(words, "")
	}
	word := words[len(words)-1]
	for _, candidate := range c(words) {
		if ending, ok := strings.CutPrefix(candidate, word); ok {
			endings = append(endings, []rune(ending+" "))
		}
	}
	return endings, len([]rune(word))
}
