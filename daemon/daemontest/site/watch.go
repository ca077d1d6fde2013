package site

import "net/http"

// watchRoutes adds a page that reports whether a person can see it.
func (s *Site) watchRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /watch", s.watch) // counts watch-visible and watch-hidden
}

// watch shows a page that reports whether it is visible.
func (s *Site) watch(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte(`<!doctype html><title>Watch</title><h1>Watch</h1>
<script>
const report = what => navigator.sendBeacon('/count/watch-' + what);
report(document.visibilityState);
document.addEventListener('visibilitychange', () => report(document.visibilityState));
</script>
`))
}
