package broker

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/abrowser/abrowser/launcher/handover"
)

// readyVariable is the name, with the equals sign, of the environment variable in which the
// launcher passes the number of the ready pipe's descriptor to the first keeper. A later keeper
// must not get this variable, since another file has that number in a later keeper.
const readyVariable = "ABROWSER_READY_FD="

// replaceKeeper starts a keeper that replaces the dead keeper. It sends the first message before it
// starts the new process, so that the new keeper can take over even if this broker dies immediately
// after the start.
func (b *broker) replaceKeeper() error {
	ours, theirs, err := handover.Pair()
	if err != nil {
		return err
	}
	defer theirs.Close()
	d := *b.browser
	d.BrokerPID, d.KeeperPID, d.Fresh = os.Getpid(), 0, false // the new keeper sets its own pid
	d.Ending = b.ending.Load()
	if err := ours.Send(handover.Message{Browser: &d}); err != nil {
		ours.Close()
		return err
	}
	cmd := exec.Command(b.browser.Keeper, "keeper") //nolint:noctx // it outlives this process
	cmd.Args[0] = "abrowser"
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, readyVariable) }), handover.Successor)
	cmd.Stdout, cmd.Stderr, cmd.Dir = os.Stderr, os.Stderr, "/"
	files := b.files
	files.Conn = theirs
	cmd.ExtraFiles = files.List()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := errors.Join(cmd.Start(), b.unblock()); err != nil {
		ours.Close()
		return err
	}
	go func() { _ = cmd.Wait() }() // otherwise the keeper would become a zombie
	b.keeperPID.Store(int64(cmd.Process.Pid))
	b.keeper.Replace(ours)
	b.log.Warn("the keeper has died; another one takes over", "keeper", cmd.Process.Pid)
	return nil
}

// unblock makes the descriptors non-blocking again. When this process starts another process,
// os/exec sets the descriptors for that process to blocking mode. The mode belongs to the open file
// that both processes share, so our descriptors become blocking too.
func (b *broker) unblock() error {
	var all error
	for _, f := range []*os.File{b.files.In, b.files.Out, b.files.Listener} {
		raw, err := f.SyscallConn()
		if err == nil {
			err = raw.Control(func(fd uintptr) { all = errors.Join(all, unix.SetNonblock(int(fd), true)) })
		}
		all = errors.Join(all, err)
	}
	return all
}
