package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
)

// site is what the contenders visit, on loopback.
type site struct{ server *httptest.Server }

func startSite() *site {
	mux := http.NewServeMux()
	page := func(path, html string) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = fmt.Fprint(w, "<!doctype html><link rel=icon href=data:,>", html) // a client that left needs no answer
		})
	}
	page("/form", `<title>form</title><h1>form</h1><input id=name aria-label=name><button id=go onclick="count.textContent = +count.textContent + 1">go</button>
		<output id=count>0</output>`+strings.Repeat(`<p>text <a href="/next">link</a>`, 40))
	page("/next", `<title>next</title><h1>next</h1>`)
	page("/big", `<title>big</title>`+strings.Repeat(`<button>b</button>`, 10000))
	return &site{httptest.NewServer(mux)}
}

func (s *site) url(path string) string { return s.server.URL + path }
func (s *site) close()                 { s.server.Close() }
