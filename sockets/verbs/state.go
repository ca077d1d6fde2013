package verbs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/abrowser/abrowser/sockets/wire"
)

// State contains the data that keeps a user logged in to sites: the cookies of the sites, and the
// storage of their origins. Its JSON has the format of agent-browser. A state without session
// storage also has the format of Playwright.
type State struct {
	Cookies []StateCookie `json:"cookies"`
	Origins []StateOrigin `json:"origins"`
}

// StateCookie is a cookie of a [State].
type StateCookie struct {
	Name     string  `json:"name"`
	Value    string  `json:"value"`
	Domain   string  `json:"domain"` // with a leading dot if subdomains get the cookie too
	Path     string  `json:"path"`
	Expires  float64 `json:"expires"` // seconds since 1970; -1 for a cookie that ends with the browser
	HTTPOnly bool    `json:"httpOnly"`
	Secure   bool    `json:"secure"`
	SameSite string  `json:"sameSite,omitzero"`
	// Partition is the partition key of CDP, or the top-level site as text.
	Partition json.RawMessage `json:"partitionKey,omitzero"`
}

// StateOrigin is the storage of an origin.
type StateOrigin struct {
	Origin         string         `json:"origin"`
	LocalStorage   []StorageEntry `json:"localStorage"`
	SessionStorage []StorageEntry `json:"sessionStorage,omitzero"`
}

// hintState is the hint of errors about the content of a state file.
const hintState = "abrowser state save writes such a file"

// ParseState parses the content of a state file, and returns an error for any other content. No
// error contains the value of a cookie or of a storage entry, since the values are secret.
func ParseState(content []byte) (*State, error) {
	var members map[string]json.RawMessage
	switch {
	case len(content) > wire.MaxRequest:
		return nil, wire.Errorf(wire.CodeTooLarge, "the state has %d bytes; it may have %d at most", len(content), wire.MaxRequest).WithHint(hintState)
	case !utf8.Valid(content):
		return nil, wire.Errorf(wire.CodeBadInput, "the state is not UTF-8").WithHint(hintState)
	case json.Unmarshal(content, &members) != nil || !isList(members["cookies"]) || !isList(members["origins"]):
		return nil, wire.Errorf(wire.CodeBadInput, "the file is not a saved state: a state is a JSON object with the lists cookies and origins").WithHint(hintState)
	}
	state := &State{}
	if err := json.Unmarshal(content, state); err != nil { // err might quote a secret value
		return nil, wire.Errorf(wire.CodeBadInput, "the file is not a saved state: a cookie or an origin in it has another form").WithHint(hintState)
	}
	return state, state.check()
}

func isList(raw json.RawMessage) bool { return bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) }

// check returns an error if the state contains a cookie, an origin or a storage entry that no
// browser could have saved.
func (s *State) check() error {
	unsafe := func(r rune) bool { return r == ';' || r != '\t' && unicode.IsControl(r) }
	for _, c := range s.Cookies {
		switch {
		case strings.ContainsFunc(c.Name+c.Value, unsafe) || len(c.Name)+len(c.Value) > maxCookie:
			return wire.Errorf(wire.CodeBadInput, "the cookie %.100q in the state is one that browsers do not keep", c.Name).WithHint(hintState)
		case strings.Trim(c.Domain, ".") == "" || len(c.Domain) > 254 || strings.ContainsAny(c.Domain, " /,;=@?#\"\\<>") || strings.ContainsFunc(c.Domain+c.Path, unsafe) || !strings.HasPrefix(c.Path, "/"):
			return wire.Errorf(wire.CodeBadInput, "the cookie %.100q in the state has no valid domain and path", c.Name).WithHint(hintState)
		case c.SameSite != "" && c.SameSite != "Strict" && c.SameSite != "Lax" && c.SameSite != "None":
			return wire.Errorf(wire.CodeBadInput, "the cookie %.100q in the state has the unknown sameSite %.20q", c.Name, c.SameSite).WithHint(hintState)
		}
	}
	for _, o := range s.Origins {
		u, err := url.Parse(o.Origin)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.Scheme+"://"+u.Host != strings.TrimSuffix(o.Origin, "/") {
			return wire.Errorf(wire.CodeBadInput, "%.100q in the state is not an origin", o.Origin).WithHint(hintState)
		}
		for _, e := range append(append([]StorageEntry{}, o.LocalStorage...), o.SessionStorage...) {
			if len(e.Name)+len(e.Value) > maxEntry {
				return wire.Errorf(wire.CodeBadInput, "an entry of %.100s in the state has more than %d bytes", o.Origin, maxEntry).WithHint(hintState)
			}
		}
	}
	return nil
}

