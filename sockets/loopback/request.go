package loopback

import (
	"cmp"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// serve passes an allowed request to the handler, and refuses all other requests.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if !s.begin() {
		return
	}
	defer s.running.Done()
	path, why, status := s.check(r)
	if why != "" {
		s.log.Warn("refused a request", "why", why)
		w.Header().Set("Connection", "close")
		http.Error(w, why, status)
		return
	}
	inner := r.Clone(r.Context())
	inner.Body = http.MaxBytesReader(w, r.Body, cmp.Or(s.o.MaxBody, usualBody))
	inner.URL.Path, inner.URL.RawPath, inner.RequestURI = path, "", ""
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer") // a page's URL contains the token
	s.o.Handler.ServeHTTP(w, inner)
}

// check returns the path of a request without the token. If the request is not allowed, check
// returns the HTTP status and the reason. The reason contains nothing that the client has sent.
func (s *Server) check(r *http.Request) (path, why string, status int) {
	if !isLoopbackName(r.Host) {
		return "", "the Host header is not an IP address or localhost", http.StatusForbidden
	}
	if origins := r.Header.Values("Origin"); len(origins) > 0 && (len(origins) > 1 || !s.isAllowed(origins[0])) {
		return "", "requests of web pages are not allowed", http.StatusForbidden
	}
	token, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) != 1 {
		return "", "the URL does not begin with the token of this server", http.StatusForbidden
	}
	return "/" + path, "", 0
}

// isLoopbackName reports whether a Host header is an IP address or localhost, with or without a
// port. A web page can reach this server by a domain name that resolves to this machine (DNS
// rebinding). The Host header then contains that domain name, so the request is refused.
func isLoopbackName(host string) bool {
	name := host
	if n, _, err := net.SplitHostPort(host); err == nil {
		name = n
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	return strings.EqualFold(name, "localhost")
}

// isAllowed reports whether requests with this Origin header are allowed.
func (s *Server) isAllowed(origin string) bool {
	return s.isOwn(origin) || s.o.DevTools && origin == "devtools://devtools"
}

// isOwn reports whether an Origin header is the origin of this server's own pages.
func (s *Server) isOwn(origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Scheme == "http" && u.Port() == s.port && (u.Hostname() == "127.0.0.1" || u.Hostname() == "localhost")
}
