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

func TestEncode(t *testing.T) {
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
		client Client
		r      request
		want   http.Header // all headers of the request
	}{
		{
			"hello", t.Context(),
			Client{},
			request{method: methodGet, path: wire.PathHello},
			http.Header{wire.HeaderProtocol: {"1"}},
		},
		{
			"a verb", over,
			Client{Session: "a"},
			request{method: methodPost, path: "/v1/click", body: []byte("{}\r\n\r\n")},
			http.Header{
				wire.HeaderProtocol: {"1"}, wire.HeaderSession: {"a"}, wire.HeaderDeadline: {"1"},
				"Content-Type": {"application/json"}, "Content-Length": {"6"},
			},
		},
		{
			"all headers", ctx, whole,
			request{method: methodPost, path: "/v1/click"},
			http.Header{
				wire.HeaderProtocol: {"1"}, wire.HeaderSession: {"a  X: y  z"}, wire.HeaderBuild: {"b1"}, wire.HeaderAgent: {"ä"},
				wire.HeaderOwner: {"1.2"}, wire.HeaderDeadline: {"35"}, wire.HeaderSettings: {`{"args":["--x\r\nX: y"]}`},
				"Content-Type": {"application/json"}, "Content-Length": {"0"},
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, err := tt.client.encode(tt.ctx, tt.r)
			must(t, err)
			got, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(m)))
			must(t, err)
			body, err := io.ReadAll(got.Body)
			must(t, err)
			if got.Method != tt.r.method || got.URL.Path != tt.r.path || got.Host == "" || got.ProtoMinor != 1 || !bytes.Equal(body, tt.r.body) {
				t.Errorf("encode() = %q", m)
			}
			if len(got.Header) != len(tt.want) {
				t.Errorf("the head is %q, want %q", got.Header, tt.want)
			}
			for name, want := range tt.want {
				if value := got.Header[name]; len(value) != 1 || !strings.HasPrefix(value[0], want[0]) || name != wire.HeaderDeadline && value[0] != want[0] {
					t.Errorf("%s is %q, want %q", name, value, want)
				}
			}
		})
	}
}
