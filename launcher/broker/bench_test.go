package broker

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/coder/websocket"

	"github.com/abrowser/abrowser/launcher/broker/pool"
	"github.com/abrowser/abrowser/launcher/broker/queue"
	"github.com/abrowser/abrowser/launcher/broker/statefile"
	"github.com/abrowser/abrowser/launcher/broker/upstream"
	"github.com/abrowser/abrowser/launcher/handover"
	"github.com/abrowser/abrowser/patches"
	"github.com/abrowser/abrowser/sockets/home"
)

// BenchmarkMessage measures how long a request and its reply take, with a small and with a large
// reply. The socket benchmarks measure only a WebSocket, such as a client has to the broker. The
// pipe benchmarks measure only the pipes to the browser. The broker benchmarks measure the whole
// broker, which has both connections. The other side is a fake that replies at once.
func BenchmarkMessage(b *testing.B) {
	for _, size := range []int{100, 30 << 20} {
		b.Run(fmt.Sprintf("socket-%d", size), func(b *testing.B) { benchSocket(b, size) })
		b.Run(fmt.Sprintf("pipe-%d", size), func(b *testing.B) { benchPipe(b, size) })
		b.Run(fmt.Sprintf("broker-%d", size), func(b *testing.B) { benchBroker(b, size) })
	}
}

// fakeBrowser replies to every command with about size bytes, until its input ends.
func fakeBrowser(in io.Reader, out io.Writer, size int) {
	r, w := bufio.NewReaderSize(in, 64<<10), bufio.NewWriterSize(out, 64<<10)
	picture := bytes.Repeat([]byte("x"), size)
	for {
		msg, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		id, _, found := bytes.Cut(bytes.TrimPrefix(bytes.TrimPrefix(msg, []byte{0}), []byte(`{"id":`)), []byte(","))
		switch {
		case !found: // the NUL that a broker sends first
		case !bytes.Contains(msg, []byte("attachToBrowserTarget")):
			fmt.Fprintf(w, `{"id":%s,"result":{"data":"%s"},"sessionId":"C"}`+"\x00", id, picture)
		case bytes.Contains(msg, []byte(`"sessionId":"S"`)):
			fmt.Fprint(w, `{"method":"Target.attachedToTarget","params":{"sessionId":"C","targetInfo":{"targetId":"B","type":"browser"},"waitingForDebugger":false},"sessionId":"S"}`+"\x00")
			fmt.Fprintf(w, `{"id":%s,"result":{"sessionId":"C"},"sessionId":"S"}`+"\x00", id)
		default:
			fmt.Fprintf(w, `{"id":%s,"result":{"sessionId":"S"}}`+"\x00", id)
		}
		if w.Flush() != nil {
			return
		}
	}
}

// startFake returns the connection to a fake browser.
func startFake(t testing.TB, size int) *upstream.Pipe {
	t.Helper()
	browserIn, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, browserOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	var browser sync.WaitGroup
	browser.Go(func() { fakeBrowser(browserIn, browserOut, size) })
	t.Cleanup(func() {
		in.Close()
		out.Close()
		browserIn.Close()
		browser.Wait()
		browserOut.Close()
	})
	return &upstream.Pipe{In: in, Out: out, Queue: queue.New(browserLimit)}
}

