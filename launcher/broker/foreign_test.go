package broker

import (
	"slices"
	"testing"

	"github.com/abrowser/abrowser/sockets/wire"
)

// The broker of a browser that somebody else started is told to end, and never to
// close the browser: both words at once would leave it to chance which of them is
// first.
func TestStrangerIsNotClosed(t *testing.T) {
	settings := wire.Settings{Mode: wire.ModeAttached, CDP: "1"}
	k := &keeper{KeepOptions: KeepOptions{Root: newRig(t, settings).root, Settings: settings}, log: logger(nil)}
	if err := k.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer k.closeFiles()
	ours, file, err := newControl()
	if err != nil {
		t.Fatal(err)
	}
	defer ours.close()
	theirs, err := controlOn(file)
	if err != nil {
		t.Fatal(err)
	}
	if k.browser, err = stranger(); err != nil {
		t.Fatal(err)
	}
	defer k.browser.close()
	k.broker = &child{control: ours, exited: make(chan struct{})}
	close(k.broker.exited)

	k.stopBrowser(t.Context())
	ours.close()
	var said []word
	for {
		s, err := theirs.receive()
		if err != nil {
			break // the line's end
		}
		said = append(said, s)
	}
	theirs.close()
	if !slices.Equal(said, []word{{Gone: true}}) {
		t.Errorf("the broker was told %+v, want that the browser is gone, and nothing else", said)
	}
}
