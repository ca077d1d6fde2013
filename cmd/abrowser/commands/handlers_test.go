package commands

import (
	"testing"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// The table contains exactly the handlers that the declarations of the verbs require.
func TestTableIsThatOfTheDeclarations(t *testing.T) {
	known := map[string]bool{}
	for _, v := range verbs.All() {
		spec := v.Describe()
		if spec.Hidden {
			continue
		}
		known[spec.Name] = true
		h := handlersOf(spec)
		local := spec.By == wire.ByCommand
		for _, f := range v.Fields() {
			if f.Local {
				local = true
				if c := newCall(v, map[string]any{f.Name: true}); !c.isLocal() {
					t.Errorf("%s --%s is sent to a server", spec.Name, f.Flag)
				}
			}
		}
		if (h.local != nil) != local {
			t.Errorf("%s has a local handler: %t, want %t", spec.Name, h.local != nil, local)
		}
		if idle := spec.NoStart && spec.By != wire.ByCommand; (h.idle != nil) != idle {
			t.Errorf("%s has an idle handler: %t, want %t", spec.Name, h.idle != nil, idle)
		}
		if h.silent != nil && (spec.By != wire.ByDaemon || !spec.NoStart) {
			t.Errorf("%s has a handler for a silent daemon", spec.Name)
		}
	}
	for _, h := range table() {
		if !known[h.verb] {
			t.Errorf("%s has handlers and is not a verb", h.verb)
		}
		delete(known, h.verb) // a second entry is an error, too
	}
}
