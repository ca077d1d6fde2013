package cli

import (
	"context"
	"net"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/commands"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Commands that never start a daemon or browser succeed even if no daemon and no browser runs.
func TestIdleVerbsStartNothing(t *testing.T) {
	tests := []struct{ args, want string }{
		{"status", `{"running":false,"sessionId":"default"}`},
		{"close", `{"closed":true,"kept":0}`},
		{"close --page", `{"closed":true,"kept":0}`},
		{"quit", `{"closed":true,"kept":0}`},
		{"close --all", `{"closed":0,"kept":0,"sessions":[]}`},
		{"tab", `{"tabs":[]}`},
		{"tab --all", `{"tabs":[]}`},
		{"tab prune --all", `{"pruned":[]}`},
		{"dialog status", `{"hasDialog":false}`},
		{"session", `{"session":"default"}`},
		{"session list", `{"currentSession":"default","sessions":[]}`},
		{"browser status", `{"running":false,"sessions":0,"tabs":0}`},
		{"browser stop", `{"stopped":false,"tabs":0}`},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			b := newBench(t)
			stdout, stderr, status := b.run(append(words(t, tt.args), "--json")...)
			want := `{"success":true,"data":` + tt.want + `,"error":null,"sessionId":"default","sessionType":"browser"}` + "\n"
			if stdout != want || stderr != "" || status != 0 {
				t.Errorf("%s: %s%s%d, want %s", tt.args, stdout, stderr, status, want)
			}
			if sockets, err := b.root.Sessions(); err != nil || len(sockets) > 0 {
				t.Errorf("%s left %v, %v", tt.args, sockets, err)
			}
		})
	}
}

// close --all and session list ignore a daemon that is ending: it is neither closed again nor
// listed as wedged. close --all also ignores a daemon that begins to end before it receives the
// request to close.
func TestEndingDaemons(t *testing.T) {
	b := newBench(t)
	place, err := b.root.Session("going")
	if err != nil {
		t.Fatal(err)
	}
	late := wire.Errorf(wire.CodeNotRunning, "the session's daemon is ending")
	b.serveAt(place, wire.Hello{Name: "going", Role: "daemon", PID: 77, Ending: true}, []wire.Handler{answers(verbs.Status, verbs.StatusOut{State: "ready"}), answers(verbs.Close, verbs.CloseOut{Closed: true})})
	b.serve("gone", answers(verbs.Status, verbs.StatusOut{State: "ready"}), fails(verbs.Close, late))
	for args, want := range map[string]string{
		"close --all":  `{"closed":0,"kept":0,"sessions":[]}`,
		"session list": `"sessionId":"gone"`,
	} {
		stdout, stderr, status := b.run(append(words(t, args), "--json")...)
		if !strings.Contains(stdout, want) || strings.Contains(stdout, `"going"`) || stderr != "" || status != 0 {
			t.Errorf("%s: %s%s%d, want %s", args, stdout, stderr, status, want)
		}
	}
}

func TestCommandStartsTheDaemonOnce(t *testing.T) {
	b := newBench(t)
	starts := 0
	b.program = startBy{root: b.root, serve: func() {
		starts++
		b.serve("a", answers(verbs.GetURL, verbs.PageURL{URL: "about:blank"}))
	}}
	for range 2 {
		stdout, stderr, status := b.run("--session", "a", "get", "url")
		if stdout != "about:blank\n" || status != 0 {
			t.Fatalf("get url: %q, %q, %d", stdout, stderr, status)
		}
	}
	if starts != 1 {
		t.Errorf("the daemon was started %d times, want once", starts)
	}
}

// If the daemon cannot be started, the command reports why the start failed, and not that no
// daemon listens.
func TestStartFails(t *testing.T) {
	b := newBench(t)
	_, stderr, status := b.run("open", "x")
	if !strings.Contains(stderr, "nothing may be started here") || status != wire.ExitFailed {
		t.Errorf("open: %q, %d", stderr, status)
	}
}

func TestAnotherBuildIsReplaced(t *testing.T) {
	b := newBench(t)
	b.serve("default", answers(verbs.GetURL, verbs.PageURL{URL: "about:blank"}), answers(verbs.Status, verbs.StatusOut{Running: true}))
	b.program = otherBuild{}
	_, stderr, status := b.run("get", "url")
	if !strings.Contains(stderr, "replaced by the launcher") || status != wire.ExitFailed {
		t.Errorf("get url: %q, %d, want that the launcher was asked", stderr, status)
	}
	if _, stderr, status := b.run("status"); status != 0 {
		t.Errorf("status of another build's daemon: %q, %d, want its answer", stderr, status)
	}
}

