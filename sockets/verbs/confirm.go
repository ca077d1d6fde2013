package verbs

import (
	"encoding/json"

	"github.com/abrowser/abrowser/sockets/wire"
)

// Actor is the input of a verb that runs other verbs, too. An action policy has to allow all of them.
type Actor interface {
	Actions() []string // the names of the other verbs
}

// Actions returns the verb that acts on the element.
func (in FindIn) Actions() []string {
	switch _, _, action, _ := in.Split(); action {
	case "text":
		return []string{GetText.Name}
	default:
		return []string{action}
	}
}

// Actions returns the verb open if the input has a URL.
func (in A11yIn) Actions() []string { return opens(in.URL) }

// Actions returns the verb open if the input has a URL.
func (in VitalsIn) Actions() []string { return opens(in.URL) }

// Actions returns the verb open if the input has a URL.
func (in RecordStartIn) Actions() []string { return opens(in.URL) }

// Actions returns the verb open if the input has a URL.
func (in TabNewIn) Actions() []string { return opens(in.URL) }

// Actions returns the verb open.
func (in DiffURLIn) Actions() []string { return []string{"open"} }

func opens(url string) []string {
	if url == "" {
		return nil
	}
	return []string{"open"}
}

// ConfirmIn is the input of [Confirm] and [Deny].
type ConfirmIn struct {
	ID string `json:"id" arg:"0" required:"true" help:"the id from the error of the command that has to be confirmed"`
}

// ConfirmOut is the output of [Confirm]: the output of the command that was confirmed.
type ConfirmOut struct {
	Action string `json:"action"` // the name of the command
	Result any    `json:"result"` // the command's output
}

// UnmarshalJSON decodes the output of the command into the type that it has.
func (o *ConfirmOut) UnmarshalJSON(raw []byte) error {
	var given struct {
		Action string          `json:"action"`
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(raw, &given); err != nil {
		return err
	}
	o.Action = given.Action
	for _, v := range All() {
		if v.Describe().Name == given.Action {
			o.Result = v.NewOut()
			return json.Unmarshal(given.Result, o.Result)
		}
	}
	return json.Unmarshal(given.Result, &o.Result)
}

// Text returns the text of the command's output.
func (o ConfirmOut) Text() string {
	if t, ok := o.Result.(wire.Texter); ok {
		return t.Text()
	}
	return ""
}

// TakeFile returns the file of the command's output, if it has one; see [wire.Filer].
func (o *ConfirmOut) TakeFile() (wire.File, bool) {
	if f, ok := o.Result.(wire.Filer); ok {
		return f.TakeFile()
	}
	return wire.File{}, false
}

// SetPath sets the path to which the file was written.
func (o *ConfirmOut) SetPath(path string) {
	if f, ok := o.Result.(wire.Filer); ok {
		f.SetPath(path)
	}
}

// Confirm runs a command that an action policy has held back.
var Confirm = wire.Verb[ConfirmIn, ConfirmOut]{Spec: wire.Spec{
	Name: "confirm", PageText: true, Group: groupPolicy, Short: "Run a command that the action policy has held back",
	Long:    "The id can be used once, for ten minutes, as long as the session's daemon runs.",
	Example: "abrowser confirm c-4f0c2a9be17d6a35", Unqueued: true, NoPolicy: true, NoStart: true,
}}

// DenyOut is the output of [Deny].
type DenyOut struct {
	Denied bool   `json:"denied"`
	Action string `json:"action"` // the name of the command
}

// Text is empty, because the caller knows the command.
func (o DenyOut) Text() string { return "" }

// Deny drops a command that an action policy has held back.
var Deny = wire.Verb[ConfirmIn, DenyOut]{Spec: wire.Spec{
	Name: "deny", Group: groupPolicy, Short: "Drop a command that the action policy has held back",
	Example: "abrowser deny c-4f0c2a9be17d6a35", Unqueued: true, NoPolicy: true, NoStart: true,
}}
