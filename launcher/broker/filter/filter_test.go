package filter

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/domains"
)

// start starts a proxy to the given domains, which is closed when the test ends.
func start(t *testing.T, allowed ...string) *Proxy {
	t.Helper()
	p, err := Listen(t.Context(), "", domains.List(allowed), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// send sends a request through a proxy.
func send(t *testing.T, p *Proxy, method, to, body string) (*http.Response, error) {
	t.Helper()
	direct := &http.Transport{
		Proxy:           http.ProxyURL(&url.URL{Scheme: "http", Host: p.Address()}),
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // the certificate of the test's server
	}
	t.Cleanup(direct.CloseIdleConnections)
	r, err := http.NewRequestWithContext(t.Context(), method, to, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return (&http.Client{Transport: direct, Timeout: 40 * time.Second}).Do(r)
}

func TestRequests(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		body, _ := io.ReadAll(r.Body)
		fmt.Fprint(w, r.Method, " ", r.Host[:strings.LastIndex(r.Host, ":")], " ", r.URL.RequestURI(), " ", string(body), r.Header.Get("X-Forwarded-For"))
	})
	plain, encrypted := httptest.NewServer(echo), httptest.NewTLSServer(echo)
	t.Cleanup(plain.Close)
	t.Cleanup(encrypted.Close)
	for _, server := range []*httptest.Server{plain, encrypted} {
		resp, err := send(t, start(t, "127.0.0.1"), http.MethodPost, server.URL+"/a%2fb?x=1;2&y=%zz", "body")
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if want := "POST 127.0.0.1 /a%2fb?x=1;2&y=%zz body"; string(text) != want {
			t.Errorf("the server got %q, want %q", text, want)
		}
		before := requests.Load()
		resp, err = send(t, start(t, "example.com", "*.0.0.1", "localhost"), http.MethodGet, server.URL, "")
		if err == nil {
			resp.Body.Close()
		}
		if requests.Load() != before || err == nil && resp.StatusCode != http.StatusForbidden {
			t.Errorf("a host that is not allowed: %v, %v, %d requests", resp, err, requests.Load()-before)
		}
	}
}

// talk sends the head of a request to a proxy and returns the status line of the response.
func talk(t *testing.T, p *Proxy, head string) (net.Conn, string) {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp4", p.Address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(40 * time.Second))
	if _, err := io.WriteString(conn, head+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return conn, strings.TrimSpace(line)
}

// The host of a request is that of its URL, whatever its Host header says.
func TestHosts(t *testing.T) {
	t.Parallel()
	p := start(t, "good.example")
	for head, want := range map[string]string{
		"GET http://evil.example/ HTTP/1.1\r\nHost: good.example":        "403",
		"GET http://good.example@evil.example/ HTTP/1.1\r\nHost: x":      "403",
		"CONNECT evil.example:443 HTTP/1.1\r\nHost: good.example:443":    "403",
		"CONNECT good.example.evil.example:443 HTTP/1.1\r\nHost: x":      "403",
		"GET / HTTP/1.1\r\nHost: good.example":                           "400",
		"GET https://good.example/ HTTP/1.1\r\nHost: good.example":       "400",
		"GET ftp://good.example/ HTTP/1.1\r\nHost: good.example":         "400",
		"GET http://evil.example:80/good.example HTTP/1.1\r\nHost: good": "403",
	} {
		if _, line := talk(t, p, head); !strings.HasPrefix(line, "HTTP/1.1 "+want) {
			t.Errorf("%q: %s, want %s", head, line, want)
		}
	}
}

// A connection whose content the proxy does not read ends when one of its sides ends, and when the
// proxy is closed.
func TestTunnelEnds(t *testing.T) {
	t.Parallel()
	var lc net.ListenConfig
	site, err := lc.Listen(t.Context(), "tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { site.Close() })
	accepted := make(chan net.Conn, 2)
	go func() { // ends when the listener is closed
		for {
			conn, err := site.Accept()
			if err != nil {
				return
			}
			accepted <- conn
		}
	}()
	p := start(t, "127.0.0.1")
	ends := func(conn net.Conn) bool {
		_ = conn.SetReadDeadline(time.Now().Add(40 * time.Second))
		_, err := io.Copy(io.Discard, conn)
		return err == nil || !strings.Contains(err.Error(), "timeout")
	}
	for _, end := range []func(browser, site net.Conn){
		func(browser, _ net.Conn) { browser.Close() },
		func(_, site net.Conn) { site.Close() },
		func(net.Conn, net.Conn) { p.Close() },
	} {
		browser, line := talk(t, p, "CONNECT "+site.Addr().String()+" HTTP/1.1\r\nHost: x")
		if !strings.HasPrefix(line, "HTTP/1.1 200") {
			t.Fatal(line)
		}
		server := <-accepted
		end(browser, server)
		for _, conn := range []net.Conn{browser, server} {
			if !ends(conn) {
				t.Error("a side stays open")
			}
			conn.Close()
		}
	}
	if conn, err := (&net.Dialer{}).DialContext(context.Background(), "tcp4", p.Address()); err == nil {
		conn.Close()
		t.Error("the port of a closed proxy is open")
	}
}

// A proxy can be started again at the same address.
func TestSameAddress(t *testing.T) {
	t.Parallel()
	p := start(t, "a.example")
	address := p.Address()
	if other, err := Listen(t.Context(), address, nil, slog.New(slog.DiscardHandler)); err == nil {
		other.Close()
		t.Error("two proxies have one address")
	}
	p.Close()
	again, err := Listen(t.Context(), address, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if again.Address() != address {
		t.Errorf("the address is %s, want %s", again.Address(), address)
	}
}
