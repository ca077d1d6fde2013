package jar

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

// cookie is a cookie as CDP returns it. A cookie's value is never logged.
type cookie struct {
	Name         string     `json:"name"`
	Value        string     `json:"value"`
	Domain       string     `json:"domain"` // starts with a dot if the cookie is for subdomains too
	Path         string     `json:"path"`
	Expires      float64    `json:"expires"` // seconds since 1970; -1 for a session cookie
	HTTPOnly     bool       `json:"httpOnly,omitempty"`
	Secure       bool       `json:"secure,omitempty"`
	Session      bool       `json:"session,omitempty"`
	SameSite     string     `json:"sameSite,omitempty"`
	Priority     string     `json:"priority,omitempty"`
	SourceScheme string     `json:"sourceScheme,omitempty"`
	SourcePort   int        `json:"sourcePort,omitempty"`
	Partition    *partition `json:"partitionKey,omitempty"`
	Opaque       bool       `json:"partitionKeyOpaque,omitempty"`
}

type partition struct {
	Site      string `json:"topLevelSite"`
	CrossSite bool   `json:"hasCrossSiteAncestor"`
}

// key returns the members that identify a cookie in the browser, as one string.
func (c cookie) key() string {
	key := []string{c.Name, c.Domain, c.Path}
	if c.Partition != nil {
		key = append(key, c.Partition.Site)
		if c.Partition.CrossSite {
			key = append(key, "cross")
		}
	}
	return strings.Join(key, "\x00")
}

// fingerprint returns a hash that distinguishes two states of a cookie. It ignores fractions of a
// second in the expiry time, since Chromium's file drops them.
func (c cookie) fingerprint() string {
	c.Expires = math.Floor(c.Expires)
	raw, _ := json.Marshal(c) // a cookie can always be encoded
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:8])
}

func (c cookie) isExpired(now time.Time) bool {
	return !c.Session && c.Expires >= 0 && c.Expires <= float64(now.Unix())
}

// param is a cookie in the form that Storage.setCookies takes. In its JSON, the fields of param
// replace those of cookie with the same name.
type param struct {
	cookie
	URL     string   `json:"url,omitempty"`
	Domain  string   `json:"domain,omitempty"`
	Expires *float64 `json:"expires,omitempty"`
}

// param returns the parameters that set the cookie again. For a cookie of a single host they have
// a URL and no domain, because the browser sends a cookie with a domain to subdomains too.
func (c cookie) param() param {
	p := param{cookie: c}
	// Storage.setCookies has no member session. It sets a session cookie if expires is missing.
	p.Session = false
	if !c.Session && c.Expires >= 0 {
		p.Expires = &c.Expires
	}
	if strings.HasPrefix(c.Domain, ".") {
		p.Domain = c.Domain
		return p
	}
	scheme, host := "http", c.Domain
	if c.Secure || c.SourceScheme == "Secure" {
		scheme = "https"
	}
	if strings.Contains(host, ":") && !strings.HasPrefix(host, "[") {
		host = "[" + host + "]"
	}
	if c.SourcePort > 0 {
		host += ":" + strconv.Itoa(c.SourcePort)
	}
	p.URL = scheme + "://" + host + c.Path
	return p
}
