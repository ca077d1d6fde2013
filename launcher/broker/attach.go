package broker

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

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	askTime = 5 * time.Second // for a browser to say where its WebSocket is
	// A browser that asks its person before it lets anybody in takes as long as the
	// person does.
	admitTime = 45 * time.Second
	maxAnswer = 1 << 20
)

// attach connects to a browser that somebody else started. Where it is, is found
// out anew each time: a browser that was started again has another address. It
// returns the address's path too, which is another for each run of a browser.
func attach(ctx context.Context, endpoint string) (*websocket.Conn, string, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return nil, "", errors.New("the endpoint is no URL") // not err: it repeats the endpoint
	}
	var last error
	for _, at := range reachable(ctx, u) {
		address, err := webSocketOf(ctx, at)
		if err == nil {
			var conn *websocket.Conn
			if conn, err = dialBrowser(ctx, address); err == nil {
				return conn, address.Path, nil
			}
		}
		if last == nil || !errors.Is(err, wire.CodeNotRunning) {
			last = err // that nobody listens at the other address of a name says less
		}
	}
	return nil, "", notAttached(endpoint, last)
}

// notAttached is the error for a browser that cannot be attached to.
func notAttached(endpoint string, err error) error {
	plain := home.RedactCDP(endpoint)
	if errors.Is(err, wire.CodeNotRunning) {
		hint := "start the browser with --remote-debugging-port and a --user-data-dir of its own, then run the command again"
		if u, err := url.Parse(endpoint); err == nil && u.Port() != "" {
			hint = "chromium --remote-debugging-port=" + u.Port() + " --user-data-dir=DIR"
		}
		return wire.Errorf(wire.CodeNoBrowser, "no browser answers at %s", plain).WithHint("%s", hint)
	}
	e := wire.AsError(err)
	return wire.Errorf(wire.CodeNoBrowser, "the browser at %s cannot be attached to: %s", plain, e.Message).
		WithHint("curl %s/json/version", strings.Replace(plain, "ws", "http", 1))
}

// reachable are the endpoint's addresses. A name of this machine is both of its
// addresses, since a browser listens at one of them and which differs. Other names
// are looked up where there is no TLS, since a browser refuses to be called by one.
func reachable(ctx context.Context, u *url.URL) []*url.URL {
	hosts := []string{u.Hostname()}
	switch {
	case u.Scheme == "https" || u.Scheme == "wss":
		return []*url.URL{u}
	case u.Hostname() == "localhost":
		hosts = []string{"127.0.0.1", "::1"}
	case net.ParseIP(u.Hostname()) == nil:
		ctx, cancel := context.WithTimeout(ctx, askTime)
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

// webSocketOf asks the browser where its WebSocket is.
func webSocketOf(ctx context.Context, at *url.URL) (*url.URL, error) {
	if at.Scheme == "ws" || at.Scheme == "wss" {
		return at, nil
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	question := *at
	question.Path += "/json/version"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, question.String(), http.NoBody)
	if err != nil {
		return nil, errors.New("the endpoint is no URL")
	}
	req.Close = true // it is asked once
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, unreachable(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	switch {
	case err != nil:
		return nil, unreachable(err)
	case resp.StatusCode == http.StatusNotFound:
		return noted(at)
	case resp.StatusCode != http.StatusOK:
		return nil, wire.Errorf(wire.CodeNoBrowser, "it answers with HTTP status %d", resp.StatusCode)
	}
	var version struct {
		Address string `json:"webSocketDebuggerUrl"`
	}
	if json.Unmarshal(raw, &version) != nil || version.Address == "" {
		return nil, wire.Errorf(wire.CodeNoBrowser, "what answers there is no browser with remote debugging")
	}
	address, err := url.Parse(version.Address)
	if err != nil {
		return nil, wire.Errorf(wire.CodeNoBrowser, "it names an address that is no URL")
	}
	// The browser calls itself as it was called, or by a name that is right for
	// itself only: where it was reached is where it is.
	address.Scheme, address.Host, address.User = strings.Replace(at.Scheme, "http", "ws", 1), at.Host, at.User
	return address, nil
}

// noted is the address that a browser left in its profile: with remote debugging
// switched on by hand (chrome://inspect) it answers no question over HTTP.
func noted(at *url.URL) (*url.URL, error) {
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
	return nil, wire.Errorf(wire.CodeNoBrowser, "what answers there is no browser, or one that says nowhere what its address is")
}

func dialBrowser(ctx context.Context, address *url.URL) (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, admitTime)
	defer cancel()
	conn, resp, err := websocket.Dial(ctx, address.String(), &websocket.DialOptions{CompressionMode: websocket.CompressionDisabled}) //nolint:bodyclose // a handshake has none that is to be closed
	switch {
	case err == nil:
		conn.SetReadLimit(maxMessage)
		return conn, nil
	case resp != nil && resp.StatusCode != http.StatusSwitchingProtocols:
		return nil, wire.Errorf(wire.CodeNoBrowser, "it refuses a connection with HTTP status %d", resp.StatusCode)
	case ctx.Err() != nil:
		return nil, wire.Errorf(wire.CodeNoBrowser, "it lets nobody in; it may be asking its person to allow remote debugging")
	}
	return nil, unreachable(err)
}

// unreachable tells that nobody listens from all else, without repeating the
// address: that may have a token in it.
func unreachable(err error) error {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return wire.Errorf(wire.CodeNotRunning, "nobody listens there")
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
