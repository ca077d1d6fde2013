package verbs

import (
	"github.com/abrowser/abrowser/sockets/wire"
)

const groupInput = "Interaction"

// ClickIn is the input of [Click].
type ClickIn struct {
	Element
	NewTab    bool     `json:"newTab,omitzero" help:"open the link in a new tab"`
	Button    string   `json:"button,omitzero" default:"left" enum:"left|right|middle" help:"the mouse button"`
	Modifiers []string `json:"modifiers,omitzero" enum:"Alt|Control|Meta|Shift" help:"keys to hold down, separated by commas"`
	TimeoutIn
}

// ClickOut is the output of [Click].
type ClickOut struct {
	Clicked string `json:"clicked"`
	NewTab  bool   `json:"newTab,omitzero"`
	URL     string `json:"url,omitzero"` // the URL of the new tab
	Effects
}

// Click presses and releases a mouse button over an element.
var Click = wire.Verb[ClickIn, ClickOut]{Spec: wire.Spec{
	Name: "click", Group: groupInput, Short: "Click an element", Example: "abrowser click '#send'",
	Long: "Waits until the element is visible, enabled, not moving and not covered. Prints a tab that the click opens; the tab belongs to the session.",
}}

// ElementIn is the input of a verb that waits for an element.
type ElementIn struct {
	Element
	TimeoutIn
}

// DblclickOut is the output of [Dblclick].
type DblclickOut struct {
	Clicked string `json:"clicked"`
	Effects
}

// Dblclick clicks an element twice.
var Dblclick = wire.Verb[ElementIn, DblclickOut]{Spec: wire.Spec{
	Name: "dblclick", Group: groupInput, Short: "Click an element twice", Example: "abrowser dblclick '#row'",
}}

// FillIn is the input of [Fill].
type FillIn struct {
	Element
	Text string `json:"text" arg:"1..." required:"true" help:"the new value; words are joined by a space"`
	TimeoutIn
}

// FillOut is the output of [Fill].
type FillOut struct {
	Filled string `json:"filled"`
	Effects
}

// Fill replaces the value of a field.
var Fill = wire.Verb[FillIn, FillOut]{Spec: wire.Spec{
	Name: "fill", Group: groupInput, Short: "Replace the value of a field", Example: "abrowser fill '#name' Ada Lovelace",
}}

// TypeIn is the input of [Type].
type TypeIn struct {
	Element
	Text  string `json:"text" arg:"1..." required:"true" help:"what to type; words are joined by a space"`
	Clear bool   `json:"clear,omitzero" help:"clear the field first"`
	Delay int    `json:"delay,omitzero" min:"0" help:"the time between keys, in milliseconds"`
	TimeoutIn
}

// TypeOut is the output of [Type].
type TypeOut struct {
	Typed string `json:"typed"`
	Effects
}

// Type presses the keys of a text one after the other.
var Type = wire.Verb[TypeIn, TypeOut]{Spec: wire.Spec{
	Name: "type", Group: groupInput, Short: "Type into a field key by key", Example: "abrowser type '#name' Ada",
}}

// PressIn is the input of [Press].
type PressIn struct {
	Key string `json:"key" arg:"0" required:"true" help:"a key, after its modifiers: Enter, Control+a"`
	TimeoutIn
}

// PressOut is the output of [Press].
type PressOut struct {
	Pressed string `json:"pressed"`
	Effects
}

// Press presses a key in the page.
var Press = wire.Verb[PressIn, PressOut]{Spec: wire.Spec{
	Name: "press", Aliases: []string{"key"}, Group: groupRaw, Short: "Press a key", Example: "abrowser press Enter",
}}

// HoverOut is the output of [Hover].
type HoverOut struct {
	Hovered string `json:"hovered"`
	Effects
}

// Hover moves the mouse over an element.
var Hover = wire.Verb[ElementIn, HoverOut]{Spec: wire.Spec{
	Name: "hover", Group: groupInput, Short: "Move the mouse over an element", Example: "abrowser hover '#menu'",
}}

