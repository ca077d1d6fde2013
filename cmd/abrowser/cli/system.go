package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// System is the part of the machine that a command uses. All fields are required.
type System struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Lookup         func(string) (string, bool) // looks up an environment variable
	Environ        func() []string
	Dir            func() (string, error) // the working directory
	Terminal       bool                   // stderr is a terminal
	Input          bool                   // stdin is a terminal and not a file or pipe
	Width          func() int             // the number of columns of the terminal that stdout is; 0 if it is none
	// Interrupted returns a context that a signal cancels: see [interrupted].
	Interrupted func(ctx context.Context, after time.Duration) (context.Context, context.CancelFunc)
}

// OS returns the system that the process runs on.
func OS() System {
	return System{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Lookup: os.LookupEnv, Environ: os.Environ, Dir: os.Getwd,
		Terminal: isTerminal(os.Stderr), Input: isTerminal(os.Stdin), Width: widthOf(os.Stdout),
		Interrupted: interrupted,
	}
}

// quick is the time after which a read-only command begins to listen for signals. Listening takes
// two threads and a tenth of a short command's time. Before the command listens, a signal ends the
// process. This closes the connection to the server and loses nothing, because the command only
// reads.
const quick = 20 * time.Millisecond

// interrupted returns a context that is cancelled by the first signal that asks the process to end.
// It begins to listen for signals after the given delay. A signal during the delay ends the
// process, and so does a second signal.
func interrupted(ctx context.Context, after time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	listening := time.AfterFunc(after, func() { // this function waits for a signal or the end of the command
		caught, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		<-caught.Done()
		stop()
		cancel()
	})
	return ctx, func() {
		listening.Stop()
		cancel()
	}
}

// widthOf returns a function that returns the number of columns of a terminal, or 0 if f is none.
func widthOf(f *os.File) func() int {
	return func() int {
		size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
		if err != nil {
			return 0
		}
		return int(size.Col)
	}
}

// isTerminal reports whether f is a terminal: a character device other than the null device.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
