package verbs

import (
	"os"

	"github.com/abrowser/abrowser/sockets/wire"
)

// AddInitScriptIn is the input of [AddInitScript].
type AddInitScriptIn struct {
	Script string `json:"script,omitzero" arg:"0..." help:"the JavaScript to run; words are joined by a space"`
	File   string `json:"file,omitzero" file:"in" help:"a file with the JavaScript to run"`
}

const maxInitScript = 1 << 20 // bytes

// Check returns an error for a missing or too large script.
func (in AddInitScriptIn) Check() error {
	size := int64(len(in.Script))
	switch {
	case in.Script == "" && in.File == "":
		return wire.Errorf(wire.CodeBadInput, "addinitscript needs a script, or --file FILE").WithHint("abrowser addinitscript 'window.test = true'")
	case in.Script != "" && in.File != "":
		return wire.Errorf(wire.CodeBadInput, "addinitscript takes a script or --file FILE, not both").WithHint("abrowser addinitscript 'window.test = true'")
	case in.File != "":
		info, err := os.Stat(in.File)
		if err != nil || !info.Mode().IsRegular() {
			return wire.Errorf(wire.CodeBadInput, "%.200s is not a file that can be read", in.File).WithHint("abrowser addinitscript 'window.test = true'")
		}
		size = info.Size()
	}
	if size > maxInitScript {
		return wire.Errorf(wire.CodeTooLarge, "the script has %d bytes; it may have %d", size, maxInitScript).WithHint("load it: abrowser eval 'import(\"URL\")'")
	}
	return nil
}

// AddInitScriptOut is the output of [AddInitScript].
type AddInitScriptOut struct {
	ID string `json:"identifier"`
}

// Text returns the name of the script.
func (o AddInitScriptOut) Text() string { return o.ID }

// AddInitScript runs a script in each document of the session's pages.
var AddInitScript = wire.Verb[AddInitScriptIn, AddInitScriptOut]{Spec: wire.Spec{
	Name: "addinitscript", Group: groupPolicy, Short: "Run JavaScript in each document before its own scripts",
	Long: "The script runs in all pages and frames of the session from their next document on, also in popups, and in no other session. " +
		"It ends with the session. The answer is the script's name for removeinitscript.",
	Example: "abrowser addinitscript 'window.test = true'",
}}

// RemoveInitScriptIn is the input of [RemoveInitScript].
type RemoveInitScriptIn struct {
	ID string `json:"identifier" arg:"0" required:"true" help:"the script's name, which addinitscript has answered"`
}

// RemoveInitScriptOut is the output of [RemoveInitScript].
type RemoveInitScriptOut struct {
	Removed string `json:"removed"` // the script's name
}

// Text returns an empty string, since the caller has the name already.
func (o RemoveInitScriptOut) Text() string { return "" }

// RemoveInitScript removes a script that [AddInitScript] has added.
var RemoveInitScript = wire.Verb[RemoveInitScriptIn, RemoveInitScriptOut]{Spec: wire.Spec{
	Name: "removeinitscript", Group: groupPolicy, Short: "Remove a script that addinitscript has added",
	Long: "Documents that have run the script stay as they are.", Example: "abrowser removeinitscript s1",
}}
