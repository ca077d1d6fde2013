package cdpserver

import (
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/abrowser/abrowser/cmd/abrowser/commands"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	pathBrowser = "/devtools/browser"
	pathPage    = "/devtools/page/"
)

// handler serves the requests that package loopback allows. Their paths and answers are those of
// Chromium's DevTools server; a slash at the end makes no difference.
type handler struct {
	server    commands.CDPServer
	where     func(scheme string) string // returns the server's URL with this scheme
	browserID string                     // the last part of the path of the browser's WebSocket
	log       *slog.Logger
}

func newID() string { return rand.Text() }

// browserURL returns the URL of the browser's WebSocket.
func (h *handler) browserURL() string { return h.where("ws") + pathBrowser + "/" + h.browserID }

// ServeHTTP answers one request.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimSuffix(r.URL.Path, "/")
	action, id, _ := strings.Cut(strings.TrimPrefix(path, "/json/"), "/")
	switch {
	case path == pathBrowser, path == pathBrowser+"/"+h.browserID:
		h.forward(w, r, "")
	case strings.HasPrefix(path, pathPage):
		h.forward(w, r, strings.TrimPrefix(path, pathPage))
	case path == "/json", path == "/json/list":
		h.answer(w, r, listPages, "")
	case path == "/json/version":
		h.answer(w, r, version, "")
	case path == "/json/new":
		h.openPage(w, r)
	case path == "/json/protocol":
		h.answer(w, r, protocol, "")
	case strings.HasPrefix(path, "/json/") && action == "activate":
		h.answer(w, r, activatePage, id)
	case strings.HasPrefix(path, "/json/") && action == "close":
		h.answer(w, r, closePage, id)
	default:
		http.NotFound(w, r)
	}
}

// openPage answers /json/new?URL. Like Chromium, it accepts only the method PUT, because a web page
// can cause a GET request but not a PUT request.
func (h *handler) openPage(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPut {
		http.Error(w, "Using unsafe HTTP verb "+r.Method+" to invoke /json/new. This action supports only PUT verb.", http.StatusMethodNotAllowed)
		return
	}
	address, err := url.QueryUnescape(strings.ReplaceAll(r.URL.RawQuery, "+", "%2B")) // a + in the URL is not an escaped space
	if err != nil {
		http.Error(w, "the URL is not escaped correctly", http.StatusBadRequest)
		return
	}
	h.answer(w, r, newPage, address)
}

// action performs a request below /json. It returns a text, or a value to encode as JSON.
type action func(h *handler, r *http.Request, b *browser, argument string) (any, error)

// answer connects to the session's browser, performs the action, and writes its result as the
// response to r.
func (h *handler) answer(w http.ResponseWriter, r *http.Request, do action, argument string) {
	b, err := h.connect(r.Context())
	if err != nil {
		h.fail(w, err)
		return
	}
	defer b.close()
	out, err := do(h, r, b, argument)
	if err != nil {
		h.fail(w, err)
		return
	}
	if text, ok := out.(string); ok {
		w.Header().Set("Content-Type", "text/plain; charset=UTF-8")
		_, _ = w.Write([]byte(text)) // the client may have left
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	if raw, ok := out.(json.RawMessage); ok {
		_, _ = w.Write(raw)
		return
	}
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	lines.SetIndent("", "   ")
	_ = lines.Encode(out)
}

// fail answers a request that could not be served.
func (h *handler) fail(w http.ResponseWriter, err error) {
	coded := wire.AsError(err)
	status := http.StatusInternalServerError
	switch coded.Code {
	case wire.CodeNotFound:
		status = http.StatusNotFound
	case wire.CodeBadInput:
		status = http.StatusBadRequest
	case wire.CodeOwnership:
		status = http.StatusForbidden
	default:
		h.log.Warn("answering a request", "code", coded.Code, "error", coded.Message)
	}
	text := coded.Message
	if coded.Hint != "" {
		text += " (" + coded.Hint + ")"
	}
	http.Error(w, text, status)
}
