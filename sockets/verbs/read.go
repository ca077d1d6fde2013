package verbs

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/abrowser/abrowser/sockets/wire"
)

const groupRead = "Reading"

// SnapshotIn is the input of [Snapshot].
type SnapshotIn struct {
	Interactive bool   `json:"interactive,omitzero" flag:"interactive,i" help:"show only elements that have a ref"`
	Compact     bool   `json:"compact,omitzero" flag:"compact,c" help:"omit empty structure"`
	Depth       int    `json:"depth,omitzero" flag:"depth,d" min:"0" help:"the number of levels to show; 0 shows all"`
	Selector    string `json:"selector,omitzero" flag:"selector,s" help:"show only the subtree of this element"`
	URLs        bool   `json:"urls,omitzero" flag:"urls,u" help:"show the URLs of links"`
	Delta       bool   `json:"delta,omitzero" flag:"delta" help:"show only what changed since the last snapshot of the tab with the same options"`
	TabSelector
}

// Ref describes the element that a ref, such as e3, stands for.
type Ref struct {
	Role string `json:"role"`
	Name string `json:"name"`
}

// SnapshotOut is the output of [Snapshot].
type SnapshotOut struct {
	Snapshot string         `json:"snapshot"`
	Origin   string         `json:"origin"`
	Refs     map[string]Ref `json:"refs"`
	Delta    bool           `json:"delta,omitzero"` // Snapshot contains only the changes
}

// Text returns the tree, with one element on each line.
func (o SnapshotOut) Text() string { return o.Snapshot }

// Snapshot returns the contents of the page. Interactive elements, frames and some named
// elements, such as headings, have a ref, by which other commands can select them.
var Snapshot = wire.Verb[SnapshotIn, SnapshotOut]{Spec: wire.Spec{
	Name: "snapshot", PageText: true, Group: groupRead, Short: "Show the page as a tree with a ref for each element",
	Example: "abrowser snapshot -i", ReadOnly: true,
}}

// GetIn is the input of a verb that reads from an element.
type GetIn struct {
	Element
	TabSelector
}

// TabIn is the input of a verb that reads from a tab.
type TabIn struct{ TabSelector }

// Empty is an input or output without fields.
type Empty struct{}

// GetTextOut is the output of [GetText].
type GetTextOut struct {
	Value  string `json:"text"`
	Origin string `json:"origin"`
}

// Text returns the element's text.
func (o GetTextOut) Text() string { return o.Value }

// GetText reads the text of an element.
var GetText = wire.Verb[GetIn, GetTextOut]{Spec: wire.Spec{
	Name: "get text", PageText: true, Group: groupRead, Short: "Print the text of an element", Example: "abrowser get text h1", ReadOnly: true,
}}

// GetInnerText reads the text of an element, exactly as [GetText] does.
var GetInnerText = wire.Verb[GetIn, GetTextOut]{Spec: wire.Spec{
	Name: "get innertext", PageText: true, Group: groupRead, Short: "Print the text of an element as it is shown", Example: "abrowser get innertext h1", ReadOnly: true,
}}

// GetHTMLOut is the output of [GetHTML].
type GetHTMLOut struct {
	HTML string `json:"html"`
}

// Text returns the element's inner HTML.
func (o GetHTMLOut) Text() string { return o.HTML }

// GetHTML reads the inner HTML of an element.
var GetHTML = wire.Verb[GetIn, GetHTMLOut]{Spec: wire.Spec{
	Name: "get html", PageText: true, Group: groupRead, Short: "Print the inner HTML of an element", Example: "abrowser get html main", ReadOnly: true,
}}

// GetValueOut is the output of [GetValue].
type GetValueOut struct {
	Value  string `json:"value"`
	Origin string `json:"origin"`
}

// Text returns the field's value.
func (o GetValueOut) Text() string { return o.Value }

// GetValue reads the value of a field.
var GetValue = wire.Verb[GetIn, GetValueOut]{Spec: wire.Spec{
	Name: "get value", PageText: true, Group: groupRead, Short: "Print the value of a field", Example: "abrowser get value '#name'", ReadOnly: true,
}}

