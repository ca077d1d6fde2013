package loopback

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

func TestRequests(t *testing.T) {
	r := start(t, nil)
	wrong := strings.Repeat("0", len(r.token))
	tests := []struct {
		name   string
		head   []string // TOKEN and PORT stand for the server's token and port
		status int
		body   string // a part of the body
	}{
		{"allowed", []string{"GET /TOKEN/json/version?a=b HTTP/1.1", "Host: 127.0.0.1:PORT"}, 200, "GET /json/version?a=b"},
		{"with a slash at the end", []string{"GET /TOKEN/ HTTP/1.1", "Host: 127.0.0.1:PORT"}, 200, "GET /"},
		{"the token alone", []string{"PUT /TOKEN HTTP/1.1", "Host: 127.0.0.1:PORT"}, 200, "PUT /"},
		{"localhost", []string{"GET /TOKEN/a HTTP/1.1", "Host: LocalHost:PORT"}, 200, "GET /a"},
		{"an IPv6 address", []string{"GET /TOKEN/a HTTP/1.1", "Host: [::1]"}, 200, "GET /a"},
		{"its own origin", []string{"GET /TOKEN/a HTTP/1.1", "Host: 127.0.0.1:PORT", "Origin: http://127.0.0.1:PORT"}, 200, "GET /a"},

		{"a rebound name", []string{"GET /TOKEN/a HTTP/1.1", "Host: evil.example:PORT"}, 403, "Host"},
		{"a name like localhost", []string{"GET /TOKEN/a HTTP/1.1", "Host: localhost.evil.example:PORT"}, 403, "Host"},
		{"a name that begins as an address", []string{"GET /TOKEN/a HTTP/1.1", "Host: 127.0.0.1.evil.example"}, 403, "Host"},
		{"a name in the URL", []string{"GET http://evil.example/TOKEN/a HTTP/1.1", "Host: 127.0.0.1:PORT"}, 403, "Host"},
		{"no host", []string{"GET /TOKEN/a HTTP/1.0"}, 403, "Host"},
		{"a web page", []string{"GET /TOKEN/a HTTP/1.1", "Host: 127.0.0.1:PORT", "Origin: https://evil.example"}, 403, "web pages"},
		{"a file's page", []string{"GET /TOKEN/a HTTP/1.1", "Host: 127.0.0.1:PORT", "Origin: null"}, 403, "web pages"},
		{"an empty origin", []string{"GET /TOKEN/a HTTP/1.1", "Host: 127.0.0.1:PORT", "Origin:"}, 403, "web pages"},
		{"a page of another port", []string{"GET /TOKEN/a HTTP/1.1", "Host: 127.0.0.1:PORT", "Origin: http://127.0.0.1:1"}, 403, "web pages"},
		{"two origins", []string{"GET /TOKEN/a HTTP/1.1", "Host: 127.0.0.1:PORT", "Origin: http://127.0.0.1:PORT", "Origin: https://evil.example"}, 403, "web pages"},
		{"an extension", []string{"GET /TOKEN/a HTTP/1.1", "Host: 127.0.0.1:PORT", "Origin: chrome-extension://abcdefgh"}, 403, "web pages"},
		{"no token", []string{"GET /json/version HTTP/1.1", "Host: 127.0.0.1:PORT"}, 403, "token"},
		{"no path", []string{"GET / HTTP/1.1", "Host: 127.0.0.1:PORT"}, 403, "token"},
		{"a wrong token", []string{"GET /" + wrong + "/a HTTP/1.1", "Host: 127.0.0.1:PORT"}, 403, "token"},
		{"half of the token", []string{"GET /" + r.token[:16] + "/a HTTP/1.1", "Host: 127.0.0.1:PORT"}, 403, "token"},
		{"the token in upper case", []string{"GET /" + strings.ToUpper(r.token) + "X/a HTTP/1.1", "Host: 127.0.0.1:PORT"}, 403, "token"},
		{"the token as a parameter", []string{"GET /a?TOKEN HTTP/1.1", "Host: 127.0.0.1:PORT"}, 403, "token"},
		{"a head of 40 KB", []string{"GET /TOKEN/a HTTP/1.1", "Host: 127.0.0.1:PORT", "X: " + strings.Repeat("x", 40<<10)}, 431, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			head := strings.NewReplacer("TOKEN", r.token, "PORT", r.port).Replace(strings.Join(tt.head, "\r\n"))
			status, body := r.send(t, head)
			if status != tt.status || !strings.Contains(body, tt.body) {
				t.Errorf("the response is %d %q, want %d with %q", status, body, tt.status, tt.body)
			}
			if strings.Contains(body, r.token) {
				t.Errorf("the response contains the token: %s", body)
			}
		})
	}
	if !strings.Contains(r.log.String(), "refused a request") || strings.Contains(r.log.String(), "evil") {
		t.Errorf("the log is %s", r.log)
	}
}

