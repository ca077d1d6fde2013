package server

import (
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// defaultPatience is the time limit of a request that has no deadline.
const defaultPatience = 10 * time.Minute

// refusal is an error and its HTTP status.
type refusal struct {
	err    error
	status int // 0 stands for the status of the error's code; see [statusOf]
}

// respond sends the refusal, and then reads the rest of the request; see [drain].
func (r *refusal) respond(w http.ResponseWriter, request *http.Request) {
	respondError(w, r.err, r.status)
	drain(w, request)
}

func refuse(status int, code wire.Code, format string, args ...any) *refusal {
	return &refusal{wire.Errorf(code, format, args...), status}
}

func (s *Server) serveVerb(w http.ResponseWriter, r *http.Request, h wire.Handler) {
	began := time.Now()
	call, no := s.admit(r, h.Verb.Describe())
	if no == nil {
		no = s.checkSettings(call, h.Verb.Describe())
	}
	if no != nil {
		no.respond(w, r)
		return
	}
	body, no := readBody(w, r)
	if no != nil {
		no.respond(w, r)
		return
	}
	ctx, cancel := context.WithDeadline(r.Context(), call.Deadline)
	defer cancel()
	call.CallerGone = func() bool { return ctx.Err() != nil || disconnected(ctx) }
	out, err := s.run(ctx, call, h, body)
	reply := wire.NewReply(call, out, err)
	code := wire.Code("")
	if reply.Error != nil {
		code = reply.Error.Code
	}
	// The command is logged before the response is sent. A client that has received the response
	// can therefore find the command in the log.
	served := "served"
	if call.Aside {
		served = "served a person"
	}
	s.logger().Info(served, "verb", h.Verb.Describe().Name, "session", call.Session, "code", string(code), "ms", milliseconds(time.Since(began)))
	if s.Served != nil && !call.Aside {
		s.Served(h.Verb.Describe(), err, time.Since(began))
	}
	respond(w, statusOf(code), reply)
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// run calls the handler. If the handler panics, only this request fails.
func (s *Server) run(ctx context.Context, call *wire.Call, h wire.Handler, body []byte) (out any, err error) {
	defer func() {
		if p := recover(); p != nil {
			name := h.Verb.Describe().Name
			s.logger().Error("panic", "verb", name, "value", p, "stack", string(debug.Stack()))
			out, err = nil, wire.Errorf(wire.CodeInternal, "%s: internal error; the server's log has the details", name)
		}
	}()
	return h.Serve(ctx, call, body)
}

// admit checks the headers of a request and returns the call that they describe.
func (s *Server) admit(r *http.Request, verb wire.Spec) (*wire.Call, *refusal) {
	if no := checkForm(r); no != nil {
		return nil, no
	}
	if no := s.checkCompatible(r.Header); no != nil && !verb.EndsServer {
		return nil, no
	}
	call := &wire.Call{Session: r.Header.Get(wire.HeaderSession), Agent: r.Header.Get(wire.HeaderAgent), OwnerProcess: r.Header.Get(wire.HeaderOwner)}
	if no := s.checkSession(call); no != nil {
		return nil, no
	}
	// The error does not contain the agent's id, which may be secret.
	if call.Agent != "" && home.CheckName(call.Agent) != nil {
		return nil, refuse(0, wire.CodeBadInput, "%s is not an agent's name", wire.HeaderAgent)
	}
	patience := defaultPatience
	if text := r.Header.Get(wire.HeaderDeadline); text != "" {
		ms, err := strconv.ParseInt(text, 10, 64)
		if err != nil || ms <= 0 || ms > int64(24*time.Hour/time.Millisecond) {
			return nil, refuse(0, wire.CodeBadInput, "%s is %q; it takes milliseconds", wire.HeaderDeadline, shorten(text))
		}
		patience = time.Duration(ms) * time.Millisecond
	}
	// The deadline is a little before the client's, so that the response arrives in time.
	call.Deadline = time.Now().Add(patience - min(patience/10, 250*time.Millisecond))
	if text := r.Header.Get(wire.HeaderSettings); text != "" {
		if err := json.Unmarshal([]byte(text), &call.Settings); err != nil {
			return nil, refuse(0, wire.CodeBadInput, "%s is not a JSON object of settings", wire.HeaderSettings)
		}
	}
	return call, nil
}

// checkForm refuses requests that a web page could send without a CORS preflight.
func checkForm(r *http.Request) *refusal {
	if r.Method != http.MethodPost {
		return refuse(http.StatusMethodNotAllowed, wire.CodeBadInput, "%s takes POST", r.URL.Path)
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return refuse(http.StatusUnsupportedMediaType, wire.CodeBadInput, "the request's Content-Type is not application/json")
	}
	return nil
}

// checkCompatible refuses a client of another protocol or build. The hint says how to
// continue. If the client has the older protocol, the hint also says that the client is older.
func (s *Server) checkCompatible(h http.Header) *refusal {
	hello := s.Hello()
	end := "abrowser browser stop"
	if hello.Role == wire.RoleDaemon {
		end = "abrowser --session " + hello.Name + " close"
	}
	if theirs := h.Get(wire.HeaderProtocol); theirs != "" && theirs != strconv.Itoa(wire.Protocol()) {
		hint := end + " ends it, and this abrowser then starts its own"
		if n, err := strconv.Atoi(theirs); err == nil && n < wire.Protocol() {
			hint = "update this abrowser, which is older; or " + hint
		}
		return &refusal{wire.Errorf(wire.CodeBuildDiffers, "the running %s has protocol %d, this abrowser %s", hello.Role, wire.Protocol(), shorten(theirs)).
			WithHint("%s", hint), http.StatusConflict}
	}
	if theirs := h.Get(wire.HeaderBuild); theirs != "" && s.Build != "" && theirs != s.Build {
		return &refusal{wire.Errorf(wire.CodeBuildDiffers, "the running %s has build %s, this abrowser %s", hello.Role, s.Build, shorten(theirs)).
			WithHint("wait until its command has ended, the next command then replaces it; or %s", end), http.StatusConflict}
	}
	return nil
}

// checkSession refuses an invalid session name. A daemon also refuses every session name but
// that of its own session. If a request to a daemon contains no session name, checkSession
// sets the daemon's session in the call. A broker serves all sessions.
func (s *Server) checkSession(call *wire.Call) *refusal {
	hello := s.Hello()
	if call.Session == "" {
		if hello.Role == wire.RoleDaemon {
			call.Session = hello.Name
		}
		return nil
	}
	if err := home.CheckName(call.Session); err != nil {
		return &refusal{err, 0}
	}
	if hello.Role == wire.RoleDaemon && call.Session != hello.Name {
		return refuse(http.StatusConflict, wire.CodeNotFound, "this is session %s, not %s", hello.Name, call.Session)
	}
	return nil
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, *refusal) {
	// The deadline is removed once the body is read. Otherwise net/http would cancel the
	// request when the deadline passes, as if the client had disconnected.
	control := http.NewResponseController(w)
	if err := control.SetReadDeadline(time.Now().Add(bodyTime)); err == nil {
		defer func() { _ = control.SetReadDeadline(time.Time{}) }()
	}
	// The body is not read with http.MaxBytesReader, which would make net/http close the
	// connection while the client still sends; see [drain].
	body, err := io.ReadAll(io.LimitReader(r.Body, wire.MaxRequest+1))
	switch {
	case err != nil:
		return nil, refuse(0, wire.CodeBadInput, "reading the request: %v", err)
	case len(body) > wire.MaxRequest:
		return nil, refuse(0, wire.CodeTooLarge, "the request is larger than %d bytes", wire.MaxRequest)
	}
	return body, nil
}
