package loopback

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/abrowser/abrowser/sockets/socketstest"
)

func TestMain(m *testing.M) { socketstest.Main(m, child) }

// child is the main function of the processes that tests start. It connects to a port, sends a
// request and prints the first line of the response, or "closed". In the role ask6, it uses an IPv6
// socket with an IPv4 address. In the role leave, it closes the connection after sending, without
// reading.
func child(role string, args []string) int {
	conn, err := connect(role, args[0])
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer conn.Close()
	_, err = io.WriteString(conn, args[1])
	if role == "leave" {
		conn.Close()
		fmt.Println("sent", err)
		return 0
	}
	fmt.Println(firstLine(conn))
	_, _ = os.Stdin.Read(make([]byte, 1))
	return 0
}

func connect(role, port string) (net.Conn, error) {
	if role != "ask6" {
		return (&net.Dialer{}).DialContext(context.Background(), "tcp4", "127.0.0.1:"+port)
	}
	fd, err := unix.Socket(unix.AF_INET6, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(fd), "socket")
	defer file.Close()
	n, err := strconv.Atoi(port)
	if err != nil {
		return nil, err
	}
	if err := unix.Connect(fd, &unix.SockaddrInet6{Port: n, Addr: netip.MustParseAddr("::ffff:127.0.0.1").As16()}); err != nil {
		return nil, err
	}
	return net.FileConn(file)
}

// firstLine returns the first line that arrives on a connection, or "closed" if the connection is
// closed before.
func firstLine(conn net.Conn) string {
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return "closed"
	}
	return strings.TrimSpace(line)
}

// lockedLog is a log that can be read while it is written.
type lockedLog struct {
	mu  sync.Mutex // guards buf
	buf bytes.Buffer
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *lockedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// rig is a server that responds with the path and the method of a request.
type rig struct {
	*Server
	log    *lockedLog
	served *atomic.Int64 // calls of the handler
	end    func()        // ends the server and waits for it; called when the test ends
}

// start starts a server and ends it when the test ends. If change is not nil, start first calls
// change(), which can modify the server.
func start(t *testing.T, change func(*Server)) *rig {
	t.Helper()
	log, served := &lockedLog{}, &atomic.Int64{}
	s, err := Listen(t.Context(), Options{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			served.Add(1)
			fmt.Fprint(w, r.Method, " ", r.URL.RequestURI())
		}),
		Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	must(t, err)
	if change != nil {
		change(s)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	r := &rig{Server: s, log: log, served: served}
	r.end = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Serve() = %v", err)
		}
		if strings.Contains(log.String(), s.token) {
			t.Errorf("the log contains the token: %s", log.String())
		}
	})
	t.Cleanup(r.end)
	return r
}

func (r *rig) address() string { return "127.0.0.1:" + r.port }

// dial connects to the server. The connection is closed when the test ends.
func (r *rig) dial(t *testing.T) net.Conn {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp4", r.address())
	must(t, err)
	t.Cleanup(func() { conn.Close() })
	must(t, conn.SetDeadline(time.Now().Add(40*time.Second)))
	return conn
}

// send sends the head of a request and returns the status and the body of the response.
func (r *rig) send(t *testing.T, head ...string) (status int, body string) {
	t.Helper()
	conn := r.dial(t)
	defer conn.Close()
	_, err := io.WriteString(conn, strings.Join(head, "\r\n")+"\r\n\r\n")
	must(t, err)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	must(t, err)
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	must(t, err)
	return response.StatusCode, string(raw)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
