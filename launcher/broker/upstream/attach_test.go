package upstream

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
	"time"

	"github.com/coder/websocket"

	"github.com/abrowser/abrowser/launcher/broker/queue"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// httpServer starts an HTTP server at a loopback address and returns its port.
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

// browserAt returns the HTTP handler of a browser that returns version from /json/version, or
// status 404 if version is empty.
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

// Attach finds a browser at either loopback address. It gets the address of the WebSocket from the
// endpoint itself, from /json/version, or from the file in the browser's profile.
func TestAttach(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CONFIG_HOME", "")
	portFile := filepath.Join(home.PersonalProfiles(os.LookupEnv)[0], "DevToolsActivePort")
	if err := os.MkdirAll(filepath.Dir(portFile), 0o700); err != nil {
		t.Fatal(err)
	}
	const version = `{"webSocketDebuggerUrl":"ws://some.other.name:1/devtools/browser/run-1"}`
	for _, tt := range []struct {
		name, host, version, endpoint string
	}{
		{"at 127.0.0.1", "127.0.0.1", version, "http://localhost:PORT"},
		{"at ::1 only", "::1", version, "http://localhost:PORT"},
		{"enabled at chrome://inspect", "127.0.0.1", "", "http://localhost:PORT"},
		{"the WebSocket's address", "127.0.0.1", "", "ws://localhost:PORT/devtools/browser/run-1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			port := httpServer(t, tt.host, browserAt(tt.version))
			if err := os.WriteFile(portFile, []byte(port+"\n/devtools/browser/run-1"), 0o600); err != nil {
				t.Fatal(err)
			}
			conn, run, err := Attach(t.Context(), strings.ReplaceAll(tt.endpoint, "PORT", port), queue.New(1))
			if err != nil || run != "/devtools/browser/run-1" {
				t.Fatalf("Attach() = %q, %v", run, err)
			}
			_ = conn.Close()
		})
	}
}

func TestAttachErrors(t *testing.T) {
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
	_, unused, _ := net.SplitHostPort(free.Addr().String())
	_ = free.Close()
	for _, tt := range []struct{ name, endpoint, want string }{
		{"nothing listens", "http://localhost:" + unused, "no browser answers at http://localhost:" + unused},
		{"nothing listens, by WebSocket", "ws://127.0.0.1:" + unused + "/secret", "no browser answers at ws://127.0.0.1:" + unused},
		{"a web site", "http://localhost:" + closed, "attaching to the browser at"},
		{"no response", "http://localhost:" + silent + "/?token=secret", "does not answer"},
		{"other JSON", "http://localhost:" + httpServer(t, "127.0.0.1", browserAt(`{"a":1}`)), "not a browser with remote debugging"},
		{"no WebSocket", "ws://localhost:" + httpServer(t, "127.0.0.1", browserAt("")) + "/secret", "HTTP status 404"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			_, _, err := Attach(ctx, tt.endpoint, queue.New(1))
			e := wire.AsError(err)
			if !errors.Is(err, wire.CodeNoBrowser) || e.Hint == "" || !strings.Contains(e.Message, tt.want) || strings.Contains(e.Message+e.Hint, "secret") {
				t.Errorf("Attach() = %+v, want %q", e, tt.want)
			}
		})
	}
}