// Requests of Chromium's DevTools are allowed only if the server's options allow them.
func TestDevTools(t *testing.T) {
	for allowed, want := range map[bool]int{true: 200, false: 403} {
		r := start(t, func(s *Server) { s.o.DevTools = allowed })
		head := func(origin string) string {
			return "GET /" + r.token + "/a HTTP/1.1\r\nHost: 127.0.0.1:" + r.port + "\r\nOrigin: " + origin
		}
		if status, body := r.send(t, head("devtools://devtools")); status != want {
			t.Errorf("allowed %t: the response is %d %q", allowed, status, body)
		}
		for _, origin := range []string{"devtools://other", "devtools://devtools.evil.example", "https://devtools"} {
			if status, body := r.send(t, head(origin)); status != 403 {
				t.Errorf("allowed %t: the response to %s is %d %q", allowed, origin, status, body)
			}
		}
	}
}

// A server refuses the token of a server that has ended.
func TestTokenEndsWithTheServer(t *testing.T) {
	first := start(t, nil)
	first.end()
	if _, err := (&net.Dialer{}).DialContext(t.Context(), "tcp4", first.address()); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("connecting to a server that has ended: %v", err)
	}
	second := start(t, nil)
	if first.token == second.token {
		t.Error("two servers have the same token")
	}
	if status, _ := second.send(t, "GET /"+first.token+"/a HTTP/1.1", "Host: 127.0.0.1"); status != http.StatusForbidden {
		t.Errorf("the response to the first server's token is %d", status)
	}
}

func TestPortInUse(t *testing.T) {
	r := start(t, nil)
	var port int
	_, _ = fmt.Sscan(r.port, &port)
	if _, err := Listen(t.Context(), Options{Port: port}); !errors.Is(err, wire.CodeHeld) {
		t.Errorf("Listen() on a port in use = %v, want %s", err, wire.CodeHeld)
	}
	for _, port := range []int{-1, 65536} {
		if _, err := Listen(t.Context(), Options{Port: port}); !errors.Is(err, wire.CodeBadInput) {
			t.Errorf("Listen() on port %d = %v, want %s", port, err, wire.CodeBadInput)
		}
	}
}

// The server accepts connections at no address except 127.0.0.1.
func TestOnlyLoopback(t *testing.T) {
	r := start(t, nil)
	others := []string{"[::1]:" + r.port, "127.0.0.2:" + r.port}
	addresses, err := net.InterfaceAddrs()
	must(t, err)
	for _, a := range addresses {
		if ip, _, err := net.ParseCIDR(a.String()); err == nil && ip.IsGlobalUnicast() {
			others = append(others, net.JoinHostPort(ip.String(), r.port))
		}
	}
	for _, other := range others {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		if conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", other); err == nil {
			conn.Close()
			t.Errorf("%s accepts connections", other)
		}
		cancel()
	}
}

