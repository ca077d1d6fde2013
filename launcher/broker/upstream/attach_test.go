package broker

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// httpServer starts an HTTP server at an address of this machine and returns its port.
func httpServer(t *testing.T, host string, serve http.HandlerFunc) (port string) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Skipf("no address %s here: %v", host, err)
	}
	s := &http.Server{Handler: serve}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	_, port, err = net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// browserAt serves what a browser does that calls itself so.
func browserAt(version string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/devtools/browser/run-1":
			if conn, err := websocket.Accept(w, r, nil); err == nil {
				_ = conn.Close(websocket.StatusNormalClosure, "")
			}
		case r.URL.Path == "/json/version" && version != "":
			_, _ = fmt.Fprint(w, version)
		default:
			http.NotFound(w, r)
		}
	}
}

// A browser is found at either address of this machine, by what it says of itself,
// by what it noted in its profile, or by its whole address.
func TestAttachFindsTheBrowser(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CONFIG_HOME", "")
	noted := filepath.Join(home.PersonalProfiles(os.LookupEnv)[0], "DevToolsActivePort")
	if err := os.MkdirAll(filepath.Dir(noted), 0o700); err != nil {
		t.Fatal(err)
	}
	const says = `{"webSocketDebuggerUrl":"ws://some.other.name:1/devtools/browser/run-1"}`
	for _, tt := range []struct {
		name, host, version, endpoint string
	}{
		{"at 127.0.0.1", "127.0.0.1", says, "http://localhost:PORT"},
		{"at ::1 alone", "::1", says, "http://localhost:PORT"},
		{"switched on by hand", "127.0.0.1", "", "http://localhost:PORT"},
		{"its whole address", "127.0.0.1", "", "ws://localhost:PORT/devtools/browser/run-1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			port := httpServer(t, tt.host, browserAt(tt.version))
			if err := os.WriteFile(noted, []byte(port+"\n/devtools/browser/run-1"), 0o600); err != nil {
				t.Fatal(err)
			}
			conn, run, err := attach(t.Context(), strings.ReplaceAll(tt.endpoint, "PORT", port))
			if err != nil || run != "/devtools/browser/run-1" {
				t.Fatalf("attach = %q, %v", run, err)
			}
			_ = conn.CloseNow()
		})
	}
}

func TestAttachSaysWhatIsWrong(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	closed := httpServer(t, "127.0.0.1", nil)
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, silent, _ := net.SplitHostPort(l.Addr().String())
	t.Cleanup(func() { _ = l.Close() })
	free, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, nobody, _ := net.SplitHostPort(free.Addr().String())
	_ = free.Close()
	for _, tt := range []struct{ name, endpoint, want string }{
		{"nobody", "http://localhost:" + nobody, "no browser answers at http://localhost:" + nobody},
		{"nobody, by WebSocket", "ws://127.0.0.1:" + nobody + "/secret", "no browser answers at ws://127.0.0.1:" + nobody},
		{"a site", "http://localhost:" + closed, "cannot be attached to"},
		{"one that never answers", "http://localhost:" + silent + "/?token=secret", "does not answer"},
		{"another's JSON", "http://localhost:" + httpServer(t, "127.0.0.1", browserAt(`{"a":1}`)), "no browser with remote debugging"},
		{"a WebSocket that is none", "ws://localhost:" + httpServer(t, "127.0.0.1", browserAt("")) + "/secret", "HTTP status 404"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), testTime)
			defer cancel()
			_, _, err := attach(ctx, tt.endpoint)
			e := wire.AsError(err)
			if !errors.Is(err, wire.CodeNoBrowser) || e.Hint == "" || !strings.Contains(e.Message, tt.want) || strings.Contains(e.Message+e.Hint, "secret") {
				t.Errorf("attach = %+v, want %q", e, tt.want)
			}
		})
	}
}
