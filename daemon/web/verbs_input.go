package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/aria"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// performOn performs an action on the element that a selector matches.
func (c *pageCall) performOn(ctx context.Context, given string, a action) (verbs.Effects, error) {
	at, err := c.aim(given)
	if err != nil {
		return verbs.Effects{}, err
	}
	return c.performAt(ctx, at, a)
}

// performAt performs an action on an element, and returns its effects.
func (c *pageCall) performAt(ctx context.Context, at target, a action) (verbs.Effects, error) {
	done, err := c.perform(ctx, at, a)
	if err != nil {
		return verbs.Effects{}, err
	}
	if done.saves && a.params["button"] != "right" {
		c.downloads.AwaitStart(ctx)
	}
	effects := c.effects(ctx)
	if done.unused {
		c.Warn("nothing on the page uses a click on %q: neither it nor an element around it has a listener or a default action", at.sel.given)
	}
	if done.unchanged {
		return effects, wire.Errorf(wire.CodeNotActionable, "%q was clicked and did not change", at.sel.given).WithHint(daemon.HintSnapshot)
	}
	return effects, nil
}

func (c *pageCall) click(ctx context.Context, in verbs.ClickIn) (verbs.ClickOut, error) {
	if in.NewTab {
		return c.clickNewTab(ctx, in)
	}
	button := cmp.Or(in.Button, "left")
	a := clicking(button, 1)
	if len(in.Modifiers) > 0 {
		a.params["modifiers"], a.fast = in.Modifiers, nil
	}
	effects, err := c.performOn(ctx, in.Selector, a)
	return verbs.ClickOut{Clicked: in.Selector, Effects: effects}, err
}

// clicking returns the action of count clicks in a row.
func clicking(button string, count int) action {
	return action{
		name: "click", verb: "click", params: map[string]any{"button": button, "count": count},
		fast: &fastAction{verb: "click", button: button, count: count},
	}
}

func (c *pageCall) dblclick(ctx context.Context, in verbs.ElementIn) (verbs.DblclickOut, error) {
	a := clicking("left", 2)
	a.name = "double click"
	effects, err := c.performOn(ctx, in.Selector, a)
	return verbs.DblclickOut{Clicked: in.Selector, Effects: effects}, err
}

func (c *pageCall) fill(ctx context.Context, in verbs.FillIn) (verbs.FillOut, error) {
	effects, err := c.performOn(ctx, in.Selector, filling(in.Text))
	return verbs.FillOut{Filled: in.Selector, Effects: effects}, err
}

func filling(text string) action {
	return action{name: "fill", verb: "fill", params: map[string]any{"text": text}, fast: &fastAction{verb: "fill", text: text}}
}

func (c *pageCall) hover(ctx context.Context, in verbs.ElementIn) (verbs.HoverOut, error) {
	effects, err := c.performOn(ctx, in.Selector, action{name: "hover", verb: "hover"})
	return verbs.HoverOut{Hovered: in.Selector, Effects: effects}, err
}

func (c *pageCall) focus(ctx context.Context, in verbs.ElementIn) (verbs.FocusOut, error) {
	effects, err := c.performOn(ctx, in.Selector, action{name: "focus", verb: "focus"})
	return verbs.FocusOut{Focused: in.Selector, Effects: effects}, err
}

func (c *pageCall) check(ctx context.Context, in verbs.ElementIn) (verbs.CheckOut, error) {
	effects, err := c.performOn(ctx, in.Selector, checking("check", true))
	return verbs.CheckOut{Checked: in.Selector, Effects: effects}, err
}

func (c *pageCall) uncheck(ctx context.Context, in verbs.ElementIn) (verbs.UncheckOut, error) {
	effects, err := c.performOn(ctx, in.Selector, checking("uncheck", false))
	return verbs.UncheckOut{Unchecked: in.Selector, Effects: effects}, err
}

func checking(name string, checked bool) action {
	return action{name: name, verb: "check", params: map[string]any{"checked": checked}}
}

