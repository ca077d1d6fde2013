package review

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"embed"
	"encoding/json"
	"html"
	"net/http"
	"path"
	"strconv"
	"sync"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/commands"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

//go:embed page
var page embed.FS

const (
	cookieName = "abrowser_review"
	stateWait  = 20 * time.Second // how long a page waits for a change
	viewWait   = 10 * time.Second // how long a page waits for a picture
	askTime    = 10 * time.Second // for a verb
)

// handler serves the requests that package loopback allows.
type handler struct {
	server   commands.ReviewServer
	path     string // the server's random path, to which the cookie is bound
	feed     *feed
	closings *closings
	secret   string // the value of the cookie

	mu   sync.Mutex // guards link
	link string     // the last part of the link that gives a browser the cookie; empty when it was used
}

func newHandler(s commands.ReviewServer) *handler {
	h := &handler{server: s, feed: newFeed(), secret: rand.Text(), link: rand.Text()}
	h.closings = &closings{closeTab: h.closeTab, changed: h.feed.notify, pending: map[string]*closing{}}
	return h
}

// linkPath returns the path of the link that gives a browser the cookie.
func (h *handler) linkPath() string { return "/open/" + h.link }

// ServeHTTP answers one request.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "+
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	if dir, name := path.Split(r.URL.Path); dir == "/open/" {
		h.open(w, name)
		return
	}
	cookie, err := r.Cookie(cookieName)
	if err != nil || subtle.ConstantTimeCompare([]byte(cookie.Value), []byte(h.secret)) != 1 {
		http.Error(w, "This page opens with the link that abrowser review prints, once and in one browser.", http.StatusForbidden)
		return
	}
	switch r.Method + " " + r.URL.Path {
	case "GET /":
		h.file(w, "index.html", "text/html; charset=utf-8")
	case "GET /app.js":
		h.file(w, "app.js", "text/javascript; charset=utf-8")
	case "GET /view.js":
		h.file(w, "view.js", "text/javascript; charset=utf-8")
	case "GET /icon.svg":
		h.file(w, "icon.svg", "image/svg+xml")
	case "GET /style.css":
		h.file(w, "style.css", "text/css; charset=utf-8")
	case "GET /state":
		h.state(w, r)
	case "GET /picture":
		h.picture(w, r)
	case "POST /do":
		h.do(w, r)
	case "POST /files":
		h.files(w, r)
	case "POST /close":
		h.close(w, r)
	case "POST /undo":
		h.undo(w, r)
	default:
		http.NotFound(w, r)
	}
}

// open gives a browser the cookie, once.
func (h *handler) open(w http.ResponseWriter, name string) {
	h.mu.Lock()
	isLink := h.link != "" && subtle.ConstantTimeCompare([]byte(name), []byte(h.link)) == 1
	if isLink {
		h.link = ""
	}
	h.mu.Unlock()
	if !isLink {
		http.Error(w, "This link was used already. Run abrowser review again.", http.StatusForbidden)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: cookieName, Value: h.secret, Path: h.path + "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	// A page, not a redirect: a browser sends a strict cookie only with a request that a page of
	// this server or the person has caused, and the link may be on another page.
	_, _ = w.Write([]byte(`<!doctype html><meta http-equiv="refresh" content="0; url=../` + html.EscapeString(h.server.First) + `"><link rel="icon" href="../icon.svg"><title>abrowser</title>`))
}

func (h *handler) file(w http.ResponseWriter, name, kind string) {
	content, err := page.ReadFile("page/" + name)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(content) // the browser may have left
}

// state is what the page shows.
type state struct {
	Version   int64            `json:"version"`
	Tabs      []verbs.Tab      `json:"tabs"`
	Questions []verbs.Question `json:"questions"`
	Events    []verbs.Event    `json:"events"`
	Closing   []pendingClosing `json:"closing"`
	Problem   string           `json:"problem,omitzero"`
}

// state waits until something has happened, and returns the state.
func (h *handler) state(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), stateWait)
	defer cancel()
	after, _ := strconv.ParseInt(r.URL.Query().Get("after"), 10, 64) // 0 for a page that has nothing yet
	var s state
	s.Version, s.Events = h.feed.await(ctx, after)
	asking, cancel := context.WithTimeout(r.Context(), askTime)
	defer cancel()
	table, err := h.server.Table(asking)
	if err == nil {
		s.Tabs = table.Tabs
		s.Questions, err = h.server.Questions(asking)
	}
	if err != nil {
		s.Problem = err.Error()
	}
	if s.Tabs == nil {
		s.Tabs = []verbs.Tab{}
	}
	if s.Questions == nil {
		s.Questions = []verbs.Question{}
	}
	s.Closing = h.closings.list()
	respond(w, s, nil)
}

