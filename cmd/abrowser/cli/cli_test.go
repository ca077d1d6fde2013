package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/args"
	"github.com/abrowser/abrowser/cmd/abrowser/commands"
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/server"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// bench runs command lines with its own abrowser directory, working directory and variables.
type bench struct {
	t       testing.TB
	root    home.Root
	dir     string
	env     map[string]string
	stdin   string
	program commands.Program
	ctx     context.Context
}

func newBench(t testing.TB) *bench {
	t.Helper()
	// t.TempDir is too long for a socket's address.
	dir, err := os.MkdirTemp("/tmp", "abcli")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	b := &bench{t: t, root: home.Root{Dir: dir}, dir: t.TempDir(), env: map[string]string{
		"ABROWSER_HOME": dir, "HOME": t.TempDir(),
	}, program: noStart{}, ctx: t.Context()}
	if err := b.root.Make(); err != nil {
		t.Fatal(err)
	}
	return b
}

// run runs one command line and returns what it wrote and its status.
func (b *bench) run(args ...string) (stdout, stderr string, status int) {
	b.t.Helper()
	var out, errs bytes.Buffer
	status = Run(args, System{
		Stdin: strings.NewReader(b.stdin), Stdout: &out, Stderr: &errs,
		Lookup:  func(name string) (string, bool) { v, ok := b.env[name]; return v, ok },
		Environ: func() []string { return nil },
		Dir:     func() (string, error) { return b.dir, nil },
		Interrupted: func(context.Context, time.Duration) (context.Context, context.CancelFunc) {
			return context.WithCancel(b.ctx)
		},
	}, b.program)
	return out.String(), errs.String(), status
}

// serve serves the handlers on the session's real socket until the test ends.
func (b *bench) serve(session string, handlers ...wire.Handler) {
	b.t.Helper()
	place, err := b.root.Session(session)
	if err != nil {
		b.t.Fatal(err)
	}
	b.serveAt(place, wire.Hello{Name: session, Role: "daemon", PID: 77, Idle: true}, handlers)
}

// serveBroker serves the handlers on the broker's socket of the default browser until the test
// ends.
func (b *bench) serveBroker(handlers ...wire.Handler) {
	b.t.Helper()
	place, err := b.root.Browser("default")
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.MkdirAll(b.root.Path("profiles", "default"), 0o700); err != nil {
		b.t.Fatal(err)
	}
	b.serveAt(place, wire.Hello{Name: "default", Role: "broker"}, handlers)
}

func (b *bench) serveAt(place home.Endpoint, hello wire.Hello, handlers []wire.Handler) {
	b.t.Helper()
	lease, err := sockets.TryAcquire(place.Lock)
	if err != nil {
		b.t.Fatal(err)
	}
	l, err := sockets.Listen(place, lease)
	if err != nil {
		b.t.Fatal(err)
	}
	hello.Build, hello.Protocol = testBuild, wire.Protocol()
	srv := &server.Server{Hello: func() wire.Hello { return hello }, Handlers: handlers, Build: testBuild}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ctx, l) }()
	b.t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			b.t.Errorf("serving %s: %v", place.Socket, err)
		}
		closing(b.t, lease)
	})
}

func closing(t testing.TB, c io.Closer) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

const testBuild = "b1"

// noStart is a [commands.Program] that starts and kills nothing: Start and Kill return an error.
// The embedded interface is nil, so the methods that noStart does not define panic.
type noStart struct{ nothing }

type nothing struct{ commands.FullProgram }

func (noStart) Build() (string, error)                                          { return testBuild, nil }
func (p noStart) Full(context.Context, home.Root) (commands.FullProgram, error) { return p, nil }
func (noStart) Start(context.Context, string, wire.Settings) (home.Endpoint, error) {
	return home.Endpoint{}, wire.Errorf(wire.CodeStart, "nothing may be started here")
}

func (noStart) Kill(context.Context, home.Endpoint) (bool, error) {
	return false, wire.Errorf(wire.CodeWedged, "nothing may be killed here")
}
func (noStart) Sweep() error                           { return nil }
func (noStart) ClosesAtEnd(string) bool                { return false }
func (noStart) WriteHAR(string, []verbs.Request) error { return nil }
func (noStart) FinishRecording(string) (string, error) { return "", nil }

// startBy is a [commands.Program] whose Start calls the function serve in place of starting a
// session's daemon.
type startBy struct {
	noStart
	root  home.Root
	serve func()
}

func (s startBy) Full(context.Context, home.Root) (commands.FullProgram, error) { return s, nil }
func (s startBy) Start(_ context.Context, session string, _ wire.Settings) (home.Endpoint, error) {
	s.serve()
	return s.root.Session(session)
}

// answers returns a handler for v that always returns out.
func answers[In, Out any](v wire.Verb[In, Out], out Out) wire.Handler {
	return wire.Bind(v, func(context.Context, *wire.Call, In) (Out, error) { return out, nil })
}

// fails returns a handler for v that always returns err.
func fails[In, Out any](v wire.Verb[In, Out], err error) wire.Handler {
	return wire.Bind(v, func(context.Context, *wire.Call, In) (Out, error) { var out Out; return out, err })
}

// words splits a command line as a shell does.
func words(t *testing.T, command string) []string {
	t.Helper()
	all, err := args.Split(command)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// file writes a file and creates its directory. If content is empty, file does nothing.
func (b *bench) file(path, content string) {
	b.t.Helper()
	if content == "" {
		return
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		b.t.Fatal(err)
	}
}
