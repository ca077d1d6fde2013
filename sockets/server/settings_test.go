package server

import (
	"errors"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

func TestOtherSettingsAreRefused(t *testing.T) {
	running := wire.Settings{Profile: "work"}
	server := func(role string) *Server {
		return &Server{Hello: func() wire.Hello {
			return wire.Hello{Name: "a", Role: strings.TrimPrefix(role, "ending "), Ending: strings.HasPrefix(role, "ending "), Settings: running}
		}}
	}
	tests := []struct {
		name, role string
		asked      wire.Settings
		verb       wire.Spec
		refused    bool
	}{
		{"nothing asked", "daemon", wire.Settings{}, verbs.GetURL.Spec, false},
		{"the same", "daemon", wire.Settings{Profile: "work"}, verbs.GetURL.Spec, false},
		{"another", "daemon", wire.Settings{Profile: "home"}, verbs.GetURL.Spec, true},
		{"more", "daemon", wire.Settings{Profile: "work", Headed: true}, verbs.Open.Spec, true},
		{"to close it", "daemon", wire.Settings{Headed: true}, verbs.Close.Spec, false},
		{"a daemon that is ending", "ending daemon", wire.Settings{Profile: "home"}, verbs.GetURL.Spec, false},
		{"a broker", "broker", wire.Settings{Headed: true}, verbs.GetURL.Spec, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			no := server(tt.role).checkSettings(&wire.Call{Settings: tt.asked}, tt.verb)
			if (no != nil) != tt.refused {
				t.Fatalf("checkSettings = %v, want refused %v", no, tt.refused)
			}
			if no != nil && !errors.Is(no.err, wire.CodeSettingsDiffer) {
				t.Errorf("checkSettings = %v, want settings_differ", no.err)
			}
		})
	}
}
