package cdpserver

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/abrowser/abrowser/sockets/wire"
)

// EnvURL is the variable in which the program gets the endpoint's URL.
const EnvURL = "ABROWSER_CDP_URL"

// placeholder stands for the endpoint's URL in the program's arguments.
const placeholder = "{cdp}"

// findProgram returns the path of the program to run, or "" if no program is given.
func findProgram(command []string) (string, error) {
	if len(command) == 0 {
		return "", nil
	}
	path, err := exec.LookPath(command[0])
	if errors.Is(err, exec.ErrDot) {
		err = nil // as a shell does with a PATH that contains the working directory
	}
	if err != nil {
		return "", wire.Errorf(wire.CodeBadInput, "finding the program %s: %v", command[0], errors.Unwrap(err)).
			WithHint("abrowser cdp -- PROGRAM [ARGUMENTS...]")
	}
	return path, nil
}

// runProgram runs the program and returns its exit status. For a program that a signal has ended,
// the status is 128 plus the number of the signal, as in a shell.
func runProgram(sys System, path string, command []string, url string) (status int, err error) {
	args := slices.Clone(command)
	for i := range args[1:] {
		args[i+1] = strings.ReplaceAll(args[i+1], placeholder, url)
	}
	cmd := &exec.Cmd{
		Path: path, Args: args, Stdin: sys.Stdin, Stdout: sys.Stdout, Stderr: sys.Stderr,
		Env: append(slices.DeleteFunc(sys.Environ(), func(v string) bool { return strings.HasPrefix(v, EnvURL+"=") }), EnvURL+"="+url),
	}
	// Listen first, because a signal that comes while the program starts must reach the program,
	// too.
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, forwarded()...)
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		return 0, wire.Errorf(wire.CodeBadInput, "starting %s: %v", command[0], wire.Errno(err))
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case s := <-signals:
			if !fromTerminal(s) {
				_ = cmd.Process.Signal(s) // fails if the program has just ended
			}
		case err := <-ended:
			if cmd.ProcessState == nil {
				return 0, err
			}
			return statusOf(cmd.ProcessState), nil
		}
	}
}

// forwarded returns the signals that are passed on to the program.
func forwarded() []os.Signal {
	return []os.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGUSR1, unix.SIGUSR2, unix.SIGWINCH}
}

// fromTerminal reports whether the terminal has probably sent the signal. If so, the terminal has
// sent the signal to the program as well, which is in the same process group.
func fromTerminal(s os.Signal) bool {
	if s != unix.SIGINT && s != unix.SIGQUIT && s != unix.SIGWINCH {
		return false
	}
	terminal, err := os.Open("/dev/tty") // fails without a controlling terminal
	if err != nil {
		return false
	}
	defer terminal.Close()
	group, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

func statusOf(p *os.ProcessState) int {
	if w, ok := p.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return p.ExitCode()
}
