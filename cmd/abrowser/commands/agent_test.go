package commands

import (
	"testing"

	"github.com/abrowser/abrowser/sockets/wire"
)

// An MCP client acts for the session itself only in its home session.
func TestAgentIn(t *testing.T) {
	secret := wire.NewAgent(7)
	for _, tt := range []struct {
		name, agent, home, in string
		wantAgent             string
		want                  wire.AgentKey
	}{
		{"at home", secret, "task", "task", "", "task"},
		{"elsewhere", secret, "task", "other", secret, wire.KeyOf(secret)},
		{"without a home", secret, "", "task", secret, wire.KeyOf(secret)},
		{"of the command line in its own", "", "", "task", "", "task"},
		{"of the command line in another's", "", "", "other", "task", "task"},
		{"a task in another's session", "parent", "", "child", "parent", "parent"},
	} {
		x := &run{Runner: Runner{home: tt.home}, session: "task", agent: tt.agent}
		if agent, actor := x.agentIn(tt.in), x.actorIn(tt.in); agent != tt.wantAgent || actor != tt.want {
			t.Errorf("%s: %q acts as %q, want %q as %q", tt.name, agent, actor, tt.wantAgent, tt.want)
		}
	}
}
