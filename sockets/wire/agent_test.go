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
		t.Error("two agents have one id")
	}
	key := KeyOf(id)
	if shown := fmt.Sprint(key); shown != id[:12]+"..." {
		t.Errorf("shown as %q", shown)
	}
	if kept, _ := json.Marshal(key); strings.Contains(string(kept), id[12:38]) {
		t.Errorf("what is kept of %s gives it away: %s", id, kept)
	}
	if KeyOf(id) != key || KeyOf(NewAgent(4711)) == key {
		t.Error("a key is not the agent's own")
	}
	for _, name := range []string{"default", "agent_x_1", "agent_" + strings.Repeat("A", 32) + "_1", id + "x"} {
		if AgentPID(name) != 0 || KeyOf(name).IsSecret() || KeyOf(name).String() != name {
			t.Errorf("%q is taken for a secret id", name)
		}
	}
}

func TestActor(t *testing.T) {
	id := NewAgent(1)
	if got := (&Call{Session: "s", Agent: id}).Actor(); got != KeyOf(id) {
		t.Errorf("an agent is %s", got)
	}
	if got := (&Call{Session: id}).Actor(); got.IsSecret() || got != AgentKey(id) {
		t.Errorf("a session that is called like an agent is %s", got)
	}
}

func TestAgentDrives(t *testing.T) {
	secret, other := KeyOf(NewAgent(1)), KeyOf(NewAgent(2))
	for _, tt := range []struct {
		who     AgentKey
		session string
		holder  AgentKey
		want    bool
	}{
		{"a", "a", "a", true},
		{"a", "b", "a", true},  // a parent in the session that it made
		{"b", "b", "a", true},  // and the task whose session it is
		{"a", "b", "b", false}, // a task in another one's
		{secret, "b", secret, true},
		{other, "b", secret, false},
		{"b", "b", secret, false}, // a public name is not enough
		{secret, "b", "b", false},
	} {
		if got := tt.who.MayControl(tt.session, tt.holder); got != tt.want {
			t.Errorf("%s in %s of %s: %v, want %v", tt.who, tt.session, tt.holder, got, tt.want)
		}
	}
}
