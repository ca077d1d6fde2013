// Package clipboard serves the verbs for the session's clipboard. The daemon keeps this clipboard,
// because all sessions and the desktop share the browser's own one.
//
// The package sends CDP commands to a page and does not use Playwright. Package web calls it. Its
// invariant: it never uses the browser's own clipboard.
package clipboard

import (
	"context"
	_ "embed" // for the script
	"encoding/json"
	"fmt"
	"strings"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/cdp"
	"github.com/abrowser/abrowser/daemon/web/direct"
	"github.com/abrowser/abrowser/daemon/web/prompts"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// script has the functions that run in the page.
//
//go:embed clipboard.js
var script string

// Clipboard is the clipboard of a session, which its pages use too.
type Clipboard struct{ *prompts.Prompts }

// Read returns the text.
func (c Clipboard) Read(context.Context, *daemon.Call, verbs.Empty) (verbs.ClipboardReadOut, error) {
	return verbs.ClipboardReadOut{Content: c.Clipboard()}, nil
}

// Write sets the text.
func (c Clipboard) Write(_ context.Context, _ *daemon.Call, in verbs.ClipboardWriteIn) (verbs.ClipboardWriteOut, error) {
	c.SetClipboard(in.Text)
	return verbs.ClipboardWriteOut{Written: in.Text}, nil
}

// Copy copies the page's selection into the session's clipboard.
func (c Clipboard) Copy(_ context.Context, p *direct.Page, _ verbs.TimeoutIn) (verbs.ClipboardCopyOut, error) {
	p.Begun = true // the page may handle the event
	var text *string
	if err := call(p, &text, "copy"); err != nil {
		return verbs.ClipboardCopyOut{}, err
	}
	if text == nil {
		return verbs.ClipboardCopyOut{}, wire.Errorf(wire.CodeNotActionable, "no text is selected in the page").WithHint("abrowser press Control+a selects all")
	}
	c.SetClipboard(*text)
	return verbs.ClipboardCopyOut{Copied: true, Content: *text}, nil
}

// The results of the function paste in clipboard.js.
const (
	pasteHandled = "handled" // the page has handled the event
	pasteInsert  = "insert"  // the text must be inserted
)

// Paste inserts the text where the focus is.
func (c Clipboard) Paste(_ context.Context, p *direct.Page, _ verbs.TimeoutIn) (verbs.ClipboardPasteOut, error) {
	text := c.Clipboard()
	if text == "" {
		return verbs.ClipboardPasteOut{}, wire.Errorf(wire.CodeNotActionable, "the session's clipboard is empty").WithHint("abrowser clipboard write TEXT")
	}
	p.Begun = true
	var how string
	if err := call(p, &how, "paste", text); err != nil {
		return verbs.ClipboardPasteOut{}, err
	}
	switch how {
	case pasteHandled:
		return verbs.ClipboardPasteOut{Pasted: true}, nil
	case pasteInsert:
		err := p.Send("Input.insertText", map[string]any{"text": text}, nil)
		return verbs.ClipboardPasteOut{Pasted: err == nil}, err
	}
	return verbs.ClipboardPasteOut{}, wire.Errorf(wire.CodeNotActionable, "no element that takes text has the focus").WithHint("abrowser focus SELECTOR")
}

// call calls a function of the script in the page, and decodes its result.
func call(p *direct.Page, out any, function string, args ...any) error {
	raw, err := json.Marshal(append([]any{}, args...))
	if err != nil {
		return err
	}
	var answer cdp.Evaluation
	err = p.Send("Runtime.evaluate", map[string]any{
		"expression": fmt.Sprintf("(%s).%s(...%s)", strings.TrimSpace(script), function, raw), "returnByValue": true, "userGesture": true,
	}, &answer)
	if err == nil {
		err = answer.Thrown()
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(answer.Result.Value, out)
}
