package mcp_test

import (
	"context"
	"testing"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Hints name tools and their arguments in place of commands and flags.
func TestHintsNameTools(t *testing.T) {
	r := serve(t)
	hint := ""
	r.serve = func(_ context.Context, q asked) (any, error) {
		if q.verb != verbs.Click.Name {
			return nil, nil
		}
		return nil, wire.Errorf(wire.CodeNotFound, "no such element").WithHint("%s", hint)
	}
	for command, want := range map[string]string{
		"abrowser snapshot":                                                            "snapshot",
		"abrowser snapshot shows the state of the page":                                "snapshot shows the state of the page",
		"abrowser screenshot --screenshot-quality 80":                                  "screenshot with quality 80",
		"abrowser reload":                                                              "enable_tools interaction, then reload",
		"abrowser tab list":                                                            "tab_list",
		"abrowser open https://example.com":                                            "open https://example.com",
		"abrowser close --page gives the session a fresh page":                         "close with page gives the session a fresh page",
		"abrowser --session s close --page":                                            "close with session s and page",
		"abrowser find role button --name Send":                                        "enable_tools interaction, then find role button with name Send",
		"abrowser session close --prefix task_ --idle-ms 600000; --all is all of them": "enable_tools sessions, then session_close with prefix task_ and idleMs 600000; all is all of them",
		"abrowser batch \"open URL\"":                                                  "execute_sequence \"open URL\"",
		"abrowser pool requests":                                                       "enable_tools tabs, then get_slot_requests",
		"abrowser goto https://example.com":                                            "open https://example.com",
		"abrowser help upload":                                                         "tools/list shows what each tool takes: upload",
		"abrowser install":                                                             "abrowser install",
		"abrowser cdp -- PROGRAM [ARGUMENTS...]":                                       "abrowser cdp -- PROGRAM [ARGUMENTS...]",
		"--timeout takes more milliseconds":                                            "timeout takes more milliseconds",
		"leave one of the two out":                                                     "leave one of the two out",
		"":                                                                             "",
	} {
		hint = command
		members, text, _ := r.call("click", map[string]any{"selector": "e1"})
		got, _ := members["hint"].(string)
		if wantText := "no such element\nhint: " + want; got != want || want != "" && text[:min(len(text), len(wantText))] != wantText {
			t.Errorf("the hint %q becomes %q in %q, want %q", command, got, text, want)
		}
	}
}
