package site

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strconv"
)

// fileRoutes adds the pages with files to download.
func (s *Site) fileRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /files", s.files)              // links of every kind to the file at ?to=
	mux.HandleFunc("GET /files/frames", s.filesFrames) // /files in frames of both origins, and in a nested frame
	mux.HandleFunc("GET /file/{seed}/{file}", s.file)  // a file with ?size= bytes of FileContent
}

// FileContent returns the content that /file/SEED/... sends. It differs for every seed.
func FileContent(seed string, size int) []byte {
	all := make([]byte, 0, size+64)
	for n := 0; len(all) < size; n++ {
		all = append(all, seed+" "+strconv.Itoa(n)+"\n"...)
	}
	return all[:size]
}

// file sends a download of ?size= bytes. It sends the first half at once. If the request has
// ?gate=, file then waits until this gate opens. It sends the second half in ten pieces, with
// pauses of ?ms= milliseconds. If the request has ?break=, file closes the connection instead of
// sending the second half.
func (s *Site) file(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	content := FileContent(r.PathValue("seed"), number(r, "size", 100))
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", "attachment; filename="+strconv.QuoteToASCII(r.PathValue("file")))
	w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	flush := http.NewResponseController(w)
	half := len(content) / 2
	_, _ = w.Write(content[:half])
	_ = flush.Flush()
	if gate := q.Get("gate"); gate != "" {
		select {
		case <-s.gate(gate):
		case <-r.Context().Done():
			hangUp()
		}
	}
	if q.Has("break") {
		hangUp()
	}
	rest := content[half:]
	for n := 10; n > 0; n-- {
		pause(r, number(r, "ms", 0))
		piece := len(rest) / n
		_, _ = w.Write(rest[:piece])
		_ = flush.Flush()
		rest = rest[piece:]
	}
}

// files shows the ways to download the file at ?to=: links with and without a download attribute,
// links that open a tab, and scripts.
func (s *Site) files(w http.ResponseWriter, r *http.Request) {
	to := html.EscapeString(r.URL.Query().Get("to"))
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = fmt.Fprintf(w, `<!doctype html><title>Files</title><h1>Files</h1>
<p><a id="go" href="%[1]s">go</a>
<p><a id="save" href="%[1]s" download>save</a>
<p><a id="tab" href="%[1]s" target="_blank">tab</a>
<p><a id="noopener" href="%[1]s" target="_blank" rel="noopener">noopener</a>
<p><button id="late" onclick="setTimeout(() => { location.href = '%[1]s' }, 700)">late</button>
<p><button id="made" onclick="save()">made</button>
<script>
function save() {
  const a = document.createElement('a');
  a.href = URL.createObjectURL(new Blob(['made here']));
  a.download = 'made.txt';
  a.click();
}
</script>
`, to)
}

// filesFrames shows /files in three frames. The frame #same has the origin of the request. The
// frame #cross has the site's other origin. The frame #deep has the site's first origin, and is
// inside the frame #nest, which has the other origin.
func (s *Site) filesFrames(w http.ResponseWriter, r *http.Request) {
	page := "/files?to=" + url.QueryEscape(r.URL.Query().Get("to"))
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if r.URL.Query().Has("deep") {
		_, _ = fmt.Fprintf(w, `<!doctype html><title>Nest</title><iframe id="deep" src="%s"></iframe>`, html.EscapeString(s.own+page))
		return
	}
	_, _ = fmt.Fprintf(w, `<!doctype html><title>Files in frames</title>
<iframe id="same" src="%s"></iframe>
<iframe id="cross" src="%s"></iframe>
<iframe id="nest" src="%s"></iframe>
`, html.EscapeString(page), html.EscapeString(s.cross+page), html.EscapeString(s.cross+"/files/frames?deep=1&to="+url.QueryEscape(r.URL.Query().Get("to"))))
}
