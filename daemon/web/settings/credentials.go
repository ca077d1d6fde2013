package settings

import (
	"context"
	"net/url"
	"strings"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/direct"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// maxCredentials is the size in bytes of the largest file with a password.
const maxCredentials = 4096

// SetCredentials makes the driver send a user name and a password to the servers of one origin.
// This is the given origin, or the origin of the session's page. If there is neither, it is the
// origin of the page that is opened next.
func SetCredentials(_ context.Context, at *direct.Settings, in verbs.CredentialsIn) (verbs.CredentialsOut, error) {
	if in.PasswordFile != "" {
		content, err := daemon.ReadFile(in.PasswordFile, maxCredentials)
		if err != nil {
			return verbs.CredentialsOut{}, err
		}
		in.Password, in.PasswordFile = strings.TrimSuffix(strings.TrimSuffix(string(content), "\n"), "\r"), ""
		if err := in.Check(); err != nil {
			return verbs.CredentialsOut{}, err
		}
	}
	origin := OriginOf(in.Origin)
	if in.Origin == "" {
		origin = OriginOf(at.URL)
	}
	return verbs.CredentialsOut{Set: true, Origin: origin}, at.Change(func(s *daemon.State) error {
		s.Credentials = &daemon.Credentials{Origin: origin, Username: in.Username, Password: in.Password}
		return nil
	})
}

// OriginOf returns the origin of an http or https URL, or "" for other URLs.
func OriginOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	host := strings.ToLower(u.Host)
	if port := u.Port(); u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" {
		host = strings.TrimSuffix(host, ":"+port)
	}
	return u.Scheme + "://" + host
}
