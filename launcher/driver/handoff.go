package driver

import (
	"errors"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/wire"
)

// These are the messages of a pipe handoff. In a handoff, the process that playwright-go has
// started in place of Node passes the descriptors of its standard input and output to a daemon.
// The daemon and that process exchange the messages over a socket pair.
const (
	handoffOffer = "abrowser carries these pipes\n" // the daemon sends this before the process starts
	handoffReply = "pipes of "                      // the process sends this, its pid and the pipes
)

// newHandoff returns the two ends of a new socket pair, on which the offer is already sent. ours
// is the daemon's end. theirs is for the process that playwright-go starts, as its standard error.
func newHandoff() (ours *net.UnixConn, theirs *os.File, err error) {
	syscall.ForkLock.RLock() // no fork before CloseOnExec, since macOS has no SOCK_CLOEXEC
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
	file := os.NewFile(uintptr(pair[0]), "handoff")
	defer file.Close() // conn has a descriptor of its own
	conn, err := net.FileConn(file)
	if err != nil {
		return nil, nil, errors.Join(err, theirs.Close())
	}
	if _, err := conn.Write([]byte(handoffOffer)); err != nil {
		return nil, nil, errors.Join(err, conn.Close(), theirs.Close())
	}
	return conn.(*net.UnixConn), theirs, nil // the pair is of Unix sockets
}

// sendPipes reports whether standard error is a socket on which a daemon has sent the offer. If
// so, it sends the descriptors of standard input and output to that daemon.
func sendPipes() (bool, error) {
	offer := make([]byte, len(handoffOffer))
	n, _, err := unix.Recvfrom(2, offer, unix.MSG_PEEK|unix.MSG_DONTWAIT)
	if err != nil || string(offer[:n]) != handoffOffer {
		return false, nil
	}
	err = unix.Sendmsg(2, []byte(handoffReply+strconv.Itoa(os.Getpid())+"\n"), unix.UnixRights(0, 1), nil, 0)
	return true, os.NewSyscallError("sendmsg", err)
}

// receivePipes waits until the process at the other end of conn has sent the descriptors of its
// standard input and output. It returns the two files and the pid of the process. The process
// exits after it has sent the descriptors.
func receivePipes(conn *net.UnixConn) (in, out *os.File, pid int, err error) {
	text, rights := make([]byte, 4<<10), make([]byte, unix.CmsgSpace(2*4))
	n, m, _, _, err := conn.ReadMsgUnix(text, rights)
	if err != nil {
		return nil, nil, 0, err
	}
	var fds []int
	if messages, err := unix.ParseSocketControlMessage(rights[:m]); err == nil && len(messages) == 1 {
		fds, _ = unix.ParseUnixRights(&messages[0]) // nil on an error
	}
	number, ok := strings.CutPrefix(strings.TrimSpace(string(text[:n])), handoffReply)
	pid, err = strconv.Atoi(number)
	if !ok || err != nil || len(fds) != 2 {
		for _, fd := range fds {
			_ = unix.Close(fd) // unused
		}
		return nil, nil, 0, wire.Errorf(wire.CodeNoDriver, "unexpected reply to the pipe handoff: %.300q", text[:n])
	}
	in, inErr := sockets.Inherit(fds[0], "in")
	out, outErr := sockets.Inherit(fds[1], "out")
	return in, out, pid, errors.Join(inErr, outErr)
}
