package home

import (
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// settleEndpoint spells the address of a browser that somebody else started: a
// port is one of this machine, which has one name, and an address of HTTP goes
// without what leads from it to the WebSocket's. What is wrong is not repeated in
// the error: an address may have a token in it.
func settleEndpoint(text string) (string, error) {
	if _, err := strconv.Atoi(text); err == nil {
		text = "localhost:" + text
	}
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	bad := wire.Errorf(wire.CodeBadInput, "--cdp takes a port, http://HOST:PORT or ws://...").WithHint("abrowser --cdp 9222 open")
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.Fragment != "" || u.Opaque != "" {
		return "", bad
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return "", wire.Errorf(wire.CodeBadInput, "--cdp has the port %s; ports are 1 to 65535", port).WithHint("abrowser --cdp 9222 open")
		}
	}
	switch u.Scheme {
	case "http", "https":
		u.Path = strings.TrimSuffix(u.Path, "/")
		for _, known := range []string{"/json/version", "/json/list", "/json"} {
			u.Path = strings.TrimSuffix(u.Path, known)
		}
		u.RawPath = ""
	case "ws", "wss":
	default:
		return "", bad
	}
	u.Host = strings.ToLower(u.Host)
	// With TLS the name is what the certificate is for.
	if ip := net.ParseIP(u.Hostname()); ip != nil && ip.IsLoopback() && (u.Scheme == "http" || u.Scheme == "ws") {
		u.Host = strings.TrimSuffix("localhost:"+u.Port(), ":")
	}
	return u.String(), nil
}

// PlainEndpoint is an endpoint as it may be shown and logged: without its path and
// query, either of which may be a secret.
func PlainEndpoint(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return "the CDP endpoint"
	}
	return u.Scheme + "://" + u.Host
}
