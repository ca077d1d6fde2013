package markdown

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// A redirect to another host gets nothing of the first URL, which may contain a secret.
func TestRedirectTellsNothing(t *testing.T) {
	got := make(chan http.Header, 1)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got <- r.Header.Clone()
		w.Header().Set("Content-Type", "text/markdown")
		_, _ = w.Write([]byte("# Here")) // the client may be gone
	}))
	defer other.Close()
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "login", Value: "secret"})
		http.Redirect(w, r, strings.Replace(other.URL, "127.0.0.1", "other.localhost", 1), http.StatusFound)
	}))
	defer first.Close()
	out, err := OfURL(t.Context(), verbs.ReadIn{URL: first.URL + "/?token=secret"}, "", anywhere)
	if err != nil || out.Content != "# Here" || !strings.Contains(out.FinalURL, "//other.localhost:") {
		t.Fatalf("OfURL() = %+v, %v", out, err)
	}
	if header := <-got; header.Get("Referer") != "" || header.Get("Cookie") != "" {
		t.Errorf("the other host got %v", header)
	}
}

// No error contains a part of a URL.
func TestErrorsHaveNoURL(t *testing.T) {
	t.Setenv("HTTP_PROXY", "")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/invalid":
			w.Header().Set("Location", "http://[secret")
			w.WriteHeader(http.StatusFound)
		case "/again":
			http.Redirect(w, r, "/again?secret", http.StatusFound)
		default:
			panic(http.ErrAbortHandler) // closes the connection
		}
	}))
	defer server.Close()
	for path, want := range map[string]string{"/invalid": "the request failed", "/again": "too many redirects", "/closed": "closed the connection"} {
		_, err := OfURL(t.Context(), verbs.ReadIn{URL: server.URL + path + "?token=secret"}, "", anywhere)
		if !errors.Is(err, wire.CodeNavigation) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

func anywhere(string) error { return nil }

// A URL that the session may not open is not requested, even if an allowed URL redirects there.
func TestURLsThatMayNotBeOpened(t *testing.T) {
	t.Parallel()
	requests := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests++ }))
	t.Cleanup(other.Close)
	first := httptest.NewServer(http.RedirectHandler(other.URL+"/?token=secret", http.StatusFound))
	t.Cleanup(first.Close)
	allowed := func(url string) error {
		if strings.HasPrefix(url, first.URL+"/") {
			return nil
		}
		return wire.Errorf(wire.CodeDenied, "not allowed")
	}
	for _, given := range []string{other.URL + "/", first.URL + "/"} {
		if _, err := OfURL(t.Context(), verbs.ReadIn{URL: given}, "", allowed); !errors.Is(err, wire.CodeDenied) {
			t.Errorf("OfURL(%s) = %v, want %s", given, err, wire.CodeDenied)
		}
	}
	if requests != 0 {
		t.Errorf("the other server got %d requests", requests)
	}
}
