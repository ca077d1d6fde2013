package keeper

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"path/filepath"
	"time"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	leaseTime = 15 * time.Second // for a previous keeper to release the profile's lease
	startTime = 60 * time.Second // for browser and broker to start
)

// Options are the parameters of [Run]. Log and Ready may be nil.
type Options struct {
	Root       home.Root
	Settings   wire.Settings
	Build      string
	Executable string // the stable copy of this program, from which the broker is started
	Browser    string // the path of the browser's executable
	NoWindows  bool   // the browser is always headless and does not support --headless=new
	NoSandbox  string // why the browser runs without its sandbox; empty if it has its sandbox
	Environ    []string
	Log        *slog.Logger
	Ready      func(error) // called once, when the broker serves or has failed
}

// keeper holds the browser and keeps a broker running for it.
type keeper struct {
	Options
	place    home.Endpoint
	lease    *sockets.Lease
	listener *net.UnixListener
	browser  *chromium
	instance string
	broker   *child
	fresh    bool        // no broker has served the browser yet
	told     bool        // Ready was called
	ending   bool        // the previous keeper died before it ended the browser as asked
	deaths   []time.Time // when brokers died
	died     time.Time   // when a browser died most recently; zero if none has
	restarts int         // how many browsers have died
	short    int         // deaths in a row; counted from 1 again if the browser lived for longLife
	log      *slog.Logger
}

// Run starts the browser and keeps it running. Run returns nil when ctx has ended, or when the
// browser was stopped by the verb browser stop, by its idle timeout or by a person who closed it.
// If the browser is external, Run also returns nil when the connection to the browser is lost. Run
// returns an error when the browser or the broker cannot be started or dies too often.
func Run(ctx context.Context, o Options) error {
	k := newKeeper(o)
	ready := o.Ready
	k.Ready = func(err error) {
		k.told = true
		if ready != nil {
			ready(err)
			ready = nil
		}
	}
	err := k.run(ctx)
	k.Ready(err)
	return err
}

func newKeeper(o Options) *keeper {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &keeper{Options: o, log: o.Log}
}

func (k *keeper) run(ctx context.Context) error {
	begin := k.open
	if k.isSuccessor() {
		begin = k.takeOver
	}
	if err := begin(ctx); err != nil {
		return err
	}
	defer k.closeFiles()
	for {
		again, err := k.serveBrowser(ctx)
		if err != nil || !again {
			return err
		}
		k.browser = nil
	}
}

// open takes the lease of the profile and listens at the browser's socket.
func (k *keeper) open(ctx context.Context) error {
	if err := k.Root.Make(); err != nil {
		return err
	}
	var err error
	if k.place, err = k.Root.BrowserOf(k.Settings); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, leaseTime)
	defer cancel()
	if k.lease, err = sockets.Acquire(ctx, k.place.Lock); err != nil {
		return err
	}
	if err = k.checkCrashes(); err == nil {
		k.listener, err = sockets.Listen(k.place, k.lease)
	}
	if err != nil {
		return errors.Join(err, k.lease.Close())
	}
	return nil
}

func (k *keeper) closeFiles() {
	if err := errors.Join(sockets.Unlink(k.place, k.lease), k.listener.Close(), k.lease.Close()); err != nil {
		k.log.Error("releasing the profile", "error", err)
	}
}

// rebind listens at the socket again if the socket's file or directory was removed, and
// reports whether it did. The next broker gets the new listener.
func (k *keeper) rebind() bool {
	if sockets.Bound(k.place, k.lease) {
		return false
	}
	err := k.Root.Make()
	var listener *net.UnixListener
	if err == nil {
		listener, err = sockets.Listen(k.place, k.lease)
	}
	if err != nil {
		k.log.Error("the socket is gone", "error", err)
		return false
	}
	k.log.Warn("the socket was gone, and was made again")
	_ = k.listener.Close() // clients can no longer reach it
	k.listener = listener
	return true
}

// profile returns the directory of the browser's profile.
func (k *keeper) profile() string { return filepath.Dir(k.place.Lock) }
