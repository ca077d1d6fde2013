package site

import (
	"encoding/json"
	"net/http"
)

// isolationRoutes adds requests by which a page finds out which settings apply to it.
func (s *Site) isolationRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /isolation/headers", s.headers) // the request's headers
	mux.HandleFunc("GET /isolation/routed", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("by the server")) })
}

// headers responds with the request's headers as a JSON object.
func (s *Site) headers(w http.ResponseWriter, r *http.Request) {
	flat := map[string]string{}
	for name := range r.Header {
		flat[name] = r.Header.Get(name)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(flat) // the client may have disconnected
}
