package client

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/abrowser/abrowser/sockets/wire"
)

func TestResponseReader(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	errMore := errors.New("read beyond the response")
	tests := []struct {
		name, input string
		after       error // the error of a read after the end of the input; nil means io.EOF
		want        response
		err         string // a part of the error; empty for success
	}{
		{"kept alive", ok + "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}", errMore, response{200, []byte("{}"), true}, ""},
		{"kept alive on request", ok + "Connection: keep-alive\r\nContent-Length: 2\r\n\r\n{}", errMore, response{200, []byte("{}"), true}, ""},
		{"any case, bare newlines", "HTTP/1.1 200 OK\ncontent-LENGTH:2\n\n{}", errMore, response{200, []byte("{}"), true}, ""},
		{"no body", ok + "Content-Length: 0\r\n\r\n", errMore, response{200, []byte{}, true}, ""},
		{"no reason", "HTTP/1.1 404\r\nContent-Length: 2\r\n\r\n{}", errMore, response{404, []byte("{}"), true}, ""},
		{"a large body", ok + "Content-Length: 300000\r\n\r\n" + strings.Repeat("abc", 100_000), errMore, response{200, []byte(strings.Repeat("abc", 100_000)), true}, ""},
		{"more than the body", ok + "Content-Length: 2\r\n\r\n{}HTTP/1.1", errMore, response{200, []byte("{}"), true}, ""},
		{"closed", ok + "Content-Length: 2\r\nConnection: close\r\n\r\n{}", errMore, response{200, []byte("{}"), false}, ""},
		{"closed, among others", ok + "Content-Length: 2\r\nConnection: x\r\nConnection: y, Close\r\n\r\n{}", errMore, response{200, []byte("{}"), false}, ""},
		{"no length, closed", "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n400 Bad Request", nil, response{400, []byte("400 Bad Request"), false}, ""},
		{"no length, closed, no body", "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n", nil, response{400, []byte{}, false}, ""},
		{"no length, lost", ok + "Connection: close\r\n\r\n{}", errMore, response{}, errMore.Error()},
		{"no length", ok + "\r\n{}", nil, response{}, "no length"},
		{"nothing", "", nil, response{}, "unexpected EOF"},
		{"cut in the status", "HTTP/1.1 2", nil, response{}, "status line"},
		{"cut after the status", ok, nil, response{}, "unexpected EOF"},
		{"cut in the head", ok + "Content-Length: 2\r\n", nil, response{}, "unexpected EOF"},
		{"cut in a length", ok + "Content-Length: 2", nil, response{}, "unexpected EOF"},
		{"cut before the body", ok + "Content-Length: 2\r\n\r\n", nil, response{}, "unexpected EOF"},
		{"cut in the body", ok + "Content-Length: 2\r\n\r\n{", nil, response{}, "unexpected EOF"},
		{"cut in a large body", ok + "Content-Length: 300000\r\n\r\n" + strings.Repeat("x", firstPart), nil, response{}, "unexpected EOF"},
		{"cut in the body, closed", ok + "Content-Length: 2\r\nConnection: close\r\n\r\n{", nil, response{}, "unexpected EOF"},
		{"in chunks", ok + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", errMore, response{}, "transfer encoding"},
		{"in chunks, with a length", ok + "Content-Length: 2\r\nTransfer-Encoding: identity\r\n\r\n{}", errMore, response{}, "transfer encoding"},
		{"a negative length", ok + "Content-Length: -1\r\n\r\n{}", errMore, response{}, "length"},
		{"a signed length", ok + "Content-Length: +2\r\n\r\n{}", errMore, response{}, "length"},
		{"an empty length", ok + "Content-Length:\r\n\r\n{}", errMore, response{}, "length"},
		{"two lengths", ok + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", errMore, response{}, "length"},
		{"a length above the limit", ok + "Content-Length: 268435457\r\n\r\n{}", errMore, response{}, "more than 268435456 bytes"},
		{"a length above all limits", ok + "Content-Length: 99999999999999999999999\r\n\r\n{}", errMore, response{}, "more than 268435456 bytes"},
		{"no header", ok + "hi\r\n\r\n", errMore, response{}, "malformed"},
		{"a header without a name", ok + ": 2\r\n\r\n", errMore, response{}, "malformed"},
		{"a continuation before the first header", ok + " Content-Length: 2\r\n\r\n{}", errMore, response{}, "malformed"},
		{"HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}", errMore, response{}, "status line"},
		{"HTTP/2", "HTTP/2 200\r\nContent-Length: 2\r\n\r\n{}", errMore, response{}, "status line"},
		{"an informational response", "HTTP/1.1 100 Continue\r\n\r\n", errMore, response{}, "status line"},
		{"a status too large", "HTTP/1.1 600 OK\r\nContent-Length: 2\r\n\r\n{}", errMore, response{}, "status line"},
		{"a status too short", "HTTP/1.1 20 OK\r\nContent-Length: 2\r\n\r\n{}", errMore, response{}, "status line"},
		{"a status too long", "HTTP/1.1 0200 OK\r\nContent-Length: 2\r\n\r\n{}", errMore, response{}, "status line"},
		{"a signed status", "HTTP/1.1 +20 OK\r\nContent-Length: 2\r\n\r\n{}", errMore, response{}, "status line"},
		{"two spaces", "HTTP/1.1  200 OK\r\nContent-Length: 2\r\n\r\n{}", errMore, response{}, "status line"},
		{"an empty line", "\r\n" + ok + "Content-Length: 2\r\n\r\n{}", errMore, response{}, "status line"},
		{"garbage", "hi\n\n", errMore, response{}, "status line"},
		{"TLS", "\x16\x03\x01\x02\x00\x01\n", errMore, response{}, "status line"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for how, read := range map[string]func(io.Reader) io.Reader{
				"whole": func(r io.Reader) io.Reader { return r }, "by bytes": iotest.OneByteReader,
			} {
				var input io.Reader = strings.NewReader(tt.input)
				if tt.after != nil {
					input = io.MultiReader(input, iotest.ErrReader(tt.after))
				}
				got, err := newResponseReader(read(input)).next()
				if (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
					t.Errorf("%s: next() = %v, want %q", how, err, tt.err)
				}
				if got.status != tt.want.status || string(got.body) != string(tt.want.body) || got.keepAlive != tt.want.keepAlive {
					t.Errorf("%s: next() = %d %.100q, kept %v, want %d %.100q, kept %v", how,
						got.status, got.body, got.keepAlive, tt.want.status, tt.want.body, tt.want.keepAlive)
				}
			}
		})
	}
}

func TestSuccessiveResponses(t *testing.T) {
	const n = 100 // n responses together are larger than the limit for one head
	body := strings.Repeat("x", maxHead/10)
	a := newResponseReader(strings.NewReader(strings.Repeat("HTTP/1.1 200 OK\r\nContent-Length: 6553\r\n\r\n"+body, n)))
	for i := range n {
		if got, err := a.next(); err != nil || string(got.body) != body || !got.keepAlive {
			t.Fatalf("response %d = %d %.100q, %v", i, got.status, got.body, err)
		}
	}
	if got, err := a.next(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("reading after the last response = %+v, %v", got, err)
	}
}

// endless is an io.Reader that repeats a text until it has returned a given number of bytes. After
// that, Read returns io.EOF.
type endless struct {
	text      string
	remaining int // bytes that are still to be returned
}

func (e *endless) Read(p []byte) (int, error) {
	if e.remaining <= 0 {
		return 0, io.EOF
	}
	n := copy(p, e.text)
	e.remaining -= n
	return n, nil
}

func TestHeadLimit(t *testing.T) {
	const enough = 4 << 20
	for name, tt := range map[string]struct{ begin, more string }{
		"status": {"HTTP/1.1 200 ", "O"},
		"line":   {"HTTP/1.1 200 OK\r\nX: ", "x"},
		"lines":  {"HTTP/1.1 200 OK\r\n", "X: x\r\n"},
		"folded": {"HTTP/1.1 200 OK\r\nX: x\r\n", " x\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			more := &endless{tt.more, enough}
			_, err := newResponseReader(io.MultiReader(strings.NewReader(tt.begin), more)).next()
			if took := enough - more.remaining; err == nil || !strings.Contains(err.Error(), "more than 65536 bytes") || took > maxHead {
				t.Errorf("next() = %v after %d bytes", err, took)
			}
		})
	}
}

func TestBodyLimit(t *testing.T) {
	for input, want := range map[string]error{strings.Repeat("x", 1000): nil, strings.Repeat("x", 1001): wire.CodeTooLarge} {
		a := newResponseReader(strings.NewReader(input))
		a.limit.N = 4 << 10
		if body, err := a.body(-1, 1000); !errors.Is(err, want) || err == nil && string(body) != input {
			t.Errorf("body() of %d bytes with a limit of 1000 = %d bytes, %v, want %v", len(input), len(body), err, want)
		}
	}
}

// TestLengthAllocatesNothing checks that the reader allocates memory for the bytes that have
// arrived, and not for the announced length.
func TestLengthAllocatesNothing(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := newResponseReader(strings.NewReader("HTTP/1.1 200 OK\r\nContent-Length: 268435456\r\n\r\n{")).next()
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, io.ErrUnexpectedEOF) || took > 1<<20 {
		t.Errorf("next() = %v with %d bytes of memory", err, took)
	}
}
