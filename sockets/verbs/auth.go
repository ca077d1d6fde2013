package verbs

import (
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/abrowser/abrowser/sockets/wire"
)

const groupAuth = "Saved logins"

// AuthProfile is a saved login without its password.
type AuthProfile struct {
	Name             string `json:"name"`
	URL              string `json:"url"`
	Username         string `json:"username"`
	UsernameSelector string `json:"usernameSelector,omitzero"`
	PasswordSelector string `json:"passwordSelector,omitzero"`
	SubmitSelector   string `json:"submitSelector,omitzero"`
}

// maxPassword is the largest length of a password, in bytes.
const maxPassword = 4096

// AuthSaveIn is the input of [AuthSave].
type AuthSaveIn struct {
	Name             string `json:"name" arg:"0" required:"true" help:"a name for the login"`
	URL              string `json:"url" required:"true" help:"the page with the login form"`
	Username         string `json:"username" required:"true" help:"the user's name or address"`
	PasswordStdin    bool   `json:"passwordStdin,omitzero" help:"read the password from standard input"`
	PasswordFile     string `json:"passwordFile,omitzero" file:"in" help:"read the password from a file"`
	Password         string `json:"password,omitzero" flag:"-" help:"the password, from standard input"`
	UsernameSelector string `json:"usernameSelector,omitzero" help:"the field for the user's name, if it is not found"`
	PasswordSelector string `json:"passwordSelector,omitzero" help:"the field for the password, if it is not found"`
	SubmitSelector   string `json:"submitSelector,omitzero" help:"the button to click; the default is to press Enter in the password field"`
	KeyFileIn
}

// Check returns an error unless the input has a username, the URL of a page and exactly one source
// of the password.
func (in AuthSaveIn) Check() error {
	const hint = "abrowser auth save shop --url https://example.com/login --username me --password-stdin < password.txt"
	u, err := url.Parse(in.URL)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil:
		return wire.Errorf(wire.CodeBadInput, "%.200q is not the URL of a page, such as https://example.com/login", in.URL).WithHint(hint)
	case in.Username == "":
		return wire.Errorf(wire.CodeBadInput, "the username is empty").WithHint(hint)
	case (in.Password == "") == (in.PasswordFile == ""):
		return wire.Errorf(wire.CodeBadInput, "auth save needs --password-stdin or --password-file FILE, and a password that is not empty").WithHint(hint)
	}
	return CheckPassword(in.Password)
}

// CheckPassword returns an error for a text that cannot be typed into a password field. The error
// does not contain the text.
func CheckPassword(password string) error {
	switch {
	case !utf8.ValidString(password) || strings.ContainsAny(password, "\x00\r\n"):
		return wire.Errorf(wire.CodeBadInput, "the password is not one line of UTF-8").WithHint("printf %%s PASSWORD > FILE, or a file without further lines")
	case len(password) > maxPassword:
		return wire.Errorf(wire.CodeTooLarge, "the password has %d bytes, more than %d", len(password), maxPassword).WithHint("check the file")
	}
	return nil
}

// AuthSaveOut is the output of [AuthSave].
type AuthSaveOut struct {
	Saved string `json:"saved"` // the name of the login
}

// AuthSave saves a username and a password.
var AuthSave = wire.Verb[AuthSaveIn, AuthSaveOut]{Spec: wire.Spec{
	Name: "auth save", Group: groupAuth, Short: "Save how to log in to a site, encrypted",
	Long:    "The password is read from standard input or a file, and is never printed. The file in ~/.abrowser/auth is encrypted by age with ABROWSER_ENCRYPTION_KEY, or else with a key that abrowser keeps in ~/.abrowser/auth.key.",
	Example: "abrowser auth save shop --url https://example.com --username me --password-file password.txt", By: wire.ByCommand, NoStart: true,
}}

// AuthNameIn is the input of a verb that reads a saved login.
type AuthNameIn struct {
	Name string `json:"name" arg:"0" required:"true" help:"a name from auth list"`
	KeyFileIn
}

// AuthLoginIn is the input of [AuthLogin].
type AuthLoginIn struct {
	AuthNameIn
	Profile  *AuthProfile `json:"profile,omitzero" flag:"-" help:"the saved login, which the caller has read"`
	Password string       `json:"password,omitzero" flag:"-" help:"the password of the saved login"`
	TimeoutIn
}

