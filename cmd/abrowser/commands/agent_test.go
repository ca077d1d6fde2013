package cli

import (
	"testing"

	"github.com/abrowser/abrowser/sockets/wire"
)

// An agent with a secret is the task alone in the session that it is at home in.
func TestAgentAtHome(t *testing.T) {
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
		a := &app{session: "task", agent: tt.agent, home: tt.home}
		if agent, actor := a.agentIn(tt.in), a.actorIn(tt.in); agent != tt.wantAgent || actor != tt.want {
			t.Errorf("%s: %q acts as %q, want %q as %q", tt.name, agent, actor, tt.wantAgent, tt.want)
		}
	}
}
