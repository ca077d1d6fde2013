// Package address completes the URLs that callers give, and refuses those that must not be opened.
package address

import (
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

const maxURL = 2 << 20

// Complete completes a URL. A URL without a scheme gets https, or http for a loopback host.
// Schemes that give access to the browser or run scripts are refused.
func Complete(given string) (string, error) {
	text := strings.TrimSpace(given)
	switch {
	case text == "":
		return "", wire.Errorf(wire.CodeBadInput, "the URL is empty").WithHint("abrowser open https://example.com")
	case len(text) > maxURL:
		return "", wire.Errorf(wire.CodeBadInput, "the URL is longer than %d bytes", maxURL)
	case strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "", wire.Errorf(wire.CodeBadInput, "the URL contains control characters")
	case strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "//"):
		return "", wire.Errorf(wire.CodeBadInput, "%q is a path, not a URL", text).WithHint("abrowser open %s", wire.ShellWord("file://"+text))
	}
	scheme := schemeOf(text)
	switch scheme {
	case "":
		return withScheme(strings.TrimPrefix(text, "//"))
	case "http", "https":
		return text, checkHost(text)
	case "file", "data", "blob":
		return text, nil
	case "about":
		if strings.EqualFold(text, "about:blank") {
			return "about:blank", nil
		}
	}
	return "", wire.Errorf(wire.CodeBadInput, "%s: is a scheme that abrowser does not open", scheme).
		WithHint("http, https, file, data, blob and about:blank are opened")
}

// schemeOf returns the scheme of the URL in lower case, or an empty string if the text begins with
// a host.
func schemeOf(text string) string {
	name, rest, found := strings.Cut(text, ":")
	if !found || !regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*$`).MatchString(name) {
		return ""
	}
	// example.com:8080/path is a host and its port.
	scheme := strings.ToLower(name)
	if regexp.MustCompile(`^[0-9]{1,5}(?:[/?#]|$)`).MatchString(rest) && !slices.Contains([]string{"data", "javascript", "vbscript", "mailto", "tel"}, scheme) {
		return ""
	}
	return scheme
}

func withScheme(text string) (string, error) {
	full := "https://" + text
	u, err := url.Parse(full)
	if err != nil {
		return "", wire.Errorf(wire.CodeBadInput, "invalid URL %q", text)
	}
	if isLoopback(u.Hostname()) {
		full = "http://" + text
	}
	return full, checkHost(full)
}

func checkHost(full string) error {
	u, err := url.Parse(full)
	if err != nil || u.Hostname() == "" || strings.ContainsAny(u.Host, " <>\"{}|\\^`") || strings.Trim(u.Hostname(), ".") == "" {
		return wire.Errorf(wire.CodeBadInput, "invalid URL %q: it has no host", full).WithHint("abrowser open https://example.com")
	}
	return nil
}

func isLoopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && (ip.IsLoopback() || ip.IsUnspecified())
}
