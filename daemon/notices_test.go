package daemon

import (
	"errors"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

func TestNotices(t *testing.T) {
	n := &Notices{}
	n.AddDialog(verbs.Dialog{Type: "prompt", Message: "Name?", Handled: "dismissed", Unhandled: true})
	for range maxUntold + 1 {
		n.Add(wire.Record{Kind: wire.KindPermission, Name: "camera", Handled: HandledDenied})
	}
	for range 2 {
		n.AddLoss(errors.New("disk full"))
	}
	n.AddGap()
	request := &wire.Call{}
	c := &Call{Session: &Session{Notices: n}, request: request}
	if dialogs := c.AddNotices(); len(dialogs) != 1 || len(request.Records()) != maxUntold {
		t.Errorf("AddNotices() = %+v with %d records", dialogs, len(request.Records()))
	}
	all := strings.Join(request.Warnings(), "\n")
	for _, want := range []string{"prompt dialog, dismissed", "abrowser policy dialog", "and 2 more", "lacks 2: disk full", "has a gap"} {
		if !strings.Contains(all, want) {
			t.Errorf("the warnings lack %q: %s", want, all)
		}
	}
	again := &Call{Session: c.Session, request: &wire.Call{}}
	if again.AddNotices(); len(again.request.Warnings()) != 0 {
		t.Errorf("the next reply has the notices again: %s", again.request.Warnings())
	}
}