// startBroker runs a broker's goroutines between a fake browser and a client, until the test
// ends. It returns the client's connection, on which the CDP session C is attached to the browser.
func startBroker(t testing.TB, p *upstream.Pipe) *websocket.Conn {
	t.Helper()
	ours, file, err := handover.Pair()
	if err != nil {
		t.Fatal(err)
	}
	keeper, err := handover.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	root := home.Root{Dir: t.TempDir()}
	br := &broker{
		log: slog.New(slog.DiscardHandler), inbox: make(chan func(), inboxLength), done: make(chan struct{}),
		clients: map[patches.ClientID]*cdpClient{}, up: p, toBrowser: p.Queue, keeper: ours, reading: reading{limit: readLimit}, large: make(chan struct{}, 1),
		state: statefile.New(root, &handover.Browser{Name: "a", Instance: "1"}),
	}
	if err := os.MkdirAll(root.Path("state"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := br.newPool(os.LookupEnv, pool.State{}); err != nil {
		t.Fatal(err)
	}
	br.mux = patches.New(patches.Options{Transport: br})
	ctx, cancel := context.WithCancel(context.Background())
	messages := make(chan []byte, inboxLength)
	var work sync.WaitGroup
	work.Go(func() {
		for err := error(nil); err == nil; _, err = keeper.Receive() {
		}
	})
	work.Go(func() { _ = p.Write(ctx) })
	work.Go(func() { _ = p.Read(func(msg []byte) { messages <- msg }) })
	work.Go(func() { defer close(br.done); br.run(ctx, messages) })
	t.Cleanup(func() {
		cancel()
		p.In.Close()
		p.Out.Close()
		ours.Close()
		work.Wait()
	})
	conn := dial(t, br.endpoint)
	if err := conn.Write(t.Context(), websocket.MessageText, []byte(`{"id":1,"method":"Target.attachToBrowserTarget"}`)); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the event and the reply
		if _, _, err := conn.Read(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return conn
}

const request = `{"id":7,"method":"Browser.getVersion","params":{},"sessionId":"C"}`

func benchPipe(b *testing.B, size int) {
	p := startFake(b, size)
	replies := make(chan int)
	var work sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	work.Go(func() { _ = p.Write(ctx) })
	work.Go(func() { _ = p.Read(func(msg []byte) { replies <- len(msg) }) })
	b.SetBytes(int64(size))
	for b.Loop() {
		p.Queue.Put([]byte(request))
		<-replies
	}
	cancel()
	p.In.Close()
	p.Out.Close()
	work.Wait()
}

// callOver sends the request and reads the whole reply.
func callOver(b *testing.B, conn *websocket.Conn, size int) {
	if err := conn.Write(b.Context(), websocket.MessageText, []byte(request)); err != nil {
		b.Fatal(err)
	}
	_, r, err := conn.Reader(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, r); err != nil || n < int64(size) {
		b.Fatalf("a reply of %d bytes, %v", n, err)
	}
}

// dial serves WebSockets at a Unix socket and connects to it.
func dial(b testing.TB, serve http.HandlerFunc) *websocket.Conn {
	b.Helper()
	socket := filepath.Join(b.TempDir(), "s")
	listener, err := (&net.ListenConfig{}).Listen(b.Context(), "unix", socket)
	if err != nil {
		b.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{name}", serve)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: testTime}
	go func() { _ = server.Serve(listener) }() // Serve returns after Close
	b.Cleanup(func() { server.Close() })
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}}}
	conn, _, err := websocket.Dial(b.Context(), "ws://x/a", &websocket.DialOptions{HTTPClient: client}) //nolint:bodyclose // the dialer has closed it
	if err != nil {
		b.Fatal(err)
	}
	conn.SetReadLimit(upstream.MaxMessage)
	b.Cleanup(func() { _ = conn.CloseNow() })
	return conn
}

func benchSocket(b *testing.B, size int) {
	reply := []byte(`{"id":7,"result":{"data":"` + string(bytes.Repeat([]byte("x"), size)) + `"}}`)
	conn := dial(b, func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled})
		for err == nil {
			if _, _, err = conn.Read(r.Context()); err == nil {
				err = conn.Write(r.Context(), websocket.MessageText, reply)
			}
		}
	})
	b.SetBytes(int64(size))
	for b.Loop() {
		callOver(b, conn, size)
	}
}

func benchBroker(b *testing.B, size int) {
	conn := startBroker(b, startFake(b, size))
	b.ReportAllocs()
	b.SetBytes(int64(size))
	for b.Loop() {
		callOver(b, conn, size)
	}
}
