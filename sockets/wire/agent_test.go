package wire

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestAgentKey(t *testing.T) {
	id := NewAgent(4711)
	if AgentPID(id) != 4711 || len(id) != len("agent_")+32+len("_4711") {
		t.Errorf("NewAgent(4711) = %q", id)
	}
	if id == NewAgent(4711) {
		t.Error("NewAgent() returns the same id twice")
	}
	key := KeyOf(id)
	if shown := fmt.Sprint(key); shown != id[:12]+"..." {
		t.Errorf("the key is shown as %q", shown)
	}
	if kept, _ := json.Marshal(key); strings.Contains(string(kept), id[12:38]) {
		t.Errorf("the key of %s contains the id: %s", id, kept)
	}
	if KeyOf(id) != key || KeyOf(NewAgent(4711)) == key {
		t.Error("keys do not distinguish agents")
	}
	for _, name := range []string{"default", "agent_x_1", "agent_" + strings.Repeat("A", 32) + "_1", id + "x"} {
		if AgentPID(name) != 0 || KeyOf(name).IsSecret() || KeyOf(name).String() != name {
			t.Errorf("%q counts as a secret id", name)
		}
	}
}

func TestActor(t *testing.T) {
	id := NewAgent(1)
	if got := (&Call{Session: "s", Agent: id}).Actor(); got != KeyOf(id) {
		t.Errorf("Actor() of an agent = %s", got)
	}
	if got := (&Call{Session: id}).Actor(); got.IsSecret() || got != AgentKey(id) {
		t.Errorf("Actor() of a session with the name of an agent = %s", got)
	}
}

func TestAgentMayControl(t *testing.T) {
	secret, other := KeyOf(NewAgent(1)), KeyOf(NewAgent(2))
	for _, tt := range []struct {
		agent   AgentKey
		session string
		owner   AgentKey
		want    bool
	}{
		{"a", "a", "a", true},
		{"a", "b", "a", true},  // an agent in a session that it created
		{"b", "b", "a", true},  // the agent with the session's name
		{"a", "b", "b", false}, // an agent in the session of another agent
		{secret, "b", secret, true},
		{other, "b", secret, false},
		{"b", "b", secret, false}, // the session belongs to an agent with a secret id
		{secret, "b", "b", false},
	} {
		if got := tt.agent.MayControl(tt.session, tt.owner); got != tt.want {
			t.Errorf("%s.MayControl(%s, %s) = %v, want %v", tt.agent, tt.session, tt.owner, got, tt.want)
		}
	}
}