func (c *pageCall) scroll(ctx context.Context, in verbs.ScrollIn) (verbs.ScrollOut, error) {
	x, y := 0, 0
	switch in.Direction {
	case "up":
		y = -in.Amount
	case "left":
		x = -in.Amount
	case "right":
		x = in.Amount
	default:
		y = in.Amount
	}
	var at target // an empty target means the page itself
	if in.Selector != "" {
		var err error
		if at, err = c.aim(in.Selector); err != nil {
			return verbs.ScrollOut{}, err
		}
	} else if c.frame != "" {
		at = c.frameDocument()
	}
	by := map[string]any{"left": x, "top": y, "behavior": "instant"}
	if _, err := c.performInDriver(ctx, at, action{name: "scroll", verb: "scroll", params: map[string]any{"by": by}}); err != nil {
		return verbs.ScrollOut{}, err
	}
	return verbs.ScrollOut{Scrolled: true, Effects: c.effects(ctx)}, nil
}

func (c *pageCall) scrollIntoView(ctx context.Context, in verbs.ElementIn) (verbs.ScrollIntoViewOut, error) {
	at, err := c.aim(in.Selector)
	if err != nil {
		return verbs.ScrollIntoViewOut{}, err
	}
	if _, err := c.performInDriver(ctx, at, action{name: "scroll", verb: "scrollIntoView"}); err != nil {
		return verbs.ScrollIntoViewOut{}, err
	}
	return verbs.ScrollIntoViewOut{Scrolled: in.Selector, Effects: c.effects(ctx)}, nil
}

// keyTime is how many milliseconds one key may take on a slow machine.
const keyTime = 250

func (c *call) typeText(ctx context.Context, in verbs.TypeIn) (verbs.TypeOut, error) {
	if _, err := parseSelector(in.Selector); err != nil {
		return verbs.TypeOut{}, err
	}
	p, typing, ctx, cancel, err := c.forTyping(ctx, in.Text, in.Delay, in.TimeoutIn)
	if err != nil {
		return verbs.TypeOut{}, err
	}
	defer cancel()
	if err := c.on(p).enterFrame(ctx); err != nil {
		return verbs.TypeOut{}, err
	}
	at, err := c.on(p).aim(in.Selector)
	if err != nil {
		return verbs.TypeOut{}, err
	}
	if in.Clear {
		if _, err := c.on(p).perform(ctx, at, filling("")); err != nil {
			return verbs.TypeOut{}, err
		}
		c.Begun = true
	}
	_, err = c.on(p).perform(ctx, at, typing)
	if err != nil && in.Clear && !errors.Is(err, wire.CodeResultUnknown) {
		err = wire.Errorf(wire.CodeResultUnknown, "the field was cleared, and nothing typed: %s", wire.AsError(err).Message).WithHint(daemon.HintSnapshot)
	}
	if err != nil {
		return verbs.TypeOut{}, err
	}
	return verbs.TypeOut{Typed: in.Text, Effects: c.effects(ctx)}, nil
}

// forTyping returns the session's page, and the action that types a text there. The returned
// context ends when the time for the wait phase is over.
func (c *call) forTyping(ctx context.Context, text string, delay int, in verbs.TimeoutIn) (*page, action, context.Context, context.CancelFunc, error) {
	ack := ackTime + time.Duration((delay+keyTime)*len(text))*time.Millisecond
	if at, ok := ctx.Deadline(); ok { // the answer must come before the caller's deadline
		waiting := cmp.Or(time.Duration(in.Timeout)*time.Millisecond, actionTime)
		ack = max(ackTime, min(ack, time.Until(at)-waiting-time.Second))
	}
	a := action{name: "type", verb: "type", params: map[string]any{"text": text, "delay": delay}, ack: ack}
	ctx, cancel, err := c.limit(ctx, in, actionTime+time.Duration(delay*len(text))*time.Millisecond)
	if err != nil {
		return nil, a, ctx, cancel, err
	}
	p, err := c.currentPage(ctx)
	if err != nil {
		cancel()
	}
	return p, a, ctx, cancel, err
}

// option is an option of a select element.
type option struct{ value, label string }

