package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/abrowser/abrowser/cmd/abrowser/args"
	"github.com/abrowser/abrowser/cmd/abrowser/commands"
	"github.com/abrowser/abrowser/cmd/abrowser/config"
	"github.com/abrowser/abrowser/sockets/wire"
)

// repl is the state that the lines of one command `repl` share.
type repl struct {
	global      map[string]any // the global flags of the command repl
	connections commands.Connections
}

// runREPL runs the commands that it reads from standard input, until the input ends, and returns
// the exit status.
func (c *command) runREPL() int {
	if c.repl != nil {
		return c.printer.fail(wire.Errorf(wire.CodeBadInput, "repl cannot be a line of repl"))
	}
	if err := c.runner.LoadFull(context.Background()); err != nil {
		return c.printer.fail(err)
	}
	lines, err := c.lines()
	if err != nil {
		return c.printer.fail(err)
	}
	shared := &repl{global: c.line.Global}
	defer shared.connections.Close()
	status := c.runLines(shared, lines)
	if err := lines.Close(); err != nil && status == wire.ExitDone {
		return c.printer.fail(err)
	}
	return status
}

func (c *command) runLines(shared *repl, lines commands.LineReader) int {
	status := wire.ExitDone
	for {
		text, err := lines.ReadLine()
		switch {
		case errors.Is(err, io.EOF):
			return status
		case errors.Is(err, wire.CodeInterrupted):
			continue
		}
		one := &command{sys: c.sys, program: c.program, printer: c.printer, repl: shared}
		one.printer.warnings = nil
		one.sys.Stdin, one.sys.Input = strings.NewReader(""), true // only repl itself reads the input
		var words []string
		if err == nil {
			words, err = lineWords(text)
		}
		switch {
		case err != nil && !errors.Is(err, wire.CodeBadInput): // the input cannot be read
			return one.printer.fail(err)
		case err != nil:
			one.printer.fail(err)
			status = wire.ExitFailed
		case len(words) == 0:
		case c.sys.Input && len(words) == 1 && slices.Contains([]string{"exit", "quit"}, words[0]):
			return wire.ExitDone
		default:
			ended := one.execute(words)
			if ended == wire.ExitInterrupted && !c.sys.Input {
				return ended
			}
			if ended != wire.ExitDone && !c.sys.Input {
				status = wire.ExitFailed
			}
		}
	}
}

// inherit adds the global flags of the command repl to those of a line. The line's own flags win.
func (c *command) inherit() {
	if c.repl == nil {
		return
	}
	global := maps.Clone(c.repl.global)
	maps.Copy(global, c.line.Global)
	c.line.Global = global
}

// lineWords returns the words of a line. A line is empty, a comment, a JSON array of words, or
// words that are quoted as in a shell. The word abrowser at the beginning of a line is ignored.
func lineWords(line string) ([]string, error) {
	line = strings.TrimSpace(line)
	var words []string
	var err error
	switch {
	case !utf8.ValidString(line):
		return nil, wire.Errorf(wire.CodeBadInput, "the line is not UTF-8")
	case strings.HasPrefix(line, "#"):
		return nil, nil
	case strings.HasPrefix(line, "["):
		if err := json.Unmarshal([]byte(line), &words); err != nil {
			return nil, wire.Errorf(wire.CodeBadInput, "the line is not a JSON array of words: %s", config.JSONError([]byte(line), err)).
				WithHint(`["fill","#name","Ada Lovelace"]`)
		}
	default:
		if words, err = args.Split(line); err != nil {
			return nil, err
		}
	}
	if len(words) > 0 && words[0] == "abrowser" {
		words = words[1:]
	}
	return words, nil
}

// lines returns the lines that a person types or that another program writes.
func (c *command) lines() (commands.LineReader, error) {
	if !c.sys.Input {
		return &pipedLines{bufio.NewReaderSize(c.sys.Stdin, 64<<10)}, nil
	}
	full, err := c.program.Full(context.Background(), c.runner.Root())
	if err != nil {
		return nil, err
	}
	_, _ = fmt.Fprintf(c.sys.Stderr, "Session %s. Type a command, such as open https://example.com or help; Ctrl-D leaves.\n", c.printer.session)
	return full.EditLines("abrowser> ")
}

// pipedLines reads lines of at most [wire.MaxRequest] bytes.
type pipedLines struct{ in *bufio.Reader }

// ReadLine returns the next line. It returns [wire.CodeBadInput] for a line that is too long, and
// skips this line.
func (p *pipedLines) ReadLine() (string, error) {
	var line []byte
	tooLong := false
	for {
		part, err := p.in.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > wire.MaxRequest; !tooLong {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(line) == 0 && !tooLong:
			return "", io.EOF
		case err != nil && !errors.Is(err, io.EOF):
			return "", fmt.Errorf("reading the commands: %w", err)
		case tooLong:
			return "", wire.Errorf(wire.CodeBadInput, "the line is longer than %d bytes", wire.MaxRequest)
		}
		return string(line), nil
	}
}

// Close does nothing, since the input belongs to the process.
func (*pipedLines) Close() error { return nil }
