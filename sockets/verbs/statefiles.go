package verbs

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

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
