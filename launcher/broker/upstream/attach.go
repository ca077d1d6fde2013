package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/abrowser/abrowser/launcher/broker/queue"
	"github.com/abrowser/abrowser/launcher/handover"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	discoverTime = 5 * time.Second // for the browser to return the address of its WebSocket
	// A browser may ask its user before it accepts a connection.
	acceptTime  = 45 * time.Second
	maxResponse = 1 << 20
)

// Attach connects to an external browser. It resolves the endpoint each time, since a browser that
// was restarted has another address. The result run is the path in the URL of the browser's
// WebSocket. The browser has another path after each start.
func Attach(ctx context.Context, endpoint string, q *queue.Queue) (c Conn, run string, err error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return nil, "", errors.New("the endpoint is not a URL") // err would quote the endpoint
	}
	var last error
	for _, at := range candidates(ctx, u) {
		address, err := discover(ctx, at)
		if err == nil {
			var conn *websocket.Conn
			if conn, err = dial(ctx, address); err == nil {
				return &remote{conn, q}, address.Path, nil
			}
		}
		if last == nil || !errors.Is(err, wire.CodeNotRunning) {
			last = err // an error other than "nothing listens" is kept, since it is more informative
		}
	}
	return nil, "", attachError(endpoint, last)
}

func attachError(endpoint string, err error) error {
	if !errors.Is(err, wire.CodeNotRunning) {
		return handover.AttachError(endpoint, wire.AsError(err).Message)
	}
	hint := "start the browser with --remote-debugging-port and a --user-data-dir of its own, then run the command again"
	if u, err := url.Parse(endpoint); err == nil && u.Port() != "" {
		hint = "chromium --remote-debugging-port=" + u.Port() + " --user-data-dir=DIR"
	}
	return wire.Errorf(wire.CodeNoBrowser, "no browser answers at %s", home.RedactCDP(endpoint)).WithHint("%s", hint)
}

// candidates returns the URLs to try. If u has the host localhost, it returns one URL for each of
// the two loopback addresses, since browsers differ in the address at which they listen. For
// another host name, it returns one URL for each address of the host, since a browser refuses
// requests whose Host header has such a name. If u uses TLS, it returns only u.
func candidates(ctx context.Context, u *url.URL) []*url.URL {
	hosts := []string{u.Hostname()}
	switch {
	case u.Scheme == "https" || u.Scheme == "wss":
		return []*url.URL{u}
	case u.Hostname() == "localhost":
		hosts = []string{"127.0.0.1", "::1"}
	case net.ParseIP(u.Hostname()) == nil:
		ctx, cancel := context.WithTimeout(ctx, discoverTime)
		defer cancel()
		if found, err := net.DefaultResolver.LookupHost(ctx, u.Hostname()); err == nil {
			hosts = found
		}
	}
	var all []*url.URL
	for _, host := range hosts {
		at := *u
		at.Host = net.JoinHostPort(host, u.Port())
		if u.Port() == "" {
			at.Host = strings.TrimSuffix(at.Host, ":")
		}
		all = append(all, &at)
	}
	return all
}

// discover asks the browser at a URL for the address of the browser's WebSocket. A URL with the
// scheme ws or wss already is that address, so discover returns it unchanged.
func discover(ctx context.Context, at *url.URL) (*url.URL, error) {
	if at.Scheme == "ws" || at.Scheme == "wss" {
		return at, nil
	}
	ctx, cancel := context.WithTimeout(ctx, discoverTime)
	defer cancel()
	version := *at
	version.Path += "/json/version"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, version.String(), http.NoBody)
	if err != nil {
		return nil, errors.New("the endpoint is not a URL")
	}
	req.Close = true // no other request follows
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, connectError(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxResponse))
	switch {
	case err != nil:
		return nil, connectError(err)
	case resp.StatusCode == http.StatusNotFound:
		return discoverInProfile(at)
	case resp.StatusCode != http.StatusOK:
		return nil, wire.Errorf(wire.CodeNoBrowser, "it responds with HTTP status %d", resp.StatusCode)
	}
	var found struct {
		Address string `json:"webSocketDebuggerUrl"`
	}
	if json.Unmarshal(raw, &found) != nil || found.Address == "" {
		return nil, wire.Errorf(wire.CodeNoBrowser, "it is not a browser with remote debugging")
	}
	address, err := url.Parse(found.Address)
	if err != nil {
		return nil, wire.Errorf(wire.CodeNoBrowser, "the address of its WebSocket is not a URL")
	}
	// The browser returns the host of the request, or a host that is valid on its own machine
	// only. The host that was reached is the right one.
	address.Scheme, address.Host, address.User = strings.Replace(at.Scheme, "http", "ws", 1), at.Host, at.User
	return address, nil
}

// discoverInProfile returns the address that a browser wrote into its profile. If remote debugging
// was enabled at chrome://inspect, the browser does not return the address over HTTP.
func discoverInProfile(at *url.URL) (*url.URL, error) {
	for _, dir := range home.PersonalProfiles(os.LookupEnv) {
		raw, err := os.ReadFile(filepath.Join(dir, "DevToolsActivePort"))
		if err != nil {
			continue
		}
		port, path, ok := strings.Cut(strings.TrimSpace(string(raw)), "\n")
		if ok && strings.TrimSpace(port) == at.Port() && strings.HasPrefix(path, "/") {
			return &url.URL{Scheme: "ws", Host: at.Host, Path: strings.TrimSpace(path)}, nil
		}
	}
	return nil, wire.Errorf(wire.CodeNoBrowser, "it is not a browser, or its address is not in a known profile")
}

func dial(ctx context.Context, address *url.URL) (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, acceptTime)
	defer cancel()
	conn, resp, err := websocket.Dial(ctx, address.String(), &websocket.DialOptions{CompressionMode: websocket.CompressionDisabled}) //nolint:bodyclose // a handshake's body needs no Close
	switch {
	case err == nil:
		conn.SetReadLimit(MaxMessage)
		return conn, nil
	case resp != nil && resp.StatusCode != http.StatusSwitchingProtocols:
		return nil, wire.Errorf(wire.CodeNoBrowser, "it refuses the connection with HTTP status %d", resp.StatusCode)
	case ctx.Err() != nil:
		return nil, wire.Errorf(wire.CodeNoBrowser, "it does not accept the connection; it may be asking its user to allow remote debugging")
	}
	return nil, connectError(err)
}

// connectError returns [wire.CodeNotRunning] if nothing listens at the address. The errors that it
// returns do not contain the address, which may contain a token.
func connectError(err error) error {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return wire.Errorf(wire.CodeNotRunning, "nothing listens there")
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return wire.Errorf(wire.CodeNoBrowser, "it does not answer")
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return wire.Errorf(wire.CodeNoBrowser, "%v", err)
}
