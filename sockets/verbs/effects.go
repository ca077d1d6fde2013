package verbs

import (
	"fmt"
	"slices"
)

// Effects are the side effects of a command.
type Effects struct {
	Opened    []OpenedTab       `json:"opened,omitzero"`
	Dialogs   []Dialog          `json:"dialogs,omitzero"`
	Downloads []StartedDownload `json:"downloads,omitzero"`
	// FileChooser means that a page has opened a file chooser. Nobody sees it, and no file is chosen.
	// It is not set if the browser has a window, in which a person sees the file chooser.
	FileChooser bool `json:"fileChooser,omitzero"`
}

// OpenedTab is a tab that a page opened while the command ran.
type OpenedTab struct {
	TabID    string `json:"tabId"`
	URL      string `json:"url"`
	TargetID string `json:"targetId"`
}

// Dialog is a JavaScript dialog that a page opened while the command ran.
type Dialog struct {
	Type          string `json:"type"` // alert, confirm, prompt or beforeunload
	Message       string `json:"message"`
	DefaultPrompt string `json:"defaultPrompt,omitzero"`
	Handled       string `json:"handled"`         // accepted or dismissed
	Unhandled     bool   `json:"raised,omitzero"` // no policy decided; see [wire.Record]
}

// StartedDownload is a download that started while the command ran.
type StartedDownload struct {
	SuggestedFilename string `json:"suggestedFilename"`
	URL               string `json:"url"`
}

// And returns the effects of two actions.
func (e Effects) And(later Effects) Effects {
	return Effects{
		Opened: slices.Concat(e.Opened, later.Opened), Dialogs: slices.Concat(e.Dialogs, later.Dialogs), Downloads: slices.Concat(e.Downloads, later.Downloads),
		FileChooser: e.FileChooser || later.FileChooser,
	}
}

// Text returns one line for each effect.
func (e Effects) Text() string {
	var all []string
	for _, t := range e.Opened {
		all = append(all, fmt.Sprintf("opened %s %s", t.TabID, t.URL))
	}
	for _, d := range e.Dialogs {
		all = append(all, fmt.Sprintf("dialog %s %q", d.Type, d.Message))
	}
	for _, d := range e.Downloads {
		all = append(all, "download "+d.SuggestedFilename)
	}
	if e.FileChooser {
		all = append(all, "file chooser, without a file; to choose one, instead of the click: abrowser upload SELECTOR FILE")
	}
	return lines(all...)
}

// TimeoutIn is the part of an input that limits how long a command waits for the page.
type TimeoutIn struct {
	Timeout int `json:"timeout,omitzero" env:"DEFAULT_TIMEOUT" min:"1" help:"the longest time to wait, in milliseconds"`
	// TimeoutIsDefault means that the command itself does not set the timeout. The caller's
	// environment or configuration file sets it.
	TimeoutIsDefault bool `json:"timeoutIsDefault,omitzero" flag:"-" help:"the timeout is not of this command alone, so an action may give up earlier"`
}

// Milliseconds returns the longest time that the command waits, in milliseconds. 0 stands for
// the default of the command.
func (t TimeoutIn) Milliseconds() int { return t.Timeout }

// WaitsInFull reports whether an action waits for its element until the timeout, even if the page
// has stopped changing. This is the case if the command itself sets the timeout.
func (t TimeoutIn) WaitsInFull() bool { return t.Timeout != 0 && !t.TimeoutIsDefault }

// Timed is the input of a command that waits for the page.
type Timed interface {
	Milliseconds() int
	WaitsInFull() bool
}

// Element is the part of an input that selects the element to act on.
type Element struct {
	Selector string `json:"selector" arg:"0" required:"true" help:"a selector, or a ref from the last snapshot such as e3"`
}

// ElementName returns the selector or ref of the element.
func (e Element) ElementName() string { return e.Selector }

// ElementNamer is the input of a command that acts on an element.
type ElementNamer interface{ ElementName() string }

// TabSelector is the part of an input that chooses the tab to read, which may belong to another
// session.
type TabSelector struct {
	Tab string `json:"tab,omitzero" help:"the tab to read: t2, a label or a target id; SESSION/t2 for a tab of another session"`
}

// TabName returns the tab, or an empty string for the active one.
func (o TabSelector) TabName() string { return o.Tab }

// TabNamer is the input of a verb that can read any tab, including those of other agents.
type TabNamer interface{ TabName() string }
