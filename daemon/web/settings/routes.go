// Package settings changes what the driver does for all pages of a session. The driver can answer
// requests in the place of their servers, run scripts in documents, and send a password. See
// settings.js of launcher/driver.
package settings

import (
	"context"
	"encoding/json"
	"maps"
	"mime"
	"path/filepath"
	"slices"
	"strings"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/direct"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	maxRoutes = 100
	maxBodies = 4 << 20 // bytes of all bodies and scripts, which are written to disk whenever a setting changes
)

// Route adds a route. It replaces a route that has the same URL glob and the same types.
func Route(_ context.Context, at *direct.Settings, in verbs.RouteIn) (verbs.RouteOut, error) {
	return verbs.RouteOut{Routed: in.URL}, at.Change(func(s *daemon.State) error {
		routes := slices.DeleteFunc(slices.Clone(s.Routes), func(r verbs.RouteIn) bool {
			return r.URL == in.URL && slices.Equal(r.Types(), in.Types())
		})
		s.Routes = append([]verbs.RouteIn{in}, routes...)
		if len(s.Routes) > maxRoutes {
			return wire.Errorf(wire.CodeTooLarge, "the session has %d routes already", maxRoutes).WithHint("abrowser network unroute")
		}
		return checkSize(s)
	})
}

// Unroute removes the routes that have the given URL glob, or all routes.
func Unroute(_ context.Context, at *direct.Settings, in verbs.UnrouteIn) (verbs.UnrouteOut, error) {
	out := verbs.UnrouteOut{Unrouted: in.URL}
	if in.URL == "" {
		out.Unrouted = "all"
	}
	before := at.State.Get().Routes
	isMeant := func(r verbs.RouteIn) bool { return in.URL == "" || r.URL == in.URL }
	out.Removed = len(before) - len(slices.DeleteFunc(slices.Clone(before), isMeant))
	if out.Removed == 0 {
		if in.URL == "" {
			return out, nil
		}
		var globs []string
		for _, r := range before {
			globs = append(globs, r.URL)
		}
		err := wire.Errorf(wire.CodeNotFound, "no route for %.200s", in.URL).WithHint("abrowser network unroute")
		if len(globs) > 0 {
			err = wire.Errorf(wire.CodeNotFound, "no route for %.200s; the routes are for %.1000s", in.URL, strings.Join(globs, ", ")).
				WithHint("abrowser network unroute %s", wire.ShellWord(globs[0]))
		}
		return out, err
	}
	return out, at.Change(func(s *daemon.State) error {
		s.Routes = slices.DeleteFunc(slices.Clone(s.Routes), isMeant)
		return nil
	})
}

// checkSize returns an error if the texts in the settings are too long.
func checkSize(s *daemon.State) error {
	size := 0
	for _, r := range s.Routes {
		if r.Body != nil {
			size += len(*r.Body)
		}
	}
	for _, script := range s.Scripts {
		size += len(script.Source)
	}
	if size > maxBodies {
		return wire.Errorf(wire.CodeTooLarge, "the bodies of routes and the scripts of the session have %d bytes; they may have %d", size, maxBodies).
			WithHint("abrowser network route URL --body-file FILE")
	}
	return nil
}

// Params returns the parameters of Abrowser.settings for the settings of a session, and whether
// there are any.
func Params(s daemon.State) (params map[string]any, some bool) {
	var routes []map[string]any
	for _, r := range s.Routes {
		routes = append(routes, routeParams(r))
	}
	params = map[string]any{"routes": routes, "scripts": s.Scripts}
	ready := s.Credentials != nil && s.Credentials.Origin != ""
	if ready {
		params["credentials"] = s.Credentials
	}
	return params, ready || len(s.Routes) > 0 || len(s.Scripts) > 0
}

func routeParams(r verbs.RouteIn) map[string]any {
	p := map[string]any{"url": r.URL, "types": r.Types(), "abort": r.Abort, "delay": r.Delay}
	if r.Abort || !r.Answers() {
		return p
	}
	headers, _ := verbs.ParseHeaders(r.Headers) // Check has returned the error
	headers = maps.Clone(headers)
	if headers == nil {
		headers = map[string]string{}
	}
	hasType := false
	for name := range headers {
		hasType = hasType || strings.EqualFold(name, "Content-Type")
	}
	if !hasType {
		headers["Content-Type"] = contentType(r)
	}
	if r.AllowOrigin != "" {
		headers["Access-Control-Allow-Origin"] = r.AllowOrigin
	}
	p["headers"], p["status"], p["file"] = headers, max(r.Status, 0), r.File
	if r.Status == 0 {
		p["status"] = 200
	}
	if r.Body != nil {
		p["body"] = *r.Body
	}
	return p
}

// contentType returns the content type of a route whose headers do not name one.
func contentType(r verbs.RouteIn) string {
	switch {
	case r.File != "":
		if kind := mime.TypeByExtension(filepath.Ext(r.File)); kind != "" {
			return kind
		}
		return "application/octet-stream"
	case r.Body != nil && json.Valid([]byte(*r.Body)):
		return "application/json"
	case r.Body != nil && strings.HasPrefix(strings.TrimSpace(*r.Body), "<"):
		return "text/html; charset=utf-8"
	default:
		return "text/plain; charset=utf-8"
	}
}
