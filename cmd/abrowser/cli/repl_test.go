package cli

import (
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

func TestREPL(t *testing.T) {
	b := newBench(t)
	b.serve("default",
		answers(verbs.GetTitle, verbs.GetTitleOut{Title: "Welcome"}),
		fails(verbs.Click, wire.Errorf(wire.CodeNotFound, "element not found: #a b")))
	b.serve("other", answers(verbs.GetTitle, verbs.GetTitleOut{Title: "Other"}))
	title := `{"success":true,"data":{"title":"Welcome"},"error":null,"sessionId":"default","sessionType":"browser"}` + "\n"
	tests := []struct {
		name, args, stdin, out, err string
		status                      int
	}{
		{"no line", "repl", "", "", "", 0},
		{"lines", "repl", "get title\n# a comment\n\nabrowser get title", "Welcome\nWelcome\n", "", 0},
		{"another session", "repl", "--session other get title\nget title\n", "Other\nWelcome\n", "", 0},
		{"flags of repl", "--json repl", "get title\nget title\r\n", title + title, "", 0},
		{"an error does not end it", "repl", "[\"click\",\"#a b\"]\nget title\n", "Welcome\n", "abrowser: error: element not found: #a b\n", 1},
		{"an error as one line", "--json repl", "click '#a b'\n", `{"success":false,"data":null,"error":"element not found: #a b","code":"not_found","sessionId":"default","sessionType":"browser"}` + "\n", "", 1},
		{"unknown command", "repl", "dance\nget title\n", "Welcome\n", "abrowser: error: unknown command dance\nabrowser: hint: abrowser help\n", 1},
		{"open quote", "repl", "click 'a\nget title\n", "Welcome\n", "abrowser: error: the quote ' is not closed\n", 1},
		{"bad array", "repl", "[1]\n", "", "abrowser: error: the line is not a JSON array of words: ", 1},
		{"not UTF-8", "repl", "click \xff\nget title\n", "Welcome\n", "abrowser: error: the line is not UTF-8\n", 1},
		{"too long", "repl", "click " + strings.Repeat("x", wire.MaxRequest) + "\nget title\n", "Welcome\n", "abrowser: error: the line is longer than 8388608 bytes\n", 1},
		{"input belongs to repl", "repl", "batch\nget title\n", "Welcome\n", "abrowser: error: batch needs commands, as arguments or on standard input\n", 1},
		{"repl in repl", "repl", "repl\nget title\n", "Welcome\n", "abrowser: error: repl cannot be a line of repl\n", 1},
		{"an argument", "repl x", "", "", "abrowser: error: repl takes no argument", 2},
	}
	for _, tt := range tests {
		b.stdin = tt.stdin
		out, err, status := b.run(words(t, tt.args)...)
		if out != tt.out || !strings.HasPrefix(err, tt.err) || tt.err == "" && err != "" || status != tt.status {
			t.Errorf("%s: %q, %q, %d, want %q, %q, %d", tt.name, out, err, status, tt.out, tt.err, tt.status)
		}
	}
}
