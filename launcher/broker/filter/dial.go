package filter

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// networkError is an error of the network's proxy, as a text for people.
type networkError string

func (e networkError) Error() string { return string(e) }

// dial connects to a host and port, through the proxy of the network if there is one.
func (p *Proxy) dial(ctx context.Context, host string) (net.Conn, error) {
	via, err := p.upstream(&http.Request{URL: &url.URL{Scheme: "https", Host: host}})
	if err != nil {
		return nil, networkError("the proxy in the environment is not a URL")
	}
	dialer := net.Dialer{Timeout: dialTime}
	if via == nil {
		return dialer.DialContext(ctx, "tcp", host)
	}
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	var conn net.Conn
	switch via.Scheme {
	case "http":
		conn, err = dialer.DialContext(ctx, "tcp", withPort(via, "80"))
	case "https":
		conn, err = (&tls.Dialer{NetDialer: &dialer}).DialContext(ctx, "tcp", withPort(via, "443"))
	default:
		err = networkError("the proxy in the environment is not one for HTTP: " + via.Scheme)
	}
	if err != nil {
		return nil, err
	}
	joined, err := join(ctx, conn, via, host)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return joined, nil
}

func withPort(u *url.URL, port string) string {
	if u.Port() != "" {
		port = u.Port()
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// join asks a proxy to join a connection with one to the host.
func join(ctx context.Context, conn net.Conn, via *url.URL, host string) (net.Conn, error) {
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	ask := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: host}, Host: host, Header: http.Header{}}
	if via.User != nil {
		password, _ := via.User.Password() // a name alone is allowed
		ask.Header.Set("Proxy-Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(via.User.Username()+":"+password)))
	}
	err := ask.Write(conn)
	if err != nil {
		return nil, err
	}
	in := bufio.NewReader(conn)
	answer, err := http.ReadResponse(in, ask) //nolint:bodyclose // to close the body would read the connection to its end
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK { // then the caller closes the connection
		return nil, networkError("the network's proxy answered " + strconv.Itoa(answer.StatusCode))
	}
	if !stop() {
		return nil, ctx.Err()
	}
	return &early{conn, in}, nil
}

// early is a connection of which a part may have been read already.
type early struct {
	net.Conn
	in *bufio.Reader
}

// Read reads first what was read before.
func (e *early) Read(b []byte) (int, error) { return e.in.Read(b) }

// CloseWrite closes the sending side, if the connection can do that.
func (e *early) CloseWrite() error {
	if half, ok := e.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return e.Close()
}
