package keeper

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"github.com/abrowser/abrowser/launcher/handover"
)

// child is the process of a broker, with the connection to it.
type child struct {
	pid      int
	cmd      *exec.Cmd // nil if a previous keeper started it
	conn     *handover.Conn
	messages chan handover.Message // closed when the connection has ended
	exited   chan struct{}         // closed when the process has ended
	unread   chan struct{}         // closed when messages is not read any more
}

func newChild(pid int, conn *handover.Conn) *child {
	return &child{pid: pid, conn: conn, messages: make(chan handover.Message), exited: make(chan struct{}), unread: make(chan struct{})}
}

func (k *keeper) startBroker() (*child, error) {
	conn, theirs, err := handover.Pair()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	in, failedIn := k.browser.in.file()
	out, failedOut := k.browser.out.file()
	listener, err := k.listener.File()
	// After its start the child has copies of these files. A file that could not be opened is
	// nil; closing it only returns an error.
	defer func() { _ = errors.Join(in.Close(), out.Close(), listener.Close()) }()
	if err := errors.Join(failedIn, failedOut, err); err != nil {
		conn.Close()
		return nil, err
	}
	cmd := exec.Command(k.Executable, "broker") //nolint:noctx // endBroker ends it
	cmd.Args[0] = "abrowser"
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	cmd.Dir, cmd.Env = "/", k.Environ
	cmd.ExtraFiles = handover.Files{
		Conn: theirs, In: in, Out: out, Listener: listener, Lease: k.lease.File(), Errors: k.browser.errors,
	}.List()
	if err := cmd.Start(); err != nil {
		conn.Close()
		return nil, err
	}
	c := newChild(cmd.Process.Pid, conn)
	c.cmd = cmd
	go func() {
		defer close(c.exited)
		_ = cmd.Wait() // the status makes no difference
	}()
	go c.listen()
	k.log.Info("broker started", "pid", c.pid)
	return c, conn.Send(handover.Message{Browser: k.description()})
}

// listen passes the broker's messages to c.messages until the connection ends or c.messages is not
// read any more.
func (c *child) listen() {
	defer close(c.messages)
	for {
		m, err := c.conn.Receive()
		if err != nil {
			return
		}
		select {
		case c.messages <- m:
		case <-c.unread:
			return
		}
	}
}

// description describes the browser to a broker.
func (k *keeper) description() *handover.Browser {
	b := &handover.Browser{
		Name: k.place.Name, Instance: k.instance, Fresh: k.fresh, Restarts: k.restarts, Died: k.died,
		PID: k.browser.pid, KeeperPID: os.Getpid(), Executable: k.Browser, Keeper: k.Executable,
		NoSandbox: k.NoSandbox, Began: k.browser.began,
	}
	if !k.browser.isExternal() {
		b.Profile = k.profile()
	}
	return b
}

// endBroker kills the broker and waits for its exit, since two brokers must not read from
// the pipe at the same time.
func (k *keeper) endBroker() {
	select {
	case <-k.broker.exited:
	default:
		_ = syscall.Kill(k.broker.pid, syscall.SIGKILL) // it may have exited already
	}
	<-k.broker.exited
	close(k.broker.unread)
	k.broker.conn.Close()
	k.broker = nil
}
