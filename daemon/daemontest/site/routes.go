package site

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"net/http"
	"strconv"
)

// routes returns the handler of the whole site.
func (s *Site) routes() http.Handler {
	mux := http.NewServeMux()
	// Static pages: see pages/.
	mux.HandleFunc("GET /{$}", s.page("index"))
	mux.HandleFunc("GET /form", s.page("form"))           // every kind of input
	mux.HandleFunc("GET /states", s.page("states"))       // elements: disabled, hidden, covered ...
	mux.HandleFunc("GET /dialogs", s.page("dialogs"))     // alert, confirm, prompt
	mux.HandleFunc("GET /asks", s.page("asks"))           // requests for permissions and files
	mux.HandleFunc("GET /leaving", s.page("leaving"))     // beforeunload
	mux.HandleFunc("GET /late", s.page("late"))           // #late appears after ?ms= or when the gate ?gate= opens
	mux.HandleFunc("GET /popups", s.page("popups"))       // five ways to a new tab
	mux.HandleFunc("GET /frames", s.page("frames"))       // frames of both origins, and nested ones
	mux.HandleFunc("GET /inner", s.page("inner"))         // the page in the frames of /frames
	mux.HandleFunc("GET /nest", s.page("nest"))           // a frame with a frame of the other origin
	mux.HandleFunc("GET /renewing", s.page("renewing"))   // shows when this document was loaded
	mux.HandleFunc("GET /secret", s.page("secret"))       // reveal() returns the document's secret
	mux.HandleFunc("GET /tall", s.page("tall"))           // larger than the window
	mux.HandleFunc("GET /spin", s.page("spin"))           // spins for ever after a click on #spin
	mux.HandleFunc("GET /stuck", s.page("stuck"))         // no load event: a picture never comes
	mux.HandleFunc("GET /console", s.page("console"))     // logs and throws, in a frame and a worker, too
	mux.HandleFunc("GET /downloads", s.page("downloads")) // links to /download/...
	// Pages that have a state, or depend on the request.
	mux.HandleFunc("GET /page/{name}", s.named)
	mux.HandleFunc("GET /login", s.page("login"))
	mux.HandleFunc("POST /login", s.login)
	mux.HandleFunc("GET /me", s.me)
	mux.HandleFunc("GET /signin", s.page("signin")) // a login form with a password; ?step=user asks for the name first
	mux.HandleFunc("POST /signin", s.signIn)
	mux.HandleFunc("POST /logout", s.logout)
	mux.HandleFunc("POST /count/{name}", s.count)
	mux.HandleFunc("POST /submit", s.submit)
	mux.HandleFunc("GET /download/{directory}/{file}", s.download)
	mux.HandleFunc("GET /redirect", s.redirect)
	mux.HandleFunc("GET /guarded/{name}", s.guarded) // needs the user me with the password secret
	s.chatRoutes(mux)
	s.fileRoutes(mux)
	s.isolationRoutes(mux)
	s.manualRoutes(mux)
	s.watchRoutes(mux)
	// Responses that are late.
	mux.HandleFunc("GET /slow", s.slow)
	mux.HandleFunc("GET /drip", s.drip)
	mux.HandleFunc("GET /never", s.never)
	mux.HandleFunc("GET /gate/{name}", s.wait)
	mux.HandleFunc("GET /opened/{name}/{task}", s.opened)
	mux.HandleFunc("GET /meet/{round}/{task}", s.meet)
	return mux
}

// page returns a handler that shows a template of pages/, filled with values from the request.
func (s *Site) page(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		err := s.templates.ExecuteTemplate(w, name+".html", map[string]any{
			"Cross": s.cross, "Own": s.own,
			"MS": number(r, "ms", 0), "Gate": r.URL.Query().Get("gate"),
			"Name": r.URL.Query().Get("name"),
		})
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}
}

// named responds with a page whose title, heading and URL contain its name. The browser requests
// nothing more for the page, because the page contains its own icon.
func (s *Site) named(w http.ResponseWriter, r *http.Request) { show(w, r.PathValue("name")) }

func show(w http.ResponseWriter, name string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	name = html.EscapeString(name)
	_, _ = fmt.Fprintf(w, `<!doctype html><title>%s</title><link rel=icon href="data:,"><h1 id=name>%s</h1>`+"\n", name, name)
}

func (s *Site) login(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, &http.Cookie{
		Name: "user", Value: r.PostFormValue("user"), Path: "/", MaxAge: 3600, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
	http.Redirect(w, r, "/me", http.StatusSeeOther)
}

// signIn logs the user in if the password is "open sesame". For another password it shows the form
// again. Without a password it asks for one.
func (s *Site) signIn(w http.ResponseWriter, r *http.Request) {
	switch r.PostFormValue("password") {
	case "open sesame":
		s.login(w, r)
	case "":
		http.Redirect(w, r, "/signin?step=password", http.StatusSeeOther)
	default:
		http.Redirect(w, r, "/signin", http.StatusSeeOther)
	}
}

// me responds with the name of the logged-in user, or with "nobody".
func (s *Site) me(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = fmt.Fprintf(w, "<!doctype html><title>Me</title><p>You are <b id=who>%s</b></p>\n", html.EscapeString(cmp.Or(user(r), "nobody")))
}

func (s *Site) logout(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, &http.Cookie{Name: "user", Path: "/", MaxAge: -1})
	http.Redirect(w, r, "/me", http.StatusSeeOther)
}

// count counts an event that a page reports under a name. [Site.Count] returns the number.
func (s *Site) count(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.counts[r.PathValue("name")]++
	s.mu.Unlock()
	w.WriteHeader(http.StatusNoContent)
}

// submit shows what a form sent.
func (s *Site) submit(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = fmt.Fprintf(w, "<!doctype html><title>Sent</title><pre id=sent>%s</pre>\n", html.EscapeString(r.PostForm.Encode()))
}

// download sends a file after ?ms= milliseconds. The file's content names its directory, so that
// two files of the same name differ.
func (s *Site) download(w http.ResponseWriter, r *http.Request) {
	pause(r, number(r, "ms", 0))
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", r.PathValue("file")))
	_, _ = io.WriteString(w, "from "+r.PathValue("directory")+"\n")
}

// guarded shows a page if the request has the right user name and password, and otherwise asks for
// them.
func (s *Site) guarded(w http.ResponseWriter, r *http.Request) {
	if user, password, _ := r.BasicAuth(); user != "me" || password != "secret" {
		w.Header().Set("WWW-Authenticate", `Basic realm="site"`)
		http.Error(w, "not allowed", http.StatusUnauthorized)
		return
	}
	show(w, r.PathValue("name"))
}

func (s *Site) redirect(w http.ResponseWriter, r *http.Request) {
	to := r.URL.Query().Get("to")
	if to == "" {
		to = "/page/redirected"
	}
	http.Redirect(w, r, to, http.StatusFound)
}

func number(r *http.Request, name string, otherwise int) int {
	n, err := strconv.Atoi(r.URL.Query().Get(name))
	if err != nil || n < 0 {
		return otherwise
	}
	return n
}
