package keeper

import (
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
	dir, err := os.MkdirTemp("/tmp", "abk") // the path of a socket is limited
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