// Summary says how many cookies and origins the state has.
func (s *State) Summary() string {
	return fmt.Sprintf("%d cookies, %d origins", len(s.Cookies), len(s.Origins))
}

// KeyFileIn is the part of an input that chooses the key of an encrypted file. If KeyFile is empty,
// the key is the value of the variable ABROWSER_ENCRYPTION_KEY or AGENT_BROWSER_ENCRYPTION_KEY.
type KeyFileIn struct {
	KeyFile string `json:"keyFile,omitzero" env:"ENCRYPTION_KEY_FILE" file:"in" help:"a file with the key, which is an age identity or any other text; the default is the variable ABROWSER_ENCRYPTION_KEY"`
}

// StateSaveIn is the input of [StateSave].
type StateSaveIn struct {
	Path string `json:"path" arg:"0" required:"true" file:"out" help:"the file to write; a name without a dot or slash is kept in ~/.abrowser/states"`
	All  bool   `json:"all,omitzero" help:"save the cookies of all sites, and not only those of the session's pages"`
	KeyFileIn
	TimeoutIn
}

// StateSaveOut is the output of [StateSave].
type StateSaveOut struct {
	Saved     bool     `json:"saved"`
	Path      string   `json:"path"`
	Encrypted bool     `json:"encrypted"`
	Cookies   int      `json:"cookies"`         // the number of cookies
	Origins   []string `json:"origins"`         // the origins whose storage was saved
	Left      int      `json:"left"`            // the number of cookies of other sites, which were not saved
	Content   []byte   `json:"state,omitempty"` // the content of the file; TakeFile clears it
}

// TakeFile returns the file, which the caller then writes; see [wire.Filer].
func (o *StateSaveOut) TakeFile() (wire.File, bool) {
	content := o.Content
	o.Content = nil
	return wire.File{Path: o.Path, Content: content, Private: true}, true
}

// SetPath sets the path to which the file was written.
func (o *StateSaveOut) SetPath(path string) { o.Path = path }

// Text returns the path of the file, and the number of cookies and origins in it.
func (o StateSaveOut) Text() string {
	text := fmt.Sprintf("%s (%s, storage of %s)", o.Path, counted(o.Cookies, "cookie", "cookies"), counted(len(o.Origins), "origin", "origins"))
	if o.Left > 0 {
		text += fmt.Sprintf("; left %s of other sites", counted(o.Left, "cookie", "cookies"))
	}
	return text
}

// StateSave saves the login of the sites that the session's pages are at.
var StateSave = wire.Verb[StateSaveIn, StateSaveOut]{Spec: wire.Spec{
	Name: "state save", Group: groupState, Short: "Save the cookies and storage of the sites that the session's pages are at", ReadOnly: true,
	Long:    "--all saves all cookies of the browser. Storage is saved for the origins of open pages. With a key the file is encrypted by age, else it is plain JSON that only you can read. It contains logins.",
	Example: "abrowser state save login",
}}

// StateLoadIn is the input of [StateLoad].
type StateLoadIn struct {
	Path  string `json:"path" arg:"0" required:"true" file:"in" help:"the file to read, or a name from state list"`
	All   bool   `json:"all,omitzero" help:"load the whole file, for all sessions that share the browser's logins"`
	State *State `json:"state,omitzero" flag:"-" help:"the content of the file, which the caller has read"`
	KeyFileIn
	TimeoutIn
}

