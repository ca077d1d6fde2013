package site

import (
	"encoding/json"
	"net/http"
)

// chatRoutes adds a chat room for users that are logged in. Its page polls for messages.
func (s *Site) chatRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /chat", s.page("chat"))
	mux.HandleFunc("GET /chat/said", s.said)
	mux.HandleFunc("POST /chat/said", s.say)
}

// say adds the message in the request, with the name of the user that sends it.
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

// said returns all messages as JSON.
func (s *Site) said(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(append([]string{}, s.chat...)) // a client that has disconnected asks again
}

// user returns the user that is logged in, or "".
func user(r *http.Request) string {
	c, err := r.Cookie("user")
	if err != nil {
		return ""
	}
	return c.Value
}
