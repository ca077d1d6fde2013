package broker

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/wire"
)

// successor in a keeper's environment says that it takes over from a dead one: it
// is started by the broker, with the descriptors that a broker is started with.
const successor = "ABROWSER_SUCCESSOR=1"

// readyVariable names the descriptor on which the launcher waited for the first
// keeper; a successor has another one in its place.
const readyVariable = "ABROWSER_READY_FD="

func (k *keeper) succeeds() bool { return slices.Contains(k.Environ, successor) }

// succeed takes up what the broker has kept.
func (k *keeper) succeed(context.Context) error {
	k.Environ = slices.DeleteFunc(slices.Clone(k.Environ), func(v string) bool { return v == successor })
	files, err := inherited()
	if err != nil {
		return err
	}
	if k.place, err = k.Root.BrowserOf(k.Settings); err != nil {
		return err
	}
	control, err := controlOn(files[fdControl])
	if err != nil {
		return err
	}
	c, err := control.charged()
	if err != nil {
		return err
	}
	listener, err := net.FileListener(files[fdListener])
	if err != nil {
		return err
	}
	var ok bool
	if k.listener, ok = listener.(*net.UnixListener); !ok {
		return wire.Errorf(wire.CodeStart, "descriptor %d is no Unix socket", fdListener)
	}
	k.listener.SetUnlinkOnClose(false)
	k.lease = sockets.LeaseFrom(files[fdLease])
	k.instance, k.NoSandbox, k.restarts, k.died, k.told, k.ending = c.Instance, c.NoSandbox, c.Restarts, c.Died, true, c.Ending
	k.browser = &chromium{
		pid: c.BrowserPID, path: c.Executable, errors: files[fdErrors],
		tail: &tail{}, began: c.Began, exited: make(chan struct{}),
	}
	if err := k.browser.hold(files[fdIn], files[fdOut]); err != nil {
		return err
	}
	if foreign(k.Settings) {
		k.browser.leave = &sync.Once{}
	} else {
		go k.browser.tail.drain(files[fdErrors])
		go func() {
			defer close(k.browser.exited)
			watch(c.BrowserPID)
		}()
	}
	k.broker = &child{pid: c.BrokerPID, control: control, words: make(chan word), exited: make(chan struct{})}
	go k.broker.listen()
	go func() {
		defer close(k.broker.exited)
		watch(c.BrokerPID)
	}()
	k.log.Info("taking over", "browser", c.BrowserPID, "broker", c.BrokerPID)
	return files[fdListener].Close()
}

// inherited are the descriptors that a broker, or a keeper's successor, is
// started with.
func inherited() (map[int]*os.File, error) {
	files := map[int]*os.File{}
	for fd, name := range map[int]string{
		fdControl: "control", fdIn: "browser's input", fdOut: "browser's output", fdListener: "listener", fdLease: "lease", fdErrors: "browser's errors",
	} {
		f, err := sockets.Inherit(fd, name)
		if err != nil {
			return nil, err
		}
		files[fd] = f
	}
	return files, nil
}

// charged waits for the other's first word, which says what to look after.
func (c *control) charged() (*charge, error) {
	if err := c.conn.SetReadDeadline(time.Now().Add(chargeTime)); err != nil {
		return nil, err
	}
	first, err := c.receive()
	if err != nil || first.Charge == nil {
		return nil, wire.Errorf(wire.CodeStart, "nobody says what to look after: %v", err)
	}
	return first.Charge, c.conn.SetReadDeadline(time.Time{})
}

// replaceKeeper starts a keeper in the place of the one that has died. What it is
// to look after lies on its line before it runs: it can do its work even where we
// stop at once.
func (b *broker) replaceKeeper() error {
	ours, theirs, err := newControl()
	if err != nil {
		return err
	}
	defer theirs.Close()
	c := *b.charge
	c.BrokerPID, c.KeeperPID, c.Fresh = os.Getpid(), 0, false // its own pid it knows
	c.Ending = b.ending.Load()
	if err := ours.send(word{Charge: &c}); err != nil {
		ours.close()
		return err
	}
	cmd := exec.Command(b.charge.Keeper, "keeper") //nolint:noctx // it is to outlive us
	cmd.Args[0] = "abrowser"
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, readyVariable) }), successor)
	cmd.Stdout, cmd.Stderr, cmd.Dir = os.Stderr, os.Stderr, "/"
	cmd.ExtraFiles = []*os.File{theirs, b.files[fdIn], b.files[fdOut], b.files[fdListener], b.files[fdLease], b.files[fdErrors]}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := errors.Join(cmd.Start(), b.unblock()); err != nil {
		ours.close()
		return err
	}
	go func() { _ = cmd.Wait() }() // or it would stay a zombie; it ends when it does
	b.keeper.Store(int64(cmd.Process.Pid))
	b.control.renew(ours)
	b.log.Warn("the keeper has died; another takes over", "keeper", cmd.Process.Pid)
	return nil
}

// unblock makes our descriptors non-blocking again: handing them on makes them
// block, since it is the open file that blocks or not.
func (b *broker) unblock() error {
	var all error
	for _, fd := range []int{fdIn, fdOut, fdListener} {
		raw, err := b.files[fd].SyscallConn()
		if err == nil {
			err = raw.Control(func(fd uintptr) { all = errors.Join(all, unix.SetNonblock(int(fd), true)) })
		}
		all = errors.Join(all, err)
	}
	return all
}
