package verbs

import (
	"encoding/json"

	"github.com/abrowser/abrowser/sockets/wire"
)

const groupWait = "Waiting"

// WaitIn is the input of [Wait]. Exactly one condition is required.
type WaitIn struct {
	What   string `json:"what,omitzero" arg:"0" help:"a number of milliseconds, or a selector to wait for; with --download the file to write"`
	State  string `json:"state,omitzero" default:"visible" enum:"visible|hidden|attached|detached" help:"the state of the element to wait for"`
	Text   string `json:"text,omitzero" flag:"text,t" help:"wait until the page shows this text"`
	URL    string `json:"url,omitzero" flag:"url,u" help:"wait until the URL matches this pattern; * matches anything, without * the URL must contain the pattern"`
	Load   string `json:"load,omitzero" flag:"load,l" enum:"load|domcontentloaded|networkidle" help:"wait for this load state"`
	Script string `json:"fn,omitzero" flag:"fn,f" help:"wait until this JavaScript returns a true value"`
	// Download selects the newest download that no command has saved yet. If there is none, it
	// selects the next download that starts.
	Download bool   `json:"download,omitzero" flag:"download,d" help:"wait for a download and save its file"`
	Path     string `json:"path,omitzero" flag:"-" file:"into" help:"where to save a download"`
	TimeoutIn
}

// Check returns an error unless exactly one condition is given. It also returns an error if Path is
// given without Download.
func (in WaitIn) Check() error {
	forms := 0
	for _, given := range []bool{in.Download, in.What != "", in.Text != "", in.URL != "", in.Load != "", in.Script != ""} {
		if given {
			forms++
		}
	}
	if forms == 1 && (in.Path == "" || in.Download) {
		return nil
	}
	return wire.Errorf(wire.CodeBadInput, "wait needs one condition: milliseconds, a selector, --text, --url, --load, --fn or --download").
		WithHint("abrowser wait --text Welcome")
}

// WaitOut is the output of [Wait]. Its fields depend on the condition.
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

// Text returns the result and then the effects. The result is the text or URL that was found,
// the script's value, or the path of the saved download.
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

// TakeFile returns the file of the download, or false if the output is not for a download.
func (o *WaitOut) TakeFile() (wire.File, bool) {
	if o.SavedDownload == nil {
		return wire.File{}, false
	}
	return o.SavedDownload.TakeFile()
}

// SetPath sets the path to which the download was saved.
func (o *WaitOut) SetPath(path string) { o.SavedDownload.SetPath(path) }

// Wait waits for a time, an element, a text, a URL, a load state, a script or a download.
var Wait = wire.Verb[WaitIn, WaitOut]{Spec: wire.Spec{
	Name: "wait", PageText: true, Group: groupWait, Short: "Wait for a time, an element, a text, a URL, a load state, a script or a download",
	Long:    "wait --download [PATH] saves the newest download that no command has saved, or the next one, as download does.",
	Example: "abrowser wait --text Welcome", ReadOnly: true,
}}