// picture returns a picture of a tab.
func (h *handler) picture(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	after, _ := strconv.ParseInt(q.Get("after"), 10, 64) // 0 for the first picture
	width, _ := strconv.Atoi(q.Get("width"))             // 0 for the default
	ctx, cancel := context.WithTimeout(r.Context(), viewWait+askTime)
	defer cancel()
	params := map[string]any{"session": q.Get("session"), "tab": q.Get("tab"), "after": after, "wait": int(viewWait.Milliseconds())}
	if width > 0 {
		params["width"] = width
	}
	if q.Has("once") {
		params["once"], params["wait"] = true, 2000
	}
	out, err := h.server.Do(ctx, q.Get("session"), &verbs.BrokerView, params)
	if err != nil {
		respond(w, nil, err)
		return
	}
	view, ok := out.(*verbs.View)
	if !ok || len(view.JPEG) == 0 {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "image/jpeg")
	header.Set("X-Number", strconv.FormatInt(view.Number, 10))
	header.Set("X-Width", strconv.FormatFloat(view.Width, 'f', -1, 64))
	header.Set("X-Height", strconv.FormatFloat(view.Height, 'f', -1, 64))
	_, _ = w.Write(view.JPEG) // the browser may have left
}

// verbsOfPage returns the verbs that the page can run.
func verbsOfPage() []wire.AnyVerb {
	return []wire.AnyVerb{
		&verbs.TakeOver, &verbs.HandBack, &verbs.BrokerKeep, &verbs.BrokerInput, &verbs.DialogStatus, &verbs.DialogAccept, &verbs.DialogDismiss,
		&verbs.PolicyAnswer, &verbs.PolicyStatus, &verbs.AnswerPerson, &verbs.SessionLog, &verbs.Console, &verbs.Errors, &verbs.Requests,
	}
}

// do runs a verb.
func (h *handler) do(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Session string         `json:"session"`
		Verb    string         `json:"verb"`
		Params  map[string]any `json:"params"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		respond(w, nil, wire.Errorf(wire.CodeBadInput, "the request is not JSON"))
		return
	}
	for _, v := range verbsOfPage() {
		if v.Describe().Name == in.Verb {
			ctx, cancel := context.WithTimeout(r.Context(), askTime)
			defer cancel()
			out, err := h.server.Do(ctx, in.Session, v, whole(in.Params))
			respond(w, out, err)
			if !v.Describe().ReadOnly && v != wire.AnyVerb(&verbs.BrokerInput) {
				h.feed.notify()
			}
			return
		}
	}
	respond(w, nil, errNotFound("verb "+in.Verb))
}

// whole returns the parameters with numbers as ints, as package commands has them.
func whole(params map[string]any) map[string]any {
	for name, value := range params {
		if number, ok := value.(float64); ok {
			params[name] = int(number)
		}
	}
	return params
}

func (h *handler) close(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Tabs []tabName `json:"tabs"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || len(in.Tabs) == 0 {
		respond(w, nil, wire.Errorf(wire.CodeBadInput, "the request names no tab"))
		return
	}
	h.closings.add(in.Tabs)
	h.feed.notify()
	respond(w, struct{}{}, nil)
}

func (h *handler) undo(w http.ResponseWriter, r *http.Request) {
	var in struct {
		ID string `json:"id"`
	}
	err := json.NewDecoder(r.Body).Decode(&in)
	if err == nil && !h.closings.undo(in.ID) {
		err = errNotFound("closing to undo: the tabs are closed")
	}
	h.feed.notify()
	respond(w, struct{}{}, err)
}

func (h *handler) closeTab(ctx context.Context, tab tabName) error {
	_, err := h.server.Do(ctx, tab.Session, &verbs.BrokerCloseTab, map[string]any{"session": tab.Session, "tab": tab.Tab})
	return err
}

// respond sends an output, or an error with its code and hint.
func respond(w http.ResponseWriter, out any, err error) {
	w.Header().Set("Content-Type", "application/json")
	if err != nil {
		coded := wire.AsError(err)
		w.WriteHeader(http.StatusConflict)
		out = map[string]string{"code": string(coded.Code), "error": coded.Message, "hint": coded.Hint}
	}
	_ = json.NewEncoder(w).Encode(out) // the browser may have left
}
