package site

import (
	"fmt"
	"net/http"
	"strings"
)

func (s *Site) manualRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /manual", manual)                    // Markdown for clients that accept it, otherwise HTML
	mux.HandleFunc("GET /manual/size/{bytes}", manualOfSize) // a text of this size
	mux.HandleFunc("GET /manual/picture", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/png")
	})
	mux.HandleFunc("GET /llms.txt", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "# Index\n\n- [Manual](/manual)") })
	mux.HandleFunc("GET /llms-full.txt", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "# All of it") })
}

// manual responds with the manual, and names the visitor by the cookie "visitor".
func manual(w http.ResponseWriter, r *http.Request) {
	visitor := "a stranger"
	if c, err := r.Cookie("visitor"); err == nil {
		visitor = c.Value
	}
	if strings.Contains(r.Header.Get("Accept"), "text/markdown") && r.URL.Query().Get("only") != "html" {
		w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
		_, _ = fmt.Fprintf(w, "# Manual\n\nFor %s.\n\n## Install\n\nRun the installer.\n\n## Use\n\nPress the button.", visitor) // the client may be gone
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = fmt.Fprintf(w, "<!doctype html><title>Manual</title><h1>Manual</h1><p>For %s. <a href=/form>Form</a></p><h2>Use</h2><p>Press the button.</p>", visitor)
}

func manualOfSize(w http.ResponseWriter, r *http.Request) {
	var size int
	if _, err := fmt.Sscan(r.PathValue("bytes"), &size); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/plain")
	_, _ = fmt.Fprint(w, strings.Repeat("0123456789\n", size/11+1)[:size])
}