// The server stops reading a head that is longer than maxHead bytes, and closes the connection.
func TestEndlessHead(t *testing.T) {
	r := start(t, nil)
	conn := r.dial(t)
	_, err := io.WriteString(conn, "GET /"+r.token+"/a HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ")
	must(t, err)
	chunk, sent := []byte(strings.Repeat("x", 64<<10)), 0
	for err == nil && sent < 64<<20 {
		var n int
		n, err = conn.Write(chunk)
		sent += n
	}
	if err == nil || errors.Is(err, syscall.ETIMEDOUT) {
		t.Errorf("the server read %d bytes of a head (%v)", sent, err)
	}
}

// A hundred clients that send half a request, or nothing, delay no other client. They cost little
// memory, and the server disconnects them at the deadline.
func TestSlowClients(t *testing.T) {
	const clients = 100
	r := start(t, func(s *Server) { s.headTime = time.Second })
	var before, during runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var slow []net.Conn
	for i := range clients {
		conn := r.dial(t)
		if i%2 == 0 { // the other clients send nothing
			_, err := io.WriteString(conn, "GET /"+r.token+"/a HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "+strings.Repeat("x", 4<<10))
			must(t, err)
		}
		slow = append(slow, conn)
	}
	if status, _ := r.send(t, "GET /"+r.token+"/a HTTP/1.1", "Host: 127.0.0.1"); status != 200 {
		t.Errorf("the response beside %d slow clients is %d", clients, status)
	}
	runtime.GC()
	runtime.ReadMemStats(&during)
	if used := int64(during.HeapAlloc) - int64(before.HeapAlloc); used > clients*64<<10 {
		t.Errorf("%d slow clients use %d bytes", clients, used)
	}
	began := time.Now()
	for _, conn := range slow {
		if line := firstLine(conn); strings.Contains(line, " 200 ") {
			t.Errorf("the response to half a request is %q", line)
		}
	}
	if waited := time.Since(began); waited > 4*time.Second {
		t.Errorf("slow clients are disconnected after %s", waited)
	}
}

// The server accepts at most maxClients connections. When one of them is closed, the server accepts
// another one.
func TestTooManyClients(t *testing.T) {
	r := start(t, nil)
	var open []net.Conn
	for range maxClients {
		open = append(open, r.dial(t))
	}
	over := r.dial(t)
	if line := firstLine(over); line != "closed" {
		t.Errorf("the connection over the limit got %q", line)
	}
	head := "GET /" + r.token + "/a HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
	_, err := io.WriteString(open[0], head)
	must(t, err)
	if _, err := io.ReadAll(open[0]); err != nil { // until the server closes the connection
		t.Fatal(err)
	}
	open[0].Close()
	// The server may count the closed connection a moment longer.
	for end := time.Now().Add(20 * time.Second); ; {
		conn := r.dial(t)
		if _, err := io.WriteString(conn, head); err == nil && strings.Contains(firstLine(conn), " 200 ") {
			break
		}
		if time.Now().After(end) {
			t.Fatal("a closed connection makes no room")
		}
	}
}

// When a server ends, it cancels the contexts of handlers that have hijacked their connections,
// and waits for these handlers.
func TestEndWaitsForHijackers(t *testing.T) {
	began, ended := make(chan struct{}), make(chan struct{})
	r := start(t, func(s *Server) {
		s.o.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				defer conn.Close()
			}
			close(began)
			<-r.Context().Done()
			close(ended)
		})
	})
	_, err := io.WriteString(r.dial(t), "GET /"+r.token+"/a HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
	must(t, err)
	<-began
	r.end()
	select {
	case <-ended:
	default:
		t.Error("Serve() returned while a handler was running")
	}
}

func TestAddressesInTheTable(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has the table")
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp4", "127.0.0.1:0")
	must(t, err)
	defer listener.Close()
	at, err := netip.ParseAddrPort(listener.Addr().String())
	must(t, err)
	if uid, _, err := socketUser(at, at); err == nil {
		t.Errorf("a socket that is not connected belongs to %d", uid)
	}
}