// GetAttrIn is the input of [GetAttr].
type GetAttrIn struct {
	Element
	Attribute string `json:"attribute" arg:"1" required:"true" help:"the attribute's name"`
	TabSelector
}

// GetAttrOut is the output of [GetAttr]. Value is null if the element does not have the
// attribute.
type GetAttrOut struct {
	Value  *string `json:"value"`
	Origin string  `json:"origin"`
}

// Text returns the attribute's value.
func (o GetAttrOut) Text() string {
	if o.Value == nil {
		return ""
	}
	return *o.Value
}

// GetAttr reads an attribute of an element.
var GetAttr = wire.Verb[GetAttrIn, GetAttrOut]{Spec: wire.Spec{
	Name: "get attr", PageText: true, Group: groupRead, Short: "Print an attribute of an element", Example: "abrowser get attr a href", ReadOnly: true,
}}

// GetAttributesOut is the output of [GetAttributes].
type GetAttributesOut struct {
	Attributes map[string]string `json:"attributes"`
	Origin     string            `json:"origin"`
}

// Text returns one line for each attribute, sorted.
func (o GetAttributesOut) Text() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(o.Attributes)) {
		all = append(all, name+": "+o.Attributes[name])
	}
	return lines(all...)
}

// GetAttributes reads all attributes of an element.
var GetAttributes = wire.Verb[GetIn, GetAttributesOut]{Spec: wire.Spec{
	Name: "get attributes", PageText: true, Group: groupRead, Short: "Print all attributes of an element", Example: "abrowser get attributes '#name'", ReadOnly: true,
}}

// GetTitleOut is the output of [GetTitle].
type GetTitleOut struct {
	Title string `json:"title"`
}

// Text returns the title.
func (o GetTitleOut) Text() string { return o.Title }

// GetTitle reads the page's title.
var GetTitle = wire.Verb[TabIn, GetTitleOut]{Spec: wire.Spec{
	Name: "get title", PageText: true, Group: groupRead, Short: "Print the page's title", Example: "abrowser get title", ReadOnly: true,
}}

// GetURL reads the page's URL.
var GetURL = wire.Verb[TabIn, PageURL]{Spec: wire.Spec{
	Name: "get url", Group: groupRead, Short: "Print the page's URL", Example: "abrowser get url", ReadOnly: true,
}}

// GetCountOut is the output of [GetCount].
type GetCountOut struct {
	Count    int    `json:"count"`
	Selector string `json:"selector"`
}

// Text returns the number.
func (o GetCountOut) Text() string { return strconv.Itoa(o.Count) }

// GetCount counts the elements that match a selector.
var GetCount = wire.Verb[GetIn, GetCountOut]{Spec: wire.Spec{
	Name: "get count", Group: groupRead, Short: "Print the number of elements that match", Example: "abrowser get count a", ReadOnly: true,
}}

// GetBoxOut is the output of [GetBox], in CSS pixels from the viewport's top left corner.
type GetBoxOut struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// Text returns one line for each number.
func (o GetBoxOut) Text() string {
	return fmt.Sprintf("x:      %v\ny:      %v\nwidth:  %v\nheight: %v", o.X, o.Y, o.Width, o.Height)
}

// GetBox reads the position and size of an element.
var GetBox = wire.Verb[GetIn, GetBoxOut]{Spec: wire.Spec{
	Name: "get box", Group: groupRead, Short: "Print the position and size of an element", Example: "abrowser get box '#buy'", ReadOnly: true,
}}

// GetStylesOut is the output of [GetStyles].
type GetStylesOut struct {
	Styles map[string]string `json:"styles"`
}

// Text returns one line for each property, sorted.
func (o GetStylesOut) Text() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(o.Styles)) {
		all = append(all, name+": "+o.Styles[name])
	}
	return lines(all...)
}

