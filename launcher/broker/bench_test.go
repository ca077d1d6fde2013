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

	"github.com/abrowser/abrowser/launcher/handover"
	"github.com/abrowser/abrowser/patches"
	"github.com/abrowser/abrowser/sockets/home"
)

// What the broker adds to a message and its reply, and to a large reply: the time
// through it, beside that of its two ways alone, the client's WebSocket and the
// browser's pipe. The browser answers at once.
func BenchmarkMessage(b *testing.B) {
	for _, size := range []int{100, 30 << 20} {
		b.Run(fmt.Sprintf("socket-%d", size), func(b *testing.B) { benchSocket(b, size) })
		b.Run(fmt.Sprintf("pipe-%d", size), func(b *testing.B) { benchPipe(b, size) })
		b.Run(fmt.Sprintf("broker-%d", size), func(b *testing.B) { benchBroker(b, size) })
	}
}

// fakeBrowser answers every command with a reply of about size bytes, until its
// input ends.
func fakeBrowser(in io.Reader, out io.Writer, size int) {
	r, w := bufio.NewReaderSize(in, pipeBuffer), bufio.NewWriterSize(out, pipeBuffer)
	picture := bytes.Repeat([]byte("x"), size)
	for {
		msg, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		id, _, found := bytes.Cut(bytes.TrimPrefix(bytes.TrimPrefix(msg, []byte{0}), []byte(`{"id":`)), []byte(","))
		switch {
		case !found: // the NUL that a broker begins with
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

// pipes are a pipe to a fake browser.
func pipes(t testing.TB, size int) *pipe {
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
	return &pipe{in: in, out: out, q: newQueue(pipeLimit)}
}

// between is a broker's inside between a fake browser and a client, whose session C
// is one below its root. It ends with the test.
func between(t testing.TB, p *pipe) *websocket.Conn {
	t.Helper()
	ours, file, err := handover.Pair()
	if err != nil {
		t.Fatal(err)
	}
	keeper, err := handover.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	br := &broker{
		log: slog.New(slog.DiscardHandler), inbox: make(chan func(), inboxLength), over: make(chan struct{}),
		lines: map[patches.ClientID]*line{}, up: p, q: p.q, keeper: ours,
		table: tableOf(home.Root{Dir: t.TempDir()}, &handover.Browser{Name: "a", Instance: "1"}),
	}
	if err := os.MkdirAll(filepath.Dir(br.table.path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := br.newPool(os.LookupEnv); err != nil {
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
	work.Go(func() { _ = p.write(ctx) })
	work.Go(func() { _ = p.read(func(msg []byte) { messages <- msg }) })
	work.Go(func() { defer close(br.over); br.run(ctx, messages) })
	t.Cleanup(func() {
		cancel()
		p.in.Close()
		p.out.Close()
		ours.Close()
		work.Wait()
	})
	conn := dialled(t, br.endpoint)
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

const question = `{"id":7,"method":"Browser.getVersion","params":{},"sessionId":"C"}`

func benchPipe(b *testing.B, size int) {
	p := pipes(b, size)
	answers := make(chan int)
	var work sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	work.Go(func() { _ = p.write(ctx) })
	work.Go(func() { _ = p.read(func(msg []byte) { answers <- len(msg) }) })
	b.SetBytes(int64(size))
	for b.Loop() {
		p.q.put([]byte(question))
		<-answers
	}
	cancel()
	p.in.Close()
	p.out.Close()
	work.Wait()
}

// askOver sends the question and reads the whole answer.
func askOver(b *testing.B, conn *websocket.Conn, size int) {
	if err := conn.Write(b.Context(), websocket.MessageText, []byte(question)); err != nil {
		b.Fatal(err)
	}
	_, r, err := conn.Reader(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, r); err != nil || n < int64(size) {
		b.Fatalf("an answer of %d bytes, %v", n, err)
	}
}

// dialled serves WebSockets at a Unix socket and connects to it.
func dialled(b testing.TB, serve http.HandlerFunc) *websocket.Conn {
	b.Helper()
	socket := filepath.Join(b.TempDir(), "s")
	listener, err := (&net.ListenConfig{}).Listen(b.Context(), "unix", socket)
	if err != nil {
		b.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{name}", serve)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: testTime}
	go func() { _ = server.Serve(listener) }() // ends with Close
	b.Cleanup(func() { server.Close() })
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}}}
	conn, _, err := websocket.Dial(b.Context(), "ws://x/a", &websocket.DialOptions{HTTPClient: client}) //nolint:bodyclose // the dialer has closed it
	if err != nil {
		b.Fatal(err)
	}
	conn.SetReadLimit(maxMessage)
	b.Cleanup(func() { _ = conn.CloseNow() })
	return conn
}

func benchSocket(b *testing.B, size int) {
	answer := []byte(`{"id":7,"result":{"data":"` + string(bytes.Repeat([]byte("x"), size)) + `"}}`)
	conn := dialled(b, func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled})
		for err == nil {
			if _, _, err = conn.Read(r.Context()); err == nil {
				err = conn.Write(r.Context(), websocket.MessageText, answer)
			}
		}
	})
	b.SetBytes(int64(size))
	for b.Loop() {
		askOver(b, conn, size)
	}
}

func benchBroker(b *testing.B, size int) {
	conn := between(b, pipes(b, size))
	b.ReportAllocs()
	b.SetBytes(int64(size))
	for b.Loop() {
		askOver(b, conn, size)
	}
}
