package home

import (
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// normalizeEndpoint returns the CDP endpoint of an external browser in its canonical spelling:
//
//   - A port alone becomes a URL of that port on localhost.
//   - The host becomes lower case. A loopback address becomes localhost, except with TLS.
//   - An HTTP URL loses a path of the discovery interface, such as /json/version.
//
// An error contains at most the endpoint's port, because other parts may contain a secret token.
func normalizeEndpoint(text string) (string, error) {
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
	// With TLS the host is not changed, since the certificate is checked against it.
	if ip := net.ParseIP(u.Hostname()); ip != nil && ip.IsLoopback() && (u.Scheme == "http" || u.Scheme == "ws") {
		u.Host = strings.TrimSuffix("localhost:"+u.Port(), ":")
	}
	return u.String(), nil
}

// RedactCDP returns a CDP endpoint without user, path and query, any of which may be a
// secret. The result may be shown and logged.
func RedactCDP(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return "the CDP endpoint"
	}
	return u.Scheme + "://" + u.Host
}
