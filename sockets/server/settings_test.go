package server

import (
	"errors"
	"strings"
	"testing"

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
		verb       wire.Doc
		refused    bool
	}{
		{"nothing asked", "daemon", wire.Settings{}, wire.GetURL.Doc, false},
		{"the same", "daemon", wire.Settings{Profile: "work"}, wire.GetURL.Doc, false},
		{"another", "daemon", wire.Settings{Profile: "home"}, wire.GetURL.Doc, true},
		{"more", "daemon", wire.Settings{Profile: "work", Headed: true}, wire.Open.Doc, true},
		{"to close it", "daemon", wire.Settings{Headed: true}, wire.Close.Doc, false},
		{"one that is ending", "ending daemon", wire.Settings{Profile: "home"}, wire.GetURL.Doc, false},
		{"a broker", "broker", wire.Settings{Headed: true}, wire.GetURL.Doc, false},
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
