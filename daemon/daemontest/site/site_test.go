package site_test

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/abrowser/abrowser/daemon/daemontest/site"
)

func get(t *testing.T, c *http.Client, address string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(req)
	if err != nil {
		t.Fatalf("GET %s: %v", address, err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("GET %s: %v", address, err)
	}
	return resp.StatusCode, string(body)
}

func TestPages(t *testing.T) {
	s := site.Start(t)
	tests := []struct {
		path, want string
		status     int
	}{
		{"/", "Fixture site", 200},
		{"/form", `id="agree"`, 200},
		{"/states", `id="covered"`, 200},
		{"/dialogs", `id="prompt"`, 200},
		{"/asks", `id="camera"`, 200},
		{"/leaving", "beforeunload", 200},
		{"/late?ms=30", "setTimeout(appear,  30 )", 200},
		{"/late?gate=g", `const gate = "g"`, 200},
		{"/popups", `id="noopener"`, 200},
		{"/frames", s.CrossURL("/inner?name=cross"), 200},
		{"/inner?name=x", "Button x", 200},
		{"/nest", s.CrossURL("/inner?name=deep"), 200},
		{"/secret", "reveal", 200},
		{"/tall", "Bottom", 200},
		{"/spin", "while (true)", 200},
		{"/stuck", `src="/never"`, 200},
		{"/downloads", "report.txt", 200},
		{"/login", `method="post"`, 200},
		{"/page/x%20y", "<title>x y</title>", 200},
		{"/me", "nobody", 200},
		{"/redirect", "redirected", 200},
		{"/slow?ms=1&name=n", "<h1 id=name>n</h1>", 200},
		{"/drip?ms=1&n=3", "drop 3", 200},
		{"/download/a/report.txt", "from a", 200},
		{"/nothing", "404", 404},
	}
	for _, test := range tests {
		status, body := get(t, http.DefaultClient, s.URL(test.path))
		if status != test.status || !strings.Contains(body, test.want) {
			t.Errorf("GET %s = %d %q, want %d and %q", test.path, status, body, test.status, test.want)
		}
	}
	if n := s.Requests("/late"); n != 2 {
		t.Errorf("Requests(/late) = %d, want 2", n)
	}
}

func TestLogin(t *testing.T) {
	s := site.Start(t)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &http.Client{Jar: jar}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL("/login"), strings.NewReader(url.Values{"user": {"ada"}}.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if _, body := get(t, c, s.URL("/me")); !strings.Contains(body, "ada") {
		t.Errorf("GET /me after the login = %q, want ada in it", body)
	}
}

// The request of one task is delayed until the request of a second task comes.
func TestMeet(t *testing.T) {
	s := site.Start(t)
	var together sync.WaitGroup
	first := make(chan string, 1)
	together.Go(func() {
		_, body := get(t, http.DefaultClient, s.URL("/meet/1/a"))
		first <- body
	})
	select {
	case body := <-first:
		t.Fatalf("one task alone was answered: %q", body)
	case <-time.After(100 * time.Millisecond):
	}
	if _, body := get(t, http.DefaultClient, s.URL("/meet/1/b")); !strings.Contains(body, "b in round 1") {
		t.Errorf("b got %q", body)
	}
	together.Wait()
	if body := <-first; !strings.Contains(body, "a in round 1") {
		t.Errorf("a got %q", body)
	}
}

func TestGate(t *testing.T) {
	s := site.Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL("/gate/g"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp, err := http.DefaultClient.Do(req); err == nil {
		_ = resp.Body.Close()
		t.Fatal("a closed gate let a request through")
	}
	if status, _ := get(t, http.DefaultClient, s.URL("/opened/g/a")); status != http.StatusTooEarly {
		t.Errorf("/opened answered %d for a closed gate", status)
	}
	s.Open("g")
	s.Open("g")
	if status, _ := get(t, http.DefaultClient, s.URL("/opened/g/a")); status != http.StatusNoContent {
		t.Errorf("/opened answered %d for an open gate", status)
	}
	if status, _ := get(t, http.DefaultClient, s.URL("/gate/g")); status != http.StatusNoContent {
		t.Errorf("an open gate answered %d", status)
	}
}

// A page that never responds does not delay the end of a test.
func TestCloseEndsHeldRequests(t *testing.T) {
	s, err := site.New()
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL("/never"), nil)
	if err != nil {
		t.Fatal(err)
	}
	held := make(chan error, 1)
	go func() {
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			_ = resp.Body.Close()
		}
		held <- err
	}()
	for s.Requests("/never") == 0 {
		time.Sleep(time.Millisecond)
	}
	s.Close()
	select {
	case err := <-held:
		if err == nil {
			t.Error("the held request was answered")
		}
	case <-time.After(10 * time.Second):
		t.Error("the held request outlived the site")
	}
}
