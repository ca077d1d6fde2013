package cdpserver

import (
	"context"
	"io"
	"io/fs"
	"log/slog"
	"os"

	"github.com/abrowser/abrowser/cmd/abrowser/commands"
	"github.com/abrowser/abrowser/sockets/loopback"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// System is the part of the machine that the server uses. All fields are required.
type System struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Environ        func() []string
}

// Serve runs the server until ctx ends, and then returns 0. If standard input is a pipe, the end of
// the input also ends the server. If s.Command is set, Serve runs that program instead until the
// program ends, and returns its exit status. Serve refuses bad input before it opens the port, and
// opens the port before it starts the session's browser.
func Serve(ctx context.Context, sys System, s commands.CDPServer) (status int, err error) {
	program, err := findProgram(s.Command)
	if err != nil {
		return 0, err
	}
	log := slog.New(slog.NewTextHandler(sys.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	h := &handler{server: s, browserID: newID(), log: log}
	server, err := loopback.Listen(ctx, loopback.Options{Port: s.Port, Handler: h, DevTools: true, Log: log})
	if err != nil {
		return 0, err
	}
	h.where = server.URL
	conn, err := s.Dial(ctx)
	if err != nil {
		server.Close()
		return 0, err
	}
	conn.Close()

	serving, end := context.WithCancel(ctx)
	if program != "" { // signals are for the program
		serving, end = context.WithCancel(context.WithoutCancel(ctx))
	}
	defer end()
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(serving) }()
	defer func() {
		end()
		if failure := <-ended; err == nil {
			err = failure
		}
	}()
	url := h.browserURL()
	if program != "" {
		return runProgram(sys, program, s.Command, url)
	}
	if !s.Announce(verbs.CDPOut{URL: url, HTTPURL: server.URL("http"), Session: s.Session}) {
		return wire.ExitFailed, nil
	}
	if isPipe(sys.Stdin) {
		go func() {
			_, _ = io.Copy(io.Discard, sys.Stdin) // ends with the input, or with the process
			end()
		}()
	}
	<-serving.Done()
	return wire.ExitDone, nil
}

// isPipe reports whether r is a pipe or a socket. The end of such an input means that the process
// that started this one has ended, or wants the server to end.
func isPipe(r io.Reader) bool {
	file, ok := r.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0
}