// Check returns an error if the state contains data that no browser could have saved.
func (in StateLoadIn) Check() error {
	if in.State == nil {
		return nil // the caller has not read the file yet; see CheckComplete
	}
	return in.State.check()
}

// CheckComplete returns an error if the request does not contain the content of the file. The
// caller reads the file and adds its content to the request.
func (in StateLoadIn) CheckComplete() error {
	if in.State == nil {
		return wire.Errorf(wire.CodeBadInput, "the request has no state").WithHint(hintState)
	}
	return nil
}

// StateLoadOut is the output of [StateLoad].
type StateLoadOut struct {
	Loaded         bool     `json:"loaded"`
	Path           string   `json:"path"`
	Cookies        int      `json:"cookies"`        // the number of cookies that were set
	Sites          []string `json:"sites"`          // the sites that were loaded
	Origins        []string `json:"origins"`        // the origins whose storage was set
	Left           int      `json:"left"`           // the number of cookies of other sites, which were not set
	SkippedOrigins []string `json:"skippedOrigins"` // the origins whose storage was not set
	Sessions       []string `json:"sessions,omitzero"`
}

// Text says which cookies and storage were loaded, and which were not.
func (o StateLoadOut) Text() string {
	text := fmt.Sprintf("loaded %s and the storage of %s", counted(o.Cookies, "cookie", "cookies"), counted(len(o.Origins), "origin", "origins"))
	if len(o.Sites) > 0 {
		text += " for " + strings.Join(o.Sites, ", ")
	}
	if o.Left > 0 || len(o.SkippedOrigins) > 0 {
		text += fmt.Sprintf("; left %s", counted(o.Left, "cookie", "cookies"))
		if len(o.SkippedOrigins) > 0 {
			text += " and the storage of " + strings.Join(o.SkippedOrigins, ", ")
		}
	}
	return lines(text, labelled("these sessions have them too: ", strings.Join(o.Sessions, ", ")))
}

// StateLoad sets cookies and storage from a file.
var StateLoad = wire.Verb[StateLoadIn, StateLoadOut]{Spec: wire.Spec{
	Name: "state load", Group: groupState, Short: "Load a saved state for the sites that the session's pages are at",
	Long:    "So open a page of the site first, and reload it afterwards. --all loads the whole file for all sessions that share the browser's logins, and names these sessions. An incognito session, which has logins of its own, loads the whole file anyway. Cookies and entries that the file does not have stay.",
	Example: "abrowser state load login",
}}

// StateFile is a file in the directory of saved states.
type StateFile struct {
	Name      string `json:"name"` // the name that state load accepts
	Filename  string `json:"filename"`
	Path      string `json:"path"`
	Size      int64  `json:"size"`
	Modified  int64  `json:"modified"` // seconds since 1970
	Encrypted bool   `json:"encrypted"`
}

// StateListOut is the output of [StateList].
type StateListOut struct {
	Directory string      `json:"directory"`
	Files     []StateFile `json:"files"`
}

// Text returns a line for each file.
func (o StateListOut) Text() string {
	if len(o.Files) == 0 {
		return "No saved states"
	}
	var all []string
	for _, f := range o.Files {
		kind := "plain"
		if f.Encrypted {
			kind = "encrypted"
		}
		all = append(all, fmt.Sprintf("%s  %s, %d bytes, %s", f.Name, time.Unix(f.Modified, 0).Format(time.DateTime), f.Size, kind))
	}
	return lines(all...)
}

// StateList lists the saved states.
var StateList = wire.Verb[Empty, StateListOut]{Spec: wire.Spec{
	Name: "state list", Group: groupState, Short: "List the states that were saved under a name", Example: "abrowser state list",
	By: wire.ByCommand, NoStart: true, ReadOnly: true,
}}

