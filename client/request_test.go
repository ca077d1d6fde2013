package client

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

func TestMessage(t *testing.T) {
	whole := Client{
		Session: "a\r\nX: y\n\nz", Build: "b1", Agent: "ä", OwnerProcess: "1.2",
		Settings: wire.Settings{Args: []string{"--x\r\nX: y"}},
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	over, stop := context.WithTimeout(t.Context(), -time.Hour)
	defer stop()
	tests := []struct {
		name   string
		ctx    context.Context
		caller Client
		q      question
		want   http.Header // all of it
	}{
		{
			"hello", t.Context(),
			Client{},
			question{method: methodGet, path: wire.PathHello},
			http.Header{wire.HeaderProtocol: {"1"}},
		},
		{
			"a verb", over,
			Client{Session: "a"},
			question{method: methodPost, path: "/v1/click", body: []byte("{}\r\n\r\n")},
			http.Header{
				wire.HeaderProtocol: {"1"}, wire.HeaderSession: {"a"}, wire.HeaderDeadline: {"1"},
				"Content-Type": {"application/json"}, "Content-Length": {"6"},
			},
		},
		{
			"all there is", ctx, whole,
			question{method: methodPost, path: "/v1/click"},
			http.Header{
				wire.HeaderProtocol: {"1"}, wire.HeaderSession: {"a  X: y  z"}, wire.HeaderBuild: {"b1"}, wire.HeaderAgent: {"ä"},
				wire.HeaderOwner: {"1.2"}, wire.HeaderDeadline: {"35"}, wire.HeaderSettings: {`{"args":["--x\r\nX: y"]}`},
				"Content-Type": {"application/json"}, "Content-Length": {"0"},
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, err := tt.caller.message(tt.ctx, tt.q)
			must(t, err)
			r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(m)))
			must(t, err)
			body, err := io.ReadAll(r.Body)
			must(t, err)
			if r.Method != tt.q.method || r.URL.Path != tt.q.path || r.Host == "" || r.ProtoMinor != 1 || !bytes.Equal(body, tt.q.body) {
				t.Errorf("message() = %q", m)
			}
			if len(r.Header) != len(tt.want) {
				t.Errorf("the head is %q, want %q", r.Header, tt.want)
			}
			for name, want := range tt.want {
				if got := r.Header[name]; len(got) != 1 || !strings.HasPrefix(got[0], want[0]) || name != wire.HeaderDeadline && got[0] != want[0] {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
		})
	}
}
