package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
)

// site is the web server, on the loopback interface, whose pages the contenders visit.
type site struct{ server *httptest.Server }

func startSite() *site {
	mux := http.NewServeMux()
	page := func(path, html string) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = fmt.Fprint(w, "<!doctype html><link rel=icon href=data:,>", html) // the client may have disconnected
		})
	}
	page("/form", `<title>form</title><h1>form</h1><input id=name aria-label=name><button id=go onclick="count.textContent = +count.textContent + 1">go</button>
		<output id=count>0</output>`+strings.Repeat(`<p>text <a href="/next">link</a>`, 40))
	page("/next", `<title>next</title><h1>next</h1>`)
	page("/noise", `<title>noise</title><style>*{margin:0}</style><canvas id=c width=3300 height=2400></canvas><script>
		const x = c.getContext('2d'), d = x.createImageData(3300, 2400)
		let s = 1
		for (let i = 0; i < d.data.length; i += 4) { s = Math.imul(s, 1664525) + 1013904223 | 0; d.data[i] = s >>> 24; d.data[i+1] = s >>> 16 & 255; d.data[i+2] = s >>> 8 & 255; d.data[i+3] = 255 }
		x.putImageData(d, 0, 0)</script><button>go</button>`)
	page("/big", `<title>big</title><p id="count">0</p><button onclick="count.textContent++">go</button>`+strings.Repeat(`<button>b</button>`, 9998))
	return &site{httptest.NewServer(mux)}
}

func (s *site) url(path string) string { return s.server.URL + path }
func (s *site) close()                 { s.server.Close() }