type otherBuild struct{ noStart }

func (otherBuild) Build() (string, error)                                          { return "b2", nil }
func (p otherBuild) Full(context.Context, home.Root) (commands.FullProgram, error) { return p, nil }
func (otherBuild) Start(context.Context, string, wire.Settings) (home.Endpoint, error) {
	return home.Endpoint{}, wire.Errorf(wire.CodeBuildDiffers, "replaced by the launcher")
}

// A command whose settings differ from those of the running session is refused. A command that
// never starts a session, such as status, is answered.
func TestOtherSettings(t *testing.T) {
	b := newBench(t)
	b.serve("default", answers(verbs.GetURL, verbs.PageURL{URL: "about:blank"}), answers(verbs.Status, verbs.StatusOut{Running: true}))
	_, stderr, status := b.run("get", "url", "--headed")
	if want := "abrowser: hint: abrowser --session default close\n"; !strings.HasSuffix(stderr, want) || status != wire.ExitFailed {
		t.Errorf("get url --headed: %q, %d, want %q", stderr, status, want)
	}
	if _, stderr, status := b.run("status", "--headed"); status != 0 {
		t.Errorf("status --headed: %q, %d", stderr, status)
	}
}

// If the daemon closes the connection without a response, a read-only command is sent again, and
// any other command fails with result_unknown.
func TestLostAnswer(t *testing.T) {
	tests := []struct {
		args   string
		code   wire.Code
		starts int
	}{
		{"get title", wire.CodeStart, 1},
		{"click #a", wire.CodeResultUnknown, 0},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			b := newBench(t)
			place, err := b.root.Session("default")
			if err != nil {
				t.Fatal(err)
			}
			hangUp(t, place.Socket)
			starts := 0
			b.program = counting{starts: &starts}
			stdout, _, _ := b.run(append(words(t, tt.args), "--json")...)
			if !strings.Contains(stdout, `"code":"`+string(tt.code)+`"`) || starts != tt.starts {
				t.Errorf("%s: %s after %d starts, want %s after %d", tt.args, stdout, starts, tt.code, tt.starts)
			}
		})
	}
}

type counting struct {
	noStart
	starts *int
}

func (c counting) Full(context.Context, home.Root) (commands.FullProgram, error) { return c, nil }
func (c counting) Start(context.Context, string, wire.Settings) (home.Endpoint, error) {
	*c.starts++
	return home.Endpoint{}, wire.Errorf(wire.CodeStart, "not again")
}

// hangUp listens at socket. It closes each connection after the first read.
func hangUp(t *testing.T, socket string) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 4096))
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() { closing(t, l); <-done })
}

func TestInterrupted(t *testing.T) {
	undone := `{"success":false,"data":null,"error":"interrupted","code":"interrupted","sessionId":"default","sessionType":"browser"}` + "\n"
	for _, tt := range []struct {
		name   string
		err    error // what the daemon returns after the command was interrupted
		want   string
		status int
	}{
		{"nothing was done", context.Canceled, undone, wire.ExitInterrupted},
		{"it was done", nil, `"clicked":"#late"`, wire.ExitDone},
		{"outcome unknown", wire.Errorf(wire.CodeResultUnknown, "not confirmed"), `"code":"result_unknown"`, wire.ExitFailed},
		{"it failed", wire.Errorf(wire.CodeNotFound, "no element"), `"code":"not_found"`, wire.ExitFailed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t)
			reached := make(chan struct{})
			b.serve("default", wire.Bind(verbs.Click, func(ctx context.Context, _ *wire.Call, in verbs.ClickIn) (verbs.ClickOut, error) {
				close(reached)
				<-ctx.Done()
				return verbs.ClickOut{Clicked: in.Selector}, tt.err
			}))
			ctx, interrupt := context.WithCancel(t.Context())
			b.ctx = ctx
			go func() { <-reached; interrupt() }()
			stdout, stderr, status := b.run("click", "#late", "--json")
			if !strings.Contains(stdout, tt.want) || stderr != "" || status != tt.status {
				t.Errorf("click: %q, %q, %d, want %q and %d", stdout, stderr, status, tt.want, tt.status)
			}
		})
	}
}
