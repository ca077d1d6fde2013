package filter

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/abrowser/abrowser/sockets/domains"
)

// Requests to the allowed domains go through the network's proxy, and no others reach it.
func TestProxyOfTheNetwork(t *testing.T) {
	t.Parallel()
	hello := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") })
	plain, encrypted := httptest.NewServer(hello), httptest.NewTLSServer(hello)
	t.Cleanup(plain.Close)
	t.Cleanup(encrypted.Close)
	var mu sync.Mutex // guards asked
	var asked []string
	inner := start(t, "127.0.0.1")
	network := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.Method+" "+r.Host+" "+r.Header.Get("Proxy-Authorization"))
		mu.Unlock()
		if strings.HasSuffix(r.Host, ":9") {
			http.Error(w, "closed", http.StatusForbidden)
			return
		}
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(network.Close)
	via, err := url.Parse(network.URL)
	if err != nil {
		t.Fatal(err)
	}
	via.User = url.UserPassword("ada", "secret")
	p, err := listen(t.Context(), "", domains.List{"127.0.0.1"}, http.ProxyURL(via), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	for _, server := range []*httptest.Server{plain, encrypted} {
		resp, err := send(t, p, http.MethodGet, server.URL, "")
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || string(text) != "hello" {
			t.Errorf("%s answers %q, %v", server.URL, text, err)
		}
	}
	if resp, err := send(t, p, http.MethodGet, "https://example.com", ""); err == nil {
		resp.Body.Close()
		t.Error("a host that is not allowed was reached")
	}
	if _, status := talk(t, p, "CONNECT 127.0.0.1:9 HTTP/1.1\r\nHost: 127.0.0.1:9\r\n\r\n"); !strings.Contains(status, "502") {
		t.Errorf("a host that the network's proxy refuses: %s", status)
	}
	mu.Lock()
	defer mu.Unlock()
	const login = " Basic YWRhOnNlY3JldA=="
	want := []string{
		"GET " + strings.TrimPrefix(plain.URL, "http://") + login, "CONNECT " + strings.TrimPrefix(encrypted.URL, "https://") + login, "CONNECT 127.0.0.1:9" + login,
	}
	if strings.Join(asked, "\n") != strings.Join(want, "\n") {
		t.Errorf("the network's proxy was asked for\n%s\nwant\n%s", strings.Join(asked, "\n"), strings.Join(want, "\n"))
	}
}
