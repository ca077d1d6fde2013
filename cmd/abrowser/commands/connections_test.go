package commands

import (
	"context"
	"testing"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Commands that share connections leave one connection to each server open, until they are closed
// with Connections.Close.
func TestConnectionsStayOpen(t *testing.T) {
	r, s := newRunner(t, wire.Bind(verbs.GetTitle, func(context.Context, *wire.Call, verbs.TabIn) (verbs.GetTitleOut, error) {
		return verbs.GetTitleOut{Title: "Welcome"}, nil
	}))
	var kept Connections
	r.Use(&kept)
	for range 3 {
		if _, err := r.Do(t.Context(), Command{Verb: verbs.GetTitle}); err != nil {
			t.Fatal(err)
		}
	}
	place, err := s.root.Session("task")
	if err != nil {
		t.Fatal(err)
	}
	if c := kept.kept[place.Socket]; c == nil || !c.IsConnected() {
		t.Errorf("no connection to %s is open after three commands: %v", place.Socket, c)
	}
	kept.Close()
	if len(kept.kept) > 0 {
		t.Errorf("after Close there are %d clients", len(kept.kept))
	}
}
