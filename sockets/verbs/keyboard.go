package verbs

import (
	"github.com/abrowser/abrowser/sockets/wire"
)

const groupRaw = "Keys and mouse"

// KeyIn is the input of [Keydown] and [Keyup].
type KeyIn struct {
	Key string `json:"key" arg:"0" required:"true" help:"the name of a key: Shift, a, ArrowDown"`
	TimeoutIn
}

// KeydownOut is the output of [Keydown].
type KeydownOut struct {
	Pressed string `json:"keydown"`
	Effects
}

// Keydown presses a key in the page and holds it.
var Keydown = wire.Verb[KeyIn, KeydownOut]{Spec: wire.Spec{
	Name: "keydown", Group: groupRaw, Short: "Press a key and hold it", Example: "abrowser keydown Shift",
	Long: "The key stays pressed in this tab for the commands that follow, until abrowser keyup releases it or the session is closed.",
}}

// KeyupOut is the output of [Keyup].
type KeyupOut struct {
	Released string `json:"keyup"`
	Effects
}

// Keyup releases a key.
var Keyup = wire.Verb[KeyIn, KeyupOut]{Spec: wire.Spec{
	Name: "keyup", Group: groupRaw, Short: "Release a key", Example: "abrowser keyup Shift",
}}

// KeyboardTypeIn is the input of [KeyboardType].
type KeyboardTypeIn struct {
	Text  string `json:"text" arg:"0..." required:"true" help:"what to type; words are joined by a space"`
	Delay int    `json:"delay,omitzero" min:"0" help:"the time between keys, in milliseconds"`
	TimeoutIn
}

// KeyboardType presses the keys of a text one after the other, where the focus is.
var KeyboardType = wire.Verb[KeyboardTypeIn, TypeOut]{Spec: wire.Spec{
	Name: "keyboard type", Group: groupRaw, Short: "Type where the focus is, key by key", Example: "abrowser keyboard type Ada",
	Long: "Without a focused element, the page gets the keys as shortcuts.",
}}

// InsertTextIn is the input of [KeyboardInsert].
type InsertTextIn struct {
	Text string `json:"text" arg:"0..." required:"true" help:"the text; words are joined by a space"`
	TimeoutIn
}

// InsertTextOut is the output of [KeyboardInsert].
type InsertTextOut struct {
	Inserted bool `json:"inserted"`
	Effects
}

// KeyboardInsert inserts a text at the cursor, without pressing keys.
var KeyboardInsert = wire.Verb[InsertTextIn, InsertTextOut]{Spec: wire.Spec{
	Name: "keyboard inserttext", Group: groupRaw, Short: "Insert a text where the focus is, without pressing keys",
	Example: "abrowser keyboard inserttext Ada",
}}

const groupClipboard = "Clipboard"

// ClipboardReadOut is the output of [ClipboardRead].
type ClipboardReadOut struct {
	Content string `json:"text"`
}

// Text returns the text in the clipboard.
func (o ClipboardReadOut) Text() string { return o.Content }

// ClipboardRead returns the text in the session's clipboard. Only the agent that owns the session
// may run it. It is therefore not marked as ReadOnly, although it changes nothing.
var ClipboardRead = wire.Verb[Empty, ClipboardReadOut]{Spec: wire.Spec{
	Name: "clipboard read", PageText: true, Aliases: []string{"clipboard"}, Group: groupClipboard, Short: "Print the text in the session's clipboard",
	Long:    "Each session has a clipboard of its own, which is neither that of the desktop nor that of another session. Its pages use it if policy permission allows it. It is empty after a restart of the session's daemon.",
	Example: "abrowser clipboard read",
}}

// ClipboardWriteIn is the input of [ClipboardWrite].
type ClipboardWriteIn struct {
	Text string `json:"text" arg:"0..." required:"true" help:"the text; words are joined by a space"`
}

// ClipboardWriteOut is the output of [ClipboardWrite].
type ClipboardWriteOut struct {
	Written string `json:"written"` // the text
}

// ClipboardWrite sets the session's clipboard.
var ClipboardWrite = wire.Verb[ClipboardWriteIn, ClipboardWriteOut]{Spec: wire.Spec{
	Name: "clipboard write", Group: groupClipboard, Short: "Put a text into the session's clipboard", Example: "abrowser clipboard write Hello",
}}

// ClipboardCopyOut is the output of [ClipboardCopy].
type ClipboardCopyOut struct {
	Copied  bool   `json:"copied"`
	Content string `json:"text"`
}

// ClipboardCopy copies the selected text.
var ClipboardCopy = wire.Verb[TimeoutIn, ClipboardCopyOut]{Spec: wire.Spec{
	Name: "clipboard copy", Group: groupClipboard, Short: "Copy the text that is selected in the page", Example: "abrowser clipboard copy",
	Long: "The page gets a copy event, and may copy another text, as with Control+C. abrowser press Control+a selects all.",
}}

// ClipboardPasteOut is the output of [ClipboardPaste].
type ClipboardPasteOut struct {
	Pasted bool `json:"pasted"`
}

// ClipboardPaste pastes the session's clipboard.
var ClipboardPaste = wire.Verb[TimeoutIn, ClipboardPasteOut]{Spec: wire.Spec{
	Name: "clipboard paste", Group: groupClipboard, Short: "Paste the clipboard where the focus is", Example: "abrowser clipboard paste",
	Long: "The page gets a paste event, and may handle it itself, as with Control+V.",
}}
