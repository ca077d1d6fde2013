package verbs

import (
	"encoding/json"

	"github.com/abrowser/abrowser/sockets/wire"
)

const groupWait = "Waiting"

// WaitIn is the input of [Wait]. Exactly one of its forms is given.
type WaitIn struct {
	What   string `json:"what,omitzero" arg:"0" help:"milliseconds, or a selector to wait for; with --download the file to write"`
	State  string `json:"state,omitzero" default:"visible" enum:"visible|hidden|attached|detached" help:"what the selector's element must be"`
	Text   string `json:"text,omitzero" flag:"text,t" help:"wait until the page shows this text"`
	URL    string `json:"url,omitzero" flag:"url,u" help:"wait until the URL matches this pattern; * matches anything, without * a part is enough"`
	Load   string `json:"load,omitzero" flag:"load,l" enum:"load|domcontentloaded|networkidle" help:"wait for this state of loading"`
	Script string `json:"fn,omitzero" flag:"fn,f" help:"wait until this JavaScript is true"`
	// Download is about the newest download that nobody has fetched, or the next.
	Download bool   `json:"download,omitzero" flag:"download,d" help:"wait for a download and save its file"`
	Path     string `json:"path,omitzero" flag:"-" file:"into" help:"where to save a download"`
	TimeoutIn
}

// Check refuses none and several of the forms.
func (in WaitIn) Check() error {
	forms := 0
	if in.Download {
		forms++
	}
	for _, form := range []string{in.What, in.Text, in.URL, in.Load, in.Script} {
		if form != "" {
			forms++
		}
	}
	if forms == 1 && (in.Path == "" || in.Download) {
		return nil
	}
	return wire.Errorf(wire.CodeBadInput, "wait takes one thing to wait for: milliseconds, a selector, --text, --url, --load, --fn or --download").
		WithHint("abrowser wait --text Welcome")
}

// WaitOut is what [Wait] answers; which members it has depends on what was
// waited for.
type WaitOut struct {
	Waited   string          `json:"waited,omitzero"` // timeout, selector or text
	MS       int             `json:"ms,omitzero"`
	Selector string          `json:"selector,omitzero"`
	Found    string          `json:"text,omitzero"`
	URL      string          `json:"url,omitzero"`
	State    string          `json:"state,omitzero"`
	Result   json.RawMessage `json:"result,omitzero"`
	*SavedDownload
	Effects
}

// Text is what was found: the text, the URL or the script's value.
func (o WaitOut) Text() string {
	if o.SavedDownload != nil {
		return lines(o.SavedDownload.Text(), o.Effects.Text())
	}
	value := lines(o.Found, o.URL)
	if len(o.Result) > 0 {
		value = indent(o.Result)
	}
	return lines(value, o.Effects.Text())
}

// TakeFile is a download's file.
func (o *WaitOut) TakeFile() (wire.File, bool) {
	if o.SavedDownload == nil {
		return wire.File{}, false
	}
	return o.SavedDownload.TakeFile()
}

// SetPath says where the download's file is.
func (o *WaitOut) SetPath(path string) { o.SavedDownload.SetPath(path) }

// Wait waits for a time, an element, a text, a URL, a state of loading, a script or
// a download.
var Wait = wire.Verb[WaitIn, WaitOut]{Spec: wire.Spec{
	Name: "wait", Group: groupWait, Short: "Wait for a time, an element, a text, a URL, loading, a script or a download",
	Long:    "wait --download [PATH] saves the newest download that no command has fetched, or the next one, as download does.",
	Example: "abrowser wait --text Welcome", ReadOnly: true,
}}