// Check returns an error for a password that cannot be typed.
func (in AuthLoginIn) Check() error { return CheckPassword(in.Password) }

// CheckComplete returns an error if the request does not contain the saved login. The caller reads
// the login from its file and adds it to the request.
func (in AuthLoginIn) CheckComplete() error {
	if in.Profile == nil || in.Password == "" {
		return wire.Errorf(wire.CodeBadInput, "the request has no saved login").WithHint("abrowser auth list")
	}
	return nil
}

// AuthLoginOut is the output of [AuthLogin].
type AuthLoginOut struct {
	LoggedIn bool   `json:"loggedIn"`
	Name     string `json:"name"`
	URL      string `json:"url"`
	Title    string `json:"title"`
	Effects
}

// Text returns the title and the URL of the page after the login, and the effects.
func (o AuthLoginOut) Text() string { return lines(o.Title, o.URL, o.Effects.Text()) }

// AuthLogin logs in to a site with a saved login.
var AuthLogin = wire.Verb[AuthLoginIn, AuthLoginOut]{Spec: wire.Spec{
	Name: "auth login", Group: groupAuth, Short: "Open the page of a saved login and log in",
	Long:    "The password is typed only into a page of the saved URL's site. A form that asks for the user's name first is filled in two steps. The command fails if the password field is still there afterwards.",
	Example: "abrowser auth login shop",
}}

// AuthListOut is the output of [AuthList].
type AuthListOut struct {
	Profiles []AuthListed `json:"profiles"`
}

// AuthListed is a saved login in a list.
type AuthListed struct {
	Name     string `json:"name"`
	Username string `json:"username,omitzero"`
	URL      string `json:"url,omitzero"`
	Error    string `json:"error,omitzero"` // why the login cannot be read
}

// Text returns a line for each saved login.
func (o AuthListOut) Text() string {
	if len(o.Profiles) == 0 {
		return "No saved logins"
	}
	var all []string
	for _, p := range o.Profiles {
		if p.Error != "" {
			all = append(all, fmt.Sprintf("%s  (%s)", p.Name, p.Error))
			continue
		}
		all = append(all, fmt.Sprintf("%s  %s at %s", p.Name, p.Username, p.URL))
	}
	return lines(all...)
}

// AuthList lists the saved logins.
var AuthList = wire.Verb[KeyFileIn, AuthListOut]{Spec: wire.Spec{
	Name: "auth list", Group: groupAuth, Short: "List the saved logins", Example: "abrowser auth list",
	By: wire.ByCommand, NoStart: true, ReadOnly: true,
}}

// AuthShowOut is the output of [AuthShow].
type AuthShowOut struct {
	Profile AuthProfile `json:"profile"`
}

// Text returns the saved login without the password.
func (o AuthShowOut) Text() string {
	p := o.Profile
	return lines(p.Name, "url: "+p.URL, "username: "+p.Username,
		labelled("username selector: ", p.UsernameSelector), labelled("password selector: ", p.PasswordSelector), labelled("submit selector: ", p.SubmitSelector))
}

// AuthShow shows a saved login without its password.
var AuthShow = wire.Verb[AuthNameIn, AuthShowOut]{Spec: wire.Spec{
	Name: "auth show", Group: groupAuth, Short: "Show a saved login without its password", Example: "abrowser auth show shop",
	By: wire.ByCommand, NoStart: true, ReadOnly: true,
}}

// AuthDeleteIn is the input of [AuthDelete].
type AuthDeleteIn struct {
	Name string `json:"name" arg:"0" required:"true" help:"a name from auth list"`
}

// AuthDeleteOut is the output of [AuthDelete].
type AuthDeleteOut struct {
	Deleted string `json:"deleted"` // the name of the login
}

// AuthDelete removes a saved login.
var AuthDelete = wire.Verb[AuthDeleteIn, AuthDeleteOut]{Spec: wire.Spec{
	Name: "auth delete", Aliases: []string{"auth remove"}, Group: groupAuth, Short: "Remove a saved login", Example: "abrowser auth delete shop",
	By: wire.ByCommand, NoStart: true, Destructive: true,
}}
