package verbs

import (
	"net/url"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// CredentialsIn is the input of [SetCredentials].
type CredentialsIn struct {
	Username string `json:"username" arg:"0" required:"true" help:"the user name"`
	Password string `json:"password,omitzero" arg:"1" help:"the password, which other users may see in the list of processes"`
	// PasswordFile is read by the session's daemon.
	PasswordFile string `json:"passwordFile,omitzero" file:"in" help:"read the password from a file"`
	Origin       string `json:"origin,omitzero" help:"the only origin that gets the password; without it that of the page or, if there is none, of the next page"`
}

// Check returns an error for credentials that HTTP cannot transfer, and for an invalid origin. The
// error does not contain the credentials.
func (in CredentialsIn) Check() error {
	const hint = "abrowser set credentials USER --password-file FILE --origin https://example.com"
	switch u, err := url.Parse(in.Origin); {
	case (in.Password == "") == (in.PasswordFile == ""):
		return wire.Errorf(wire.CodeBadInput, "set credentials needs a password or --password-file FILE").WithHint(hint)
	case strings.ContainsAny(in.Username, ":\r\n\x00") || strings.ContainsAny(in.Password, "\r\n\x00") || len(in.Username)+len(in.Password) > 4096:
		return wire.Errorf(wire.CodeBadInput, "the user name or the password contains a character that HTTP cannot transfer, or is too long").WithHint(hint)
	case in.Origin != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil):
		return wire.Errorf(wire.CodeBadInput, "the origin is not an http or https URL").WithHint(hint)
	}
	return nil
}

// CredentialsOut is the output of [SetCredentials].
type CredentialsOut struct {
	Set    bool   `json:"set"`
	Origin string `json:"origin,omitzero"` // the origin that gets the password; empty until a page is opened
}

// Text returns the origin that gets the password.
func (o CredentialsOut) Text() string {
	if o.Origin == "" {
		return "for the origin of the next page"
	}
	return "for " + o.Origin
}

// SetCredentials sends a user name and a password to one origin.
var SetCredentials = wire.Verb[CredentialsIn, CredentialsOut]{Spec: wire.Spec{
	Name: "set credentials", Aliases: []string{"set auth"}, Group: groupPolicy, Short: "Send a user name and a password to one origin by HTTP Basic",
	Long: "Every request of the session's pages to the origin has the password, and no other request does: not after a redirect, and not from other sessions. " +
		"It ends with the session or with set reset.",
	Example: "abrowser set credentials me --password-file password.txt --origin https://example.com",
}}
