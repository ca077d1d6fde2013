package verbs

import (
	"fmt"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// PageStateOut is the output of [PageState]. Each list has at most 200 entries, and each text
// has at most 200 characters.
type PageStateOut struct {
	URL       string         `json:"url"`
	Title     string         `json:"title"`
	Headings  []PageHeading  `json:"headings"`
	Links     []PageLink     `json:"links"`
	Buttons   []PageButton   `json:"buttons"`
	Inputs    []PageInput    `json:"inputs"`
	Landmarks []PageLandmark `json:"landmarks"`
	Errors    []string       `json:"errors"` // error messages in the page
	Truncated bool           `json:"truncated,omitzero"`
}

// PageHeading is a heading with a level from 1 to 6.
type PageHeading struct {
	Level int    `json:"level"`
	Text  string `json:"text"`
}

// PageLink is a link.
type PageLink struct {
	Text string `json:"text"`
	URL  string `json:"url"`
}

// PageButton is a button.
type PageButton struct {
	Text     string `json:"text"`
	Disabled bool   `json:"disabled,omitzero"`
}

// PageInput is a form field. The values of fields for passwords, one-time codes and payment cards
// are omitted.
type PageInput struct {
	Type     string `json:"type"`
	Name     string `json:"name,omitzero"`
	Label    string `json:"label,omitzero"`
	Value    string `json:"value,omitzero"`
	Checked  bool   `json:"checked,omitzero"`
	Required bool   `json:"required,omitzero"`
	Disabled bool   `json:"disabled,omitzero"`
	Invalid  bool   `json:"invalid,omitzero"`
}

// PageLandmark is a region of the page.
type PageLandmark struct {
	Role string `json:"role"`
	Name string `json:"name,omitzero"`
}

// Text returns a line with the title and the URL, and then one line for each entry.
func (o PageStateOut) Text() string {
	all := []string{strings.TrimSpace(o.Title + " " + o.URL)}
	add := func(format string, args ...any) {
		all = append(all, strings.TrimRight(fmt.Sprintf(format, args...), " "))
	}
	for _, l := range o.Landmarks {
		add("%s %s", l.Role, l.Name)
	}
	for _, h := range o.Headings {
		add("heading %d: %s", h.Level, h.Text)
	}
	for _, l := range o.Links {
		add("link: %s %s", l.Text, l.URL)
	}
	for _, b := range o.Buttons {
		add("button: %s%s", b.Text, marks(b.Disabled, "disabled"))
	}
	for _, i := range o.Inputs {
		label := i.Label
		if label == "" {
			label = i.Name
		}
		add("%s: %s %s%s", i.Type, label, i.Value, marks(i.Checked, "checked")+marks(i.Required, "required")+marks(i.Disabled, "disabled")+marks(i.Invalid, "invalid"))
	}
	for _, e := range o.Errors {
		add("error: %s", e)
	}
	if o.Truncated {
		add("... and more")
	}
	return strings.Join(all, "\n")
}

func marks(on bool, word string) string {
	if on {
		return " [" + word + "]"
	}
	return ""
}

// PageState lists the contents of the page by kind. Unlike [Screenshot], it never has to lock
// the front tab, which is the tab that the browser's window shows.
var PageState = wire.Verb[TabIn, PageStateOut]{Spec: wire.Spec{
	Name: "page state", PageText: true, Group: groupRead, Short: "List headings, links, buttons, inputs, landmarks and errors of the page",
	Example: "abrowser page state --json", ReadOnly: true,
}}
