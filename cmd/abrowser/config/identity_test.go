package config

import (
	"os"
	"testing"
)

func TestIdentify(t *testing.T) {
	for _, tt := range []struct {
		name    string
		flag    any // the value of --session, nil if it was not given
		env     map[string]string
		session string
		agent   string
		named   bool
		person  bool
	}{
		{name: "none", session: "default", person: true},
		{name: "ours", env: map[string]string{"ABROWSER_SESSION": "a"}, session: "a", named: true},
		{name: "theirs", env: map[string]string{"AGENT_BROWSER_SESSION": "a"}, session: "a", named: true},
		{name: "both alike", env: map[string]string{"ABROWSER_SESSION": "a", "AGENT_BROWSER_SESSION": "a"}, session: "a", named: true},
		{name: "a flag", flag: "c", session: "c", named: true, person: true},
		{name: "a flag over both", flag: "c", env: map[string]string{"ABROWSER_SESSION": "a", "AGENT_BROWSER_SESSION": "b"}, session: "c", agent: "a", named: true},
		{name: "a flag over an empty variable", flag: "c", env: map[string]string{"ABROWSER_SESSION": ""}, session: "c", named: true},
		{name: "a flag that names the task's own", flag: "a", env: map[string]string{"AGENT_BROWSER_SESSION": "a"}, session: "a", named: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			flags := map[string]any{"ownerPid": os.Getpid()}
			if tt.flag != nil {
				flags["session"] = tt.flag
			}
			h := newHome(t, tt.env, "", "")
			c, err := Resolve(flags, h.lookup, h.dir)
			if err != nil {
				t.Fatal(err)
			}
			id, err := c.Identify()
			if err != nil || id.Session != tt.session || id.Agent != tt.agent || id.Named != tt.named || id.Person != tt.person || id.Owner == "" {
				t.Errorf("Identify() = %+v, %v, want %+v", id, err, tt)
			}
		})
	}
}

func TestSessionWarn(t *testing.T) {
	for text, want := range map[string]int{"": defaultSessionWarn, "0": 0, "7": 7} {
		h := newHome(t, map[string]string{"AGENT_BROWSER_SESSION_WARN": text}, "", "")
		c, err := Resolve(nil, h.lookup, h.dir)
		if err != nil {
			t.Fatal(err)
		}
		if id, err := c.Identify(); err != nil || id.SessionWarn != want {
			t.Errorf("%q: %d, %v, want %d", text, id.SessionWarn, err, want)
		}
	}
}