// StateShowIn is the input of [StateShow].
type StateShowIn struct {
	Path string `json:"path" arg:"0" required:"true" file:"in" help:"a file, or a name from state list"`
	KeyFileIn
}

// StateShowOut is the output of [StateShow].
type StateShowOut struct {
	StateFile
	State   json.RawMessage `json:"state"` // null if the file is encrypted and no key is given
	Summary string          `json:"summary"`
	Sites   []string        `json:"sites,omitzero"` // the domains of cookies and the origins
}

// Text returns what the file contains, without values.
func (o StateShowOut) Text() string { return lines(append([]string{o.Summary}, o.Sites...)...) }

// StateShow shows what a state file contains.
var StateShow = wire.Verb[StateShowIn, StateShowOut]{Spec: wire.Spec{
	Name: "state show", Group: groupState, Short: "Show what a saved state contains", Example: "abrowser state show login",
	Long: "The text has no values; the member state of the JSON has them. Without its key an encrypted state is not shown.",
	By:   wire.ByCommand, NoStart: true, ReadOnly: true,
}}

// StateClearIn is the input of [StateClear].
type StateClearIn struct {
	Name string `json:"name,omitzero" arg:"0" help:"a name from state list"`
	All  bool   `json:"all,omitzero" help:"remove all states that were saved under a name"`
}

// Check returns an error unless either a name or All is given.
func (in StateClearIn) Check() error {
	if (in.Name == "") == in.All {
		return nil
	}
	return wire.Errorf(wire.CodeBadInput, "state clear needs a name or --all").WithHint("abrowser state list")
}

// StateClearOut is the output of [StateClear].
type StateClearOut struct {
	Cleared int `json:"cleared"`
}

// Text says how many states were removed.
func (o StateClearOut) Text() string { return "removed " + counted(o.Cleared, "state", "states") }

// StateClear removes saved states.
var StateClear = wire.Verb[StateClearIn, StateClearOut]{Spec: wire.Spec{
	Name: "state clear", Group: groupState, Short: "Remove a state that was saved under a name", Example: "abrowser state clear login",
	Long: "It removes the file. The cookies in the browser stay.",
	By:   wire.ByCommand, NoStart: true, Destructive: true,
}}

// StateCleanIn is the input of [StateClean].
type StateCleanIn struct {
	OlderThan int `json:"olderThan" min:"1" required:"true" help:"the age in days"`
}

// StateCleanOut is the output of [StateClean].
type StateCleanOut struct {
	Cleaned int      `json:"cleaned"`
	Names   []string `json:"names"`
}

// Text says how many states were removed, and lists their names.
func (o StateCleanOut) Text() string {
	return lines(append([]string{"removed " + counted(o.Cleaned, "state", "states")}, o.Names...)...)
}

// StateClean removes the saved states that are older than a number of days.
var StateClean = wire.Verb[StateCleanIn, StateCleanOut]{Spec: wire.Spec{
	Name: "state clean", Group: groupState, Short: "Remove the states that were saved under a name long ago", Example: "abrowser state clean --older-than 30",
	By: wire.ByCommand, NoStart: true, Destructive: true,
}}

// StateRenameIn is the input of [StateRename].
type StateRenameIn struct {
	OldName string `json:"oldName" arg:"0" required:"true" help:"a name from state list"`
	NewName string `json:"newName" arg:"1" required:"true" help:"the new name"`
}

// StateRenameOut is the output of [StateRename].
type StateRenameOut struct {
	Renamed bool   `json:"renamed"`
	OldName string `json:"oldName"`
	NewName string `json:"newName"`
}

// StateRename renames a saved state.
var StateRename = wire.Verb[StateRenameIn, StateRenameOut]{Spec: wire.Spec{
	Name: "state rename", Group: groupState, Short: "Rename a state that was saved under a name", Example: "abrowser state rename login admin",
	By: wire.ByCommand, NoStart: true,
}}
