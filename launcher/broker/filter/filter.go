// Package filter is an HTTP proxy that passes requests to allowed domains only. A browser context
// that uses it cannot reach any other host by HTTP, HTTPS or WebSocket, whatever its pages, frames
// and workers do, because Chromium then resolves no names and opens no connections by itself.
//
// The proxy accepts connections from processes of this user only. It requests no certificates and
// does not see what an encrypted connection carries. If the environment names a proxy of the network
// (https_proxy, http_proxy, no_proxy), as Chromium itself would use it, requests go through that.
package filter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"

	"github.com/abrowser/abrowser/sockets/domains"
	"github.com/abrowser/abrowser/sockets/loopback"
)

const (
	dialTime   = 30 * time.Second // to connect to a host
	headTime   = 30 * time.Second // for the browser to send the head of a request
	idleTime   = 90 * time.Second // for a connection to carry its next request
	maxHead    = 1 << 20          // bytes of a request's head, which has the cookies
	maxClients = 1024             // open connections of the browser; Chromium uses at most 32 for plain HTTP, and 255 WebSockets
)

// Proxy is a proxy that is listening.
type Proxy struct {
	domains  domains.List
	log      *slog.Logger
	listener net.Listener
	server   *http.Server
	forward  *httputil.ReverseProxy
	direct   *http.Transport
	upstream func(*http.Request) (*url.URL, error) // returns the proxy of the network, or nil
	end      context.CancelFunc

	mu      sync.Mutex // guards the fields below
	closed  bool
	running sync.WaitGroup // the server and calls of connect
}

// Listen starts a proxy to the given domains. The address is a port of 127.0.0.1; if it is empty,
// the proxy uses a free port. The caller has to call [Proxy.Close].
func Listen(ctx context.Context, address string, allowed domains.List, log *slog.Logger) (*Proxy, error) {
	return listen(ctx, address, allowed, http.ProxyFromEnvironment, log)
}

func listen(ctx context.Context, address string, allowed domains.List, upstream func(*http.Request) (*url.URL, error), log *slog.Logger) (*Proxy, error) {
	if address == "" {
		address = "127.0.0.1:0"
	}
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp4", address)
	if err != nil {
		return nil, err
	}
	serving, end := context.WithCancel(context.WithoutCancel(ctx))
	p := &Proxy{domains: allowed, log: log, listener: loopback.Own(listener, maxClients, log), upstream: upstream, end: end}
	p.direct = &http.Transport{
		Proxy: upstream, DialContext: (&net.Dialer{Timeout: dialTime}).DialContext, DisableCompression: true, IdleConnTimeout: idleTime, MaxResponseHeaderBytes: maxHead,
	}
	quiet := slog.NewLogLogger(log.Handler(), slog.LevelDebug)
	p.forward = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.Out.URL.RawQuery = r.In.URL.RawQuery }, Transport: p.direct, FlushInterval: -1, ErrorHandler: failed, ErrorLog: quiet,
	}
	p.server = &http.Server{
		Handler: p, BaseContext: func(net.Listener) context.Context { return serving },
		ReadHeaderTimeout: headTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHead, ErrorLog: quiet,
	}
	p.running.Go(func() { _ = p.server.Serve(p.listener) }) // ends with Close
	return p, nil
}

// Address returns the proxy's address, a port of 127.0.0.1.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// Close closes the port and all connections.
func (p *Proxy) Close() {
	p.end()
	_ = p.server.Close()
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.running.Wait()
	p.direct.CloseIdleConnections()
}

// ServeHTTP passes a request on or refuses it.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host := r.URL.Hostname()
	switch {
	case host == "" || r.Method != http.MethodConnect && r.URL.Scheme != "http":
		http.Error(w, "abrowser: this is a proxy", http.StatusBadRequest)
	case !p.domains.Allows(host):
		p.log.Debug("refused a host that is not allowed", "host", host)
		http.Error(w, fmt.Sprintf("abrowser: %s is not among the allowed domains of this session", host), http.StatusForbidden)
	case r.Method == http.MethodConnect:
		p.connect(w, r)
	default:
		p.forward.ServeHTTP(w, r)
	}
}

func failed(w http.ResponseWriter, _ *http.Request, err error) {
	if !errors.Is(err, context.Canceled) {
		http.Error(w, "abrowser: the site cannot be reached: "+reason(err), http.StatusBadGateway)
	}
}

// reason returns the cause of a failed connection, without addresses and URLs.
func reason(err error) string {
	var op *net.OpError
	var name *net.DNSError
	var network networkError
	switch {
	case errors.As(err, &network):
		return string(network)
	case errors.As(err, &name):
		return name.Err
	case errors.As(err, &op):
		return op.Err.Error()
	}
	return "the connection failed"
}

// connect joins the browser's connection with one to the host that it names.
func (p *Proxy) connect(w http.ResponseWriter, r *http.Request) {
	if !p.begin() {
		return
	}
	defer p.running.Done()
	ctx := r.Context()
	site, err := p.dial(ctx, r.URL.Host)
	if err != nil {
		failed(w, r, err)
		return
	}
	defer site.Close()
	browser, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		failed(w, r, err)
		return
	}
	defer browser.Close()
	_ = browser.SetDeadline(time.Time{})
	if _, err := io.WriteString(browser, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	stop := context.AfterFunc(ctx, func() {
		_ = browser.Close()
		_ = site.Close()
	})
	defer stop()
	var both sync.WaitGroup
	both.Go(func() { pass(site, buffered) })
	both.Go(func() { pass(browser, site) })
	both.Wait()
}

// begin counts a call in p.running, and returns true. If the proxy is closed, begin only returns
// false.
func (p *Proxy) begin() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.running.Add(1)
	return true
}

// pass copies what arrives until the sender closes its side, and then closes the receiver's side.
func pass(to net.Conn, from io.Reader) {
	_, err := io.Copy(to, from)
	if half, ok := to.(interface{ CloseWrite() error }); ok && err == nil {
		_ = half.CloseWrite()
		return
	}
	_ = to.Close()
}
