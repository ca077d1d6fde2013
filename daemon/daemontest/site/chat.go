package site

import (
	"encoding/json"
	"net/http"
)

// chatRoutes are a room in which whoever is logged in can say something. Its page
// asks for news by itself.
func (s *Site) chatRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /chat", s.page("chat"))
	mux.HandleFunc("GET /chat/said", s.said)
	mux.HandleFunc("POST /chat/said", s.say)
}

// say adds what is said, with who says it.
func (s *Site) say(w http.ResponseWriter, r *http.Request) {
	who := user(r)
	if who == "" {
		http.Error(w, "nobody is logged in", http.StatusForbidden)
		return
	}
	s.mu.Lock()
	s.chat = append(s.chat, who+": "+r.PostFormValue("text"))
	s.mu.Unlock()
	w.WriteHeader(http.StatusNoContent)
}

// said is all that was said, as JSON.
func (s *Site) said(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(append([]string{}, s.chat...)) // who hung up asks again
}

// user is who is logged in, empty where nobody is.
func user(r *http.Request) string {
	c, err := r.Cookie("user")
	if err != nil {
		return ""
	}
	return c.Value
}