func (c *pageCall) selectOptions(ctx context.Context, in verbs.SelectIn) (verbs.SelectOut, error) {
	at, err := c.aim(in.Selector)
	if err != nil {
		return verbs.SelectOut{}, err
	}
	if _, err := c.perform(ctx, at, action{name: "select", verb: "select", params: map[string]any{"values": in.Values}}); err != nil {
		return verbs.SelectOut{}, err
	}
	return verbs.SelectOut{Selected: in.Values, Effects: c.effects(ctx)}, nil
}

// optionsError returns the error of a select command whose element lacks a requested option, or
// takes only one of several requested options.
func optionsError(a action, options [][]string) error {
	var there []option
	for _, pair := range options {
		if len(pair) == 2 {
			there = append(there, option{pair[0], pair[1]})
		}
	}
	wanted, _ := a.params["values"].([]string)
	for _, want := range wanted {
		if !isOffered(there, want) {
			return noOptionError(want, there)
		}
	}
	// Each option exists, but the element takes only one.
	return noOptionError(strings.Join(wanted, ", "), there)
}

func isOffered(there []option, want string) bool {
	for _, o := range there {
		if o.value == want || aria.OneLine(o.label) == aria.OneLine(want) {
			return true
		}
	}
	return false
}

const maxListed = 30

func noOptionError(want string, there []option) error {
	var names []string
	for i, o := range there {
		if i == maxListed {
			names = append(names, "...")
			break
		}
		names = append(names, fmt.Sprintf("%s (%q)", o.value, o.label))
	}
	return wire.Errorf(wire.CodeNotFound, "no option matches %q; available options: %s", want, strings.Join(names, ", ")).
		WithHint("a value or a visible label is taken")
}

// upload sets the files of a file field. The browser does not read the files before the page does.
func (c *pageCall) upload(ctx context.Context, in verbs.UploadIn) (verbs.UploadOut, error) {
	params, err := uploadParams(in)
	if err != nil {
		return verbs.UploadOut{}, err
	}
	at, err := c.aim(in.Selector)
	if err != nil {
		return verbs.UploadOut{}, err
	}
	done, err := c.performInDriver(ctx, at, action{name: "upload", verb: "upload", params: params})
	if err != nil {
		return verbs.UploadOut{}, err
	}
	switch {
	case done.unopened:
		return verbs.UploadOut{}, wire.Errorf(wire.CodeNotActionable, "%q was clicked and opened no file chooser", in.Selector).WithHint(daemon.HintSnapshot)
	case done.lacks != "":
		return verbs.UploadOut{}, wire.Errorf(wire.CodeNotActionable, "%q was clicked, and %s", in.Selector, done.lacks).WithHint(daemon.HintSnapshot)
	}
	effects := c.effects(ctx)
	effects.FileChooser = false // its files are chosen
	c.prompts.Withdraw(c.page)
	return verbs.UploadOut{Selector: in.Selector, Uploaded: len(in.Files), Effects: effects}, nil
}

func checkUpload(in verbs.UploadIn) error {
	_, err := uploadParams(in)
	return err
}

// uploadParams returns the driver's parameters for an upload. It returns an error if a file cannot
// be read.
func uploadParams(in verbs.UploadIn) (map[string]any, error) {
	for _, path := range in.Files {
		file, err := os.Open(path)
		if err != nil {
			return nil, wire.Errorf(wire.CodeBadInput, "reading the file: %v", err).WithHint("abrowser help upload")
		}
		info, err := file.Stat()
		_ = file.Close() // nothing was written
		switch {
		case err != nil:
			return nil, wire.Errorf(wire.CodeBadInput, "reading the file: %v", err).WithHint("abrowser help upload")
		case info.IsDir() && len(in.Files) > 1:
			return nil, wire.Errorf(wire.CodeBadInput, "%s is a directory; it can only be uploaded alone", path).WithHint("abrowser help upload")
		case info.IsDir():
			return map[string]any{"directory": path}, nil
		}
	}
	return map[string]any{"files": in.Files}, nil
}
