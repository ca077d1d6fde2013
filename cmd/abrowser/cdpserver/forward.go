package cdpserver

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// forward forwards a WebSocket to the session's endpoint at the broker. If target is not empty, the
// WebSocket is that of the page with this target id. The broker completes the handshake, and
// refuses a client that does not speak the WebSocket protocol.
func (h *handler) forward(w http.ResponseWriter, r *http.Request, target string) {
	if !hasToken(r.Header, "Connection", "upgrade") || !hasToken(r.Header, "Upgrade", "websocket") {
		w.Header().Set("Connection", "Upgrade")
		w.Header().Set("Upgrade", "websocket")
		http.Error(w, "this is a WebSocket", http.StatusUpgradeRequired)
		return
	}
	broker, err := h.server.Dial(r.Context())
	if err != nil {
		h.fail(w, err)
		return
	}
	defer broker.Close()
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		h.fail(w, err)
		return
	}
	defer client.Close()
	_ = client.SetDeadline(time.Time{}) // net/http has set one for the request; fails for a closed connection
	if _, err := io.WriteString(broker, h.handshake(r.Header, target)); err != nil {
		return
	}
	ended := make(chan struct{}, 2)
	go func() {
		pass(client, broker)
		ended <- struct{}{}
	}()
	go func() {
		pass(broker, io.MultiReader(unread(buffered.Reader), client))
		ended <- struct{}{}
	}()
	// If one direction has ended, close both: CDP needs both directions.
	select {
	case <-ended:
	case <-r.Context().Done(): // the server ends
	}
	broker.Close()
	client.Close()
}

// pass copies data until one of the connections fails or ends. It closes neither of them: forward
// then closes both, which also ends the copy in the opposite direction.
func pass(to net.Conn, from io.Reader) { _, _ = io.Copy(to, from) }

// unread returns the bytes after the request that the HTTP server has already read.
func unread(b *bufio.Reader) io.Reader { return io.LimitReader(b, int64(b.Buffered())) }

// handshake returns the request that opens a WebSocket at the broker. Of the client's headers, it
// contains only those that the handshake needs. It omits Origin, which package loopback has already
// checked.
func (h *handler) handshake(from http.Header, target string) string {
	path := h.server.Path
	if target != "" {
		path += "?" + wire.ParamTarget + "=" + url.QueryEscape(target)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "GET %s HTTP/1.1\r\nHost: broker\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n", path)
	for _, name := range []string{"Sec-WebSocket-Key", "Sec-WebSocket-Version", "Sec-WebSocket-Protocol", "Sec-WebSocket-Extensions"} {
		for _, value := range from.Values(name) {
			fmt.Fprintf(&b, "%s: %s\r\n", name, value) // net/http allows no line breaks in a value
		}
	}
	return b.String() + "\r\n"
}

// hasToken reports whether a header's comma-separated list has an element, ignoring case.
func hasToken(from http.Header, name, want string) bool {
	for _, value := range from.Values(name) {
		for token := range strings.SplitSeq(value, ",") {
			if strings.EqualFold(strings.TrimSpace(token), want) {
				return true
			}
		}
	}
	return false
}