// GetStyles reads the computed styles of an element.
var GetStyles = wire.Verb[GetIn, GetStylesOut]{Spec: wire.Spec{
	Name: "get styles", PageText: true, Group: groupRead, Short: "Print the computed styles of an element", Example: "abrowser get styles h1", ReadOnly: true,
}}

// GetCDPURLOut is the output of [GetCDPURL].
type GetCDPURLOut struct {
	CDPURL string `json:"cdpUrl"`
}

// Text returns the URL.
func (o GetCDPURLOut) Text() string { return o.CDPURL }

// GetCDPURL returns the CDP endpoint of the session, which exposes only the session's targets.
var GetCDPURL = wire.Verb[Empty, GetCDPURLOut]{Spec: wire.Spec{
	Name: "get cdp-url", Group: groupRead, Short: "Print the session's CDP endpoint",
	Long:    "A CDP client such as Playwright or Puppeteer can control the session's pages through it. It exposes only the session's targets.",
	Example: "abrowser get cdp-url", ReadOnly: true,
}}

// IsVisibleOut is the output of [IsVisible].
type IsVisibleOut struct {
	Visible bool   `json:"visible"`
	Origin  string `json:"origin"`
}

// Text returns true or false.
func (o IsVisibleOut) Text() string { return strconv.FormatBool(o.Visible) }

// IsVisible reports whether an element is visible.
var IsVisible = wire.Verb[GetIn, IsVisibleOut]{Spec: wire.Spec{
	Name: "is visible", Group: groupRead, Short: "Print whether an element is visible", Example: "abrowser is visible '#menu'", ReadOnly: true,
}}

// IsEnabledOut is the output of [IsEnabled].
type IsEnabledOut struct {
	Enabled bool   `json:"enabled"`
	Origin  string `json:"origin"`
}

// Text returns true or false.
func (o IsEnabledOut) Text() string { return strconv.FormatBool(o.Enabled) }

// IsEnabled reports whether an element is enabled.
var IsEnabled = wire.Verb[GetIn, IsEnabledOut]{Spec: wire.Spec{
	Name: "is enabled", Group: groupRead, Short: "Print whether an element is enabled", Example: "abrowser is enabled '#send'", ReadOnly: true,
}}

// IsCheckedOut is the output of [IsChecked].
type IsCheckedOut struct {
	Checked bool   `json:"checked"`
	Origin  string `json:"origin"`
}

// Text returns true or false.
func (o IsCheckedOut) Text() string { return strconv.FormatBool(o.Checked) }

// IsChecked reports whether a checkbox is checked.
var IsChecked = wire.Verb[GetIn, IsCheckedOut]{Spec: wire.Spec{
	Name: "is checked", Group: groupRead, Short: "Print whether a checkbox is checked", Example: "abrowser is checked '#agree'", ReadOnly: true,
}}

// EvalIn is the input of [Eval].
type EvalIn struct {
	Script string `json:"script,omitzero" arg:"0..." help:"JavaScript; its value is printed, a promise is awaited"`
	Base64 bool   `json:"base64,omitzero" flag:"base64,b" help:"the script is base64"`
	Stdin  bool   `json:"stdin,omitzero" help:"read the script from standard input"`
	TimeoutIn
}

// EvalOut is the output of [Eval]. JSON cannot represent some values, such as NaN. For these,
// Unserializable is the value as text, and Result is null.
type EvalOut struct {
	Result         json.RawMessage `json:"result"`
	Origin         string          `json:"origin"`
	Unserializable string          `json:"unserializable,omitzero"`
	Effects
}

// Text returns the value, as indented JSON if JSON can represent it, and the effects.
func (o EvalOut) Text() string {
	value := o.Unserializable
	if value == "" {
		value = indent(o.Result)
	}
	return lines(value, o.Effects.Text())
}

// Eval runs JavaScript in the main frame of the page, or in the frame that [FrameSelect] has
// chosen.
var Eval = wire.Verb[EvalIn, EvalOut]{Spec: wire.Spec{
	Name: "eval", PageText: true, Group: groupRead, Short: "Run JavaScript in the page and print its value", Example: "abrowser eval document.title",
}}
