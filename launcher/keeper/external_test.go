package keeper

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/abrowser/abrowser/launcher/handover"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// When the keeper stops serving an external browser, it sends the broker only the message that
// the browser is gone. It does not send the request to close the browser as well, since the broker
// might act on that request first.
func TestExternalBrowserIsNotClosed(t *testing.T) {
	settings := wire.Settings{Mode: wire.ModeAttached, CDP: "1"}
	dir, err := os.MkdirTemp("/tmp", "abk") // short, since the length of a socket's path is limited
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	k := newKeeper(Options{Root: home.Root{Dir: filepath.Join(dir, "r")}, Settings: settings})
	if err := k.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer k.closeFiles()
	ours, file, err := handover.Pair()
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	theirs, err := handover.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	if k.browser, err = external(); err != nil {
		t.Fatal(err)
	}
	defer k.browser.close()
	k.broker = newChild(0, ours)
	close(k.broker.exited)

	k.stopBrowser()
	ours.Close()
	var sent []handover.Message
	for {
		m, err := theirs.Receive()
		if err != nil {
			break // the connection has ended
		}
		sent = append(sent, m)
	}
	theirs.Close()
	if !slices.Equal(sent, []handover.Message{{Gone: true}}) {
		t.Errorf("the broker was told %+v, want that the browser is gone, and nothing else", sent)
	}
}

// A broker that fails sends its error and exits at once. The keeper returns this error and does
// not start another broker, whether it notices the exit or the message first.
func TestLastMessageOfABroker(t *testing.T) {
	for range 50 {
		ours, file, err := handover.Pair()
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := handover.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		k := newKeeper(Options{})
		if k.browser, err = external(); err != nil {
			t.Fatal(err)
		}
		k.broker = newChild(0, ours)
		close(k.broker.exited)
		if err := theirs.Send(handover.Message{Error: wire.Errorf(wire.CodeNoBrowser, "no browser answers")}); err != nil {
			t.Fatal(err)
		}
		theirs.Close()
		go k.broker.listen()
		if stop, err := k.serveOnce(t.Context()); stop || !errors.Is(err, wire.CodeNoBrowser) {
			t.Fatalf("serveOnce() = %t, %v, want %s", stop, err, wire.CodeNoBrowser)
		}
		if err := k.browser.close(); err != nil {
			t.Fatal(err)
		}
	}
}