// FocusOut is the output of [Focus].
type FocusOut struct {
	Focused string `json:"focused"`
	Effects
}

// Focus moves the keyboard focus to an element.
var Focus = wire.Verb[ElementIn, FocusOut]{Spec: wire.Spec{
	Name: "focus", Group: groupInput, Short: "Move the keyboard focus to an element", Example: "abrowser focus '#name'",
}}

// SelectIn is the input of [Select].
type SelectIn struct {
	Element
	Values []string `json:"values" arg:"1..." required:"true" help:"values or visible labels of the options"`
	TimeoutIn
}

// SelectOut is the output of [Select].
type SelectOut struct {
	Selected []string `json:"selected"`
	Effects
}

// Select chooses options of a select element.
var Select = wire.Verb[SelectIn, SelectOut]{Spec: wire.Spec{
	Name: "select", Group: groupInput, Short: "Choose options of a select element", Example: "abrowser select '#colour' Red",
}}

// CheckOut is the output of [Check].
type CheckOut struct {
	Checked string `json:"checked"`
	Effects
}

// Check checks a checkbox or radio button.
var Check = wire.Verb[ElementIn, CheckOut]{Spec: wire.Spec{
	Name: "check", Group: groupInput, Short: "Check a checkbox or radio button", Example: "abrowser check '#agree'",
}}

// UncheckOut is the output of [Uncheck].
type UncheckOut struct {
	Unchecked string `json:"unchecked"`
	Effects
}

// Uncheck unchecks a checkbox.
var Uncheck = wire.Verb[ElementIn, UncheckOut]{Spec: wire.Spec{
	Name: "uncheck", Group: groupInput, Short: "Uncheck a checkbox", Example: "abrowser uncheck '#agree'",
}}

// ScrollIn is the input of [Scroll].
type ScrollIn struct {
	Direction string `json:"direction,omitzero" arg:"0" default:"down" enum:"up|down|left|right" help:"up, down, left or right"`
	Amount    int    `json:"amount,omitzero" arg:"1" default:"300" help:"the distance in pixels"`
	Selector  string `json:"selector,omitzero" flag:"selector,s" help:"the element to scroll; the default is the page"`
	TimeoutIn
}

// ScrollOut is the output of [Scroll].
type ScrollOut struct {
	Scrolled bool `json:"scrolled"`
	Effects
}

// Scroll scrolls the page or an element.
var Scroll = wire.Verb[ScrollIn, ScrollOut]{Spec: wire.Spec{
	Name: "scroll", Group: groupInput, Short: "Scroll the page or an element", Example: "abrowser scroll down 500",
}}

// ScrollIntoViewOut is the output of [ScrollIntoView].
type ScrollIntoViewOut struct {
	Scrolled string `json:"scrolled"`
	Effects
}

// ScrollIntoView scrolls until an element is in the middle of the page's visible part.
var ScrollIntoView = wire.Verb[ElementIn, ScrollIntoViewOut]{Spec: wire.Spec{
	Name: "scrollintoview", Aliases: []string{"scrollinto"}, Group: groupInput, Short: "Scroll until an element is in view",
	Example: "abrowser scrollintoview '#footer'",
}}

// UploadIn is the input of [Upload].
type UploadIn struct {
	Element
	Files []string `json:"files" arg:"1..." required:"true" file:"in" help:"files, or one directory for a field that takes directories"`
	TimeoutIn
}

// UploadOut is the output of [Upload].
type UploadOut struct {
	Selector string `json:"selector"`
	Uploaded int    `json:"uploaded"` // the number of files, or 1 for a directory
	Effects
}

// Upload gives files to a file field, or to the file chooser that an element opens.
var Upload = wire.Verb[UploadIn, UploadOut]{Spec: wire.Spec{
	Name: "upload", Group: groupInput, Short: "Choose files for a file field", Example: "abrowser upload '#file' report.pdf",
	Long: "The element is a file field, its label, or an element that opens a file chooser when it is clicked. The files replace those that the field has.",
}}
