package driver

import (
	"errors"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/abrowser/abrowser/sockets/wire"
)

// What is said over the hook, a pair of sockets between a daemon and the stand-in
// for Node that playwright-go starts for it.
const (
	offer = "abrowser carries these pipes\n" // the daemon's: it is there before the stand-in starts
	lent  = "pipes of "                      // the stand-in's, with its pid, its standard input and its output
)

// newHook makes the pair. theirs becomes the stand-in's standard error.
func newHook() (ours *net.UnixConn, theirs *os.File, err error) {
	syscall.ForkLock.RLock() // until both are closed on exec
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(pair[0])
		unix.CloseOnExec(pair[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	theirs = os.NewFile(uintptr(pair[1]), "stderr")
	file := os.NewFile(uintptr(pair[0]), "hook")
	defer file.Close() // the connection has its own descriptor
	conn, err := net.FileConn(file)
	if err != nil {
		return nil, nil, errors.Join(err, theirs.Close())
	}
	ours, ok := conn.(*net.UnixConn)
	if !ok {
		return nil, nil, errors.Join(errors.New("a pair of sockets is none"), conn.Close(), theirs.Close())
	}
	if _, err := ours.Write([]byte(offer)); err != nil {
		return nil, nil, errors.Join(err, ours.Close(), theirs.Close())
	}
	return ours, theirs, nil
}

// lend passes standard input and output on where a daemon offered to carry them,
// and reports whether one did.
func lend() (bool, error) {
	heard := make([]byte, len(offer))
	n, _, err := unix.Recvfrom(2, heard, unix.MSG_PEEK|unix.MSG_DONTWAIT)
	if err != nil || string(heard[:n]) != offer {
		return false, nil // no socket, or not ours
	}
	err = unix.Sendmsg(2, []byte(lent+strconv.Itoa(os.Getpid())+"\n"), unix.UnixRights(0, 1), nil, 0)
	return true, os.NewSyscallError("sendmsg", err)
}

// receive waits for the stand-in's standard input and output, and returns them with
// its pid. It has nothing more to do then.
func receive(hook *net.UnixConn) (in, out *os.File, pid int, err error) {
	said, rights := make([]byte, 4<<10), make([]byte, unix.CmsgSpace(2*4))
	n, m, _, _, err := hook.ReadMsgUnix(said, rights)
	if err != nil {
		return nil, nil, 0, err
	}
	var fds []int
	if all, err := unix.ParseSocketControlMessage(rights[:m]); err == nil && len(all) == 1 {
		fds, _ = unix.ParseUnixRights(&all[0]) // where it fails there are none
	}
	text, ok := strings.CutPrefix(strings.TrimSpace(string(said[:n])), lent)
	pid, err = strconv.Atoi(text)
	if !ok || err != nil || len(fds) != 2 {
		for _, fd := range fds {
			_ = unix.Close(fd) // it is not used
		}
		return nil, nil, 0, wire.Errorf(wire.CodeNoDriver, "the stand-in for Node says %.300q", said[:n])
	}
	for i, name := range []string{"in", "out"} {
		unix.CloseOnExec(fds[i])
		err = errors.Join(err, unix.SetNonblock(fds[i], true))
		if file := os.NewFile(uintptr(fds[i]), name); i == 0 {
			in = file
		} else {
			out = file
		}
	}
	if err != nil {
		return nil, nil, 0, errors.Join(err, in.Close(), out.Close())
	}
	return in, out, pid, nil
}

// reap waits for a child that is ending. Where it is no child of ours any more,
// somebody else has waited.
func reap(pid int) {
	for {
		if _, err := syscall.Wait4(pid, nil, 0, nil); !errors.Is(err, syscall.EINTR) {
			return
		}
	}
}
