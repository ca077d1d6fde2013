//go:build linux

package main_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// toolsOf maps a verb's name to the name of its MCP tool, for verbs whose tool has a different
// name. A value that contains a space is not a name: it says why the verb has no tool.
func toolsOf() map[string]string {
	return map[string]string{
		verbs.Batch.Name:         "execute_sequence",
		verbs.PoolRequest.Name:   "request_tab_space",
		verbs.PoolGrant.Name:     "grant_tab_space",
		verbs.PoolRequests.Name:  "get_slot_requests",
		verbs.Session.Name:       "every result names the session",
		verbs.REPL.Name:          "the client sends one call after the other anyway",
		verbs.Man.Name:           "it is for people",
		verbs.Upgrade.Name:       "it is for people",
		verbs.SkillsInstall.Name: "it is for people who set up an agent",
		verbs.MCP.Name:           "it is the server of the tools",
		verbs.MCPInstall.Name:    "it is for people who set up a client",
		verbs.Install.Name:       "it is for people: doctor says what is missing",
		verbs.CDP.Name:           "its port is for programs that speak CDP",
		verbs.Inspect.Name:       "it is for people",
		verbs.Questions.Name:     "it is for people",
		verbs.Login.Name:         "it is for people",
		verbs.SessionExport.Name: "it is for people",
	}
}

// Every verb that is not hidden is complete: it has a help text, an MCP tool and a row in
// COMMANDS.md. TestAnswersOfEveryVerb runs its example.
func TestEveryVerbIsComplete(t *testing.T) {
	t.Parallel()
	h := e2e.NewHome(t)
	tools := dialMCP(t, h, "--tools", "all").tools()
	table, err := os.ReadFile("COMMANDS.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range verbs.All() {
		doc := v.Describe()
		if doc.Hidden {
			continue
		}
		if help := h.Text(t, "", append([]string{"--help"}, strings.Fields(doc.Name)...)...); !strings.Contains(help, doc.Short) || !strings.Contains(help, doc.Example) {
			t.Errorf("the help on %s lacks its description or example:\n%s", doc.Name, help)
		}
		tool := toolsOf()[doc.Name]
		if tool == "" {
			tool = strings.ReplaceAll(doc.Name, " ", "_")
		}
		if !doc.Person && !strings.Contains(tool, " ") && !slices.Contains(tools, tool) {
			t.Errorf("%s has no MCP tool %s", doc.Name, tool)
		}
		if !strings.Contains(string(table), "\n| `"+doc.Name) {
			t.Errorf("COMMANDS.md has no row for %s: run just docs", doc.Name)
		}
	}
}
