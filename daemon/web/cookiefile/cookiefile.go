// Package cookiefile reads cookies that a person has copied from a browser: as a curl command, as a
// Cookie header, or as a JSON list. It does not use a page, and stores no cookies.
package cookiefile

import (
	"cmp"
	"encoding/json"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/abrowser/abrowser/sockets/wire"
)

// Cookie is a cookie in a file. A Cookie header and a curl command have only names and values.
type Cookie struct {
	Name, Value, Domain, Path, SameSite string
	Expires                             float64 // seconds since 1970; 0 if the file has none
	HTTPOnly, Secure                    bool
}

// MaxSize is the size of the largest file in bytes.
const MaxSize = 1 << 20

// Parse reads cookies from the content of a file. If the content is a curl command, Parse also
// returns the URL of that command. No error contains a part of the file, since cookies are secrets.
func Parse(content []byte) (cookies []Cookie, at string, err error) {
	text := strings.TrimPrefix(string(content), "\ufeff")
	text = strings.TrimSpace(text)
	switch {
	case len(content) > MaxSize:
		return nil, "", wire.Errorf(wire.CodeTooLarge, "a file with cookies has %d bytes at most", MaxSize).WithHint(hint)
	case !utf8.Valid(content):
		return nil, "", wire.Errorf(wire.CodeBadInput, "the file is not UTF-8").WithHint(hint)
	case strings.HasPrefix(text, "["), strings.HasPrefix(text, "{"):
		cookies, err = parseJSON(text)
	case strings.HasPrefix(text, "curl "), strings.HasPrefix(text, "curl\t"):
		cookies, at, err = parseCurl(text)
	case !strings.Contains(text, "\n"):
		cookies = parseHeader(cutName(text))
	}
	if err == nil && len(cookies) == 0 {
		err = wire.Errorf(wire.CodeBadInput, "the file contains no cookies").WithHint(hint)
	}
	return cookies, at, err
}

const hint = "abrowser help cookies set says what --curl reads"

// cutName returns the value of a Cookie header. A header with another name is returned as it is.
func cutName(header string) string {
	if name, value, ok := strings.Cut(header, ":"); ok && strings.EqualFold(strings.TrimSpace(name), "cookie") {
		return value
	}
	return header
}

// parseHeader reads the pairs of a Cookie header. It leaves out those without a name.
func parseHeader(value string) []Cookie {
	var all []Cookie
	for pair := range strings.SplitSeq(value, ";") {
		name, value, ok := strings.Cut(strings.TrimSpace(pair), "=")
		if ok && name != "" {
			all = append(all, Cookie{Name: name, Value: value})
		}
	}
	return all
}

// parseCurl reads the Cookie headers and the URL of a curl command.
func parseCurl(command string) (cookies []Cookie, at string, err error) {
	words, ok := words(command)
	if !ok {
		return nil, "", wire.Errorf(wire.CodeBadInput, "the curl command has a quote that is not closed").WithHint(hint)
	}
	for i := 1; i < len(words); i++ {
		name, value, joined := strings.Cut(words[i], "=")
		if !strings.HasPrefix(name, "--") || !joined {
			name, joined = words[i], false
		}
		if len(name) > 2 && (strings.HasPrefix(name, "-b") || strings.HasPrefix(name, "-H")) {
			name, value, joined = name[:2], name[2:], true
		}
		isCookie, isHeader := name == "-b" || name == "--cookie", name == "-H" || name == "--header"
		if (isCookie || isHeader) && !joined && i+1 < len(words) {
			i++
			value = words[i]
		}
		switch {
		case isCookie:
			cookies = append(cookies, parseHeader(value)...)
		case isHeader && cutName(value) != value:
			cookies = append(cookies, parseHeader(cutName(value))...)
		case at == "" && isURL(name):
			at = name
		case name == "--url" && joined:
			at = value
		}
	}
	return cookies, at, nil
}

func isURL(word string) bool {
	u, err := url.Parse(word)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// parseJSON reads a list of cookies, or an object whose member cookies is such a list. It accepts
// the member names that CDP uses, and those of browser extensions that export cookies.
func parseJSON(text string) ([]Cookie, error) {
	type entry struct {
		Name, Value, Domain, Path, SameSite string
		Expires, ExpirationDate             *float64
		HTTPOnly, Secure                    bool
	}
	var list []entry
	var err error
	if strings.HasPrefix(text, "{") {
		var object struct{ Cookies []entry }
		err = json.Unmarshal([]byte(text), &object)
		list = object.Cookies
	} else {
		err = json.Unmarshal([]byte(text), &list)
	}
	if err != nil { // the cause might quote a value
		return nil, wire.Errorf(wire.CodeBadInput, "the file is not a JSON list of cookies").WithHint(hint)
	}
	var all []Cookie
	for _, e := range list {
		c := Cookie{Name: e.Name, Value: e.Value, Domain: e.Domain, Path: e.Path, SameSite: sameSite(e.SameSite), HTTPOnly: e.HTTPOnly, Secure: e.Secure}
		if at := cmp.Or(e.Expires, e.ExpirationDate); at != nil && *at > 0 {
			c.Expires = *at
		}
		all = append(all, c)
	}
	return all, nil
}

// sameSite returns the value as CDP spells it, or "" for a value that means the browser's default.
func sameSite(value string) string {
	switch strings.ToLower(value) {
	case "strict":
		return "Strict"
	case "lax":
		return "Lax"
	case "none", "no_restriction":
		return "None"
	}
	return ""
}
