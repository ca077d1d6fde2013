package keeper

import (
	"context"
	"net"
	"slices"
	"sync"

	"github.com/abrowser/abrowser/launcher/handover"
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/wire"
)

// isSuccessor reports whether a broker has started this keeper because the previous keeper died.
func (k *keeper) isSuccessor() bool { return slices.Contains(k.Environ, handover.Successor) }

// takeOver continues the work of a dead keeper, with the descriptors and the description of
// the browser that the broker hands over.
func (k *keeper) takeOver(context.Context) error {
	k.Environ = slices.DeleteFunc(slices.Clone(k.Environ), func(v string) bool { return v == handover.Successor })
	files, err := handover.Inherit()
	if err != nil {
		return err
	}
	if k.place, err = k.Root.BrowserOf(k.Settings); err != nil {
		return err
	}
	conn, err := handover.Open(files.Conn)
	if err != nil {
		return err
	}
	b, err := conn.Browser()
	if err != nil {
		return err
	}
	listener, err := net.FileListener(files.Listener)
	if err != nil {
		return err
	}
	var ok bool
	if k.listener, ok = listener.(*net.UnixListener); !ok {
		return wire.Errorf(wire.CodeStart, "the inherited listener is not a Unix socket")
	}
	k.listener.SetUnlinkOnClose(false)
	k.lease = sockets.LeaseFrom(files.Lease)
	k.instance, k.NoSandbox, k.restarts, k.died, k.told, k.ending = b.Instance, b.NoSandbox, b.Restarts, b.Died, true, b.Ending
	k.browser = &chromium{
		pid: b.PID, path: b.Executable, errors: files.Errors,
		stderr: &tail{}, began: b.Began, exited: make(chan struct{}),
	}
	if err := k.browser.hold(files.In, files.Out); err != nil {
		return err
	}
	if k.Settings.External() {
		k.browser.leave = &sync.Once{}
	} else {
		go k.browser.stderr.drain(files.Errors)
		go func() {
			defer close(k.browser.exited)
			handover.AwaitExit(b.PID)
		}()
	}
	k.broker = newChild(b.BrokerPID, conn)
	go k.broker.listen()
	go func() {
		defer close(k.broker.exited)
		handover.AwaitExit(b.BrokerPID)
	}()
	k.log.Info("taking over", "browser", b.PID, "broker", b.BrokerPID)
	return files.Listener.Close()
}
