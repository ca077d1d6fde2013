package keeper

import (
	"os"
	"os/exec"
	"syscall"

	"github.com/abrowser/abrowser/launcher/handover"
)

// child is a broker's process.
type child struct {
	pid      int
	cmd      *exec.Cmd // nil if a previous keeper started it
	conn     *handover.Conn
	messages chan handover.Message // closed when the connection has ended
	exited   chan struct{}         // closed when the process has ended
}

func newChild(pid int, conn *handover.Conn) *child {
	return &child{pid: pid, conn: conn, messages: make(chan handover.Message), exited: make(chan struct{})}
}

func (k *keeper) startBroker() (*child, error) {
	conn, theirs, err := handover.Pair()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	files, err := openAll(k.browser.in.file, k.browser.out.file, k.listener.File)
	defer closeAll(files)
	if err != nil {
		conn.Close()
		return nil, err
	}
	cmd := exec.Command(k.Executable, "broker") //nolint:noctx // endBroker ends it
	cmd.Args[0] = "abrowser"
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	cmd.Dir, cmd.Env = "/", k.Environ
	cmd.ExtraFiles = handover.Files{
		Conn: theirs, In: files[0], Out: files[1], Listener: files[2], Lease: k.lease.File(), Errors: k.browser.errors,
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

// listen passes on the broker's messages until the connection ends.
func (c *child) listen() {
	defer close(c.messages)
	for {
		m, err := c.conn.Receive()
		if err != nil {
			return
		}
		select {
		case c.messages <- m:
		case <-c.exited:
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

// endBroker kills the broker: two brokers would both read from the pipe.
func (k *keeper) endBroker() {
	select {
	case <-k.broker.exited:
	default:
		_ = syscall.Kill(k.broker.pid, syscall.SIGKILL) // it may be ending already
	}
	<-k.broker.exited
	k.broker.conn.Close()
	k.broker = nil
}

// openAll returns the files that the functions open. After an error it returns those that
// were opened before.
func openAll(open ...func() (*os.File, error)) ([]*os.File, error) {
	var files []*os.File
	for _, one := range open {
		f, err := one()
		if err != nil {
			return files, err
		}
		files = append(files, f)
	}
	return files, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close() // the child has a copy
	}
}
