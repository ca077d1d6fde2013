package web

import (
	"context"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/aria"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const pollTime = 100 * time.Millisecond

func (c *call) wait(ctx context.Context, in verbs.WaitIn) (verbs.WaitOut, error) {
	if ms, err := strconv.Atoi(in.What); err == nil {
		return c.waitTime(ctx, ms)
	}
	if in.Download {
		return c.waitDownload(ctx, in)
	}
	var sel selector
	if in.What != "" {
		var err error
		if sel, err = parseSelector(in.What); err != nil {
			return verbs.WaitOut{}, err
		}
	}
	ctx, cancel, err := c.Limit(ctx, in.Timeout, waitTime)
	if err != nil {
		return verbs.WaitOut{}, err
	}
	defer cancel()
	began := time.Now()
	c.Undone = true
	p, err := c.activePage(ctx)
	if err != nil {
		return verbs.WaitOut{}, err
	}
	var out verbs.WaitOut
	w := waiting{c.on(p)}
	if err = w.awaitFor(ctx, in); err == nil {
		err = w.enterFrame(ctx)
	}
	switch {
	case err != nil:
	case in.What != "":
		out, err = verbs.WaitOut{Waited: "selector", Selector: in.What}, w.waitSelector(ctx, sel, in.State)
	case in.Text != "":
		out, err = verbs.WaitOut{Waited: "text", Found: in.Text}, w.waitText(ctx, in.Text)
	case in.URL != "":
		out.URL, err = w.waitURL(ctx, in.URL)
	case in.Load != "":
		state := playwright.LoadState(in.Load)
		out, err = verbs.WaitOut{State: in.Load}, w.awaitLoadState(ctx, &state)
	default:
		out.Result, err = w.waitScript(ctx, in.Script)
	}
	if err != nil {
		var coded *wire.Error
		if errors.As(err, &coded) && coded.Code == wire.CodeTimeout {
			timedOut := wire.Errorf(wire.CodeTimeout, "wait timed out after %dms", time.Since(began).Round(time.Millisecond).Milliseconds())
			if coded.Hint != "" {
				return verbs.WaitOut{}, timedOut.WithHint("%s", coded.Hint)
			}
			return verbs.WaitOut{}, timedOut.WithHint(daemon.HintSnapshot)
		}
		return verbs.WaitOut{}, err
	}
	out.Effects = c.effects(ctx)
	return out, nil
}

// waiting is a wait command and the page that it watches.
type waiting struct{ *pageCall }

// awaitFor waits for the document in which a wait command checks its condition. For the states
// hidden and detached it also waits until the document is parsed, because an element that is not
// parsed yet would count as hidden and detached. A condition about the URL needs no document, so
// awaitFor returns at once.
func (w waiting) awaitFor(ctx context.Context, in verbs.WaitIn) error {
	switch {
	case in.URL != "":
		return nil
	case in.State == "hidden", in.State == "detached":
		return w.awaitDocument(ctx)
	}
	return w.awaitArrival(ctx)
}

// waitTime waits for ms milliseconds. No other time limit applies to it.
func (c *call) waitTime(ctx context.Context, ms int) (verbs.WaitOut, error) {
	if limit := time.Duration(ms) * time.Millisecond; ms < 0 || limit > maxTime {
		return verbs.WaitOut{}, wire.Errorf(wire.CodeBadInput, "cannot wait %d; it takes milliseconds from 0 to %d", ms, maxTime.Milliseconds()).
			WithHint("abrowser wait 500")
	}
	if !daemon.Sleep(ctx, time.Duration(ms)*time.Millisecond) {
		return verbs.WaitOut{}, daemon.ContextError(ctx)
	}
	return verbs.WaitOut{Waited: "timeout", MS: ms, Effects: verbs.Effects{Dialogs: c.AddNotices()}}, nil
}

func (w waiting) waitSelector(ctx context.Context, sel selector, state string) error {
	at := w.page.Locator(w.inFrame(sel)).First()
	if sel.ref != 0 {
		e, err := w.checkRef(ctx, sel.ref)
		if err != nil && errors.Is(err, wire.CodeStaleRef) && (state == "hidden" || state == "detached") {
			return nil
		}
		if err != nil {
			return err
		}
		at = w.page.Locator("aria-ref=" + e.PlaywrightRef)
	}
	want := playwright.WaitForSelectorState(state)
	for {
		limit := daemon.TimeLeft(ctx, sliceTime)
		err := w.peek(limit+daemon.Grace, func() error {
			return at.WaitFor(playwright.LocatorWaitForOptions{State: &want, Timeout: playwright.Float(milliseconds(limit))})
		})
		if err == nil {
			return nil
		}
		if err := w.retryError(ctx, err); err != nil {
			return err
		}
	}
}

// retryError returns nil if the check that failed with err can be repeated. Otherwise it returns
// the error for the command.
func (w waiting) retryError(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return daemon.ContextError(ctx)
	case w.page.isCrashed():
		return wire.Errorf(wire.CodePageCrashed, "the page crashed").WithHint("abrowser open")
	case w.page.isGone():
		return wire.Errorf(wire.CodePageClosed, "the page was closed").WithHint("abrowser tab list")
	case isTimeout(err), isDocumentGone(err), errors.Is(err, wire.CodeResultUnknown):
		if !isTimeout(err) {
			daemon.Sleep(ctx, pollTime/2)
		}
		return nil
	}
	return codeError(err)
}

// poll evaluates an expression repeatedly until isDone returns true for its value.
func (w waiting) poll(ctx context.Context, code string, isDone func(value) bool) (value, error) {
	for {
		v, err := w.evaluate(ctx, code)
		switch {
		case err == nil && isDone(v):
			return v, nil
		case err != nil && errors.Is(err, wire.CodeEvaluation) && !strings.HasPrefix(err.Error(), "SyntaxError"):
			// The expression may use something that the page does not have yet, so try again.
		case err != nil:
			if err := w.retryError(ctx, err); err != nil {
				return value{}, err
			}
		}
		if !daemon.Sleep(ctx, pollTime) {
			thrown := err
			err := daemon.ContextError(ctx)
			var coded *wire.Error
			if thrown != nil && errors.As(err, &coded) && errors.Is(thrown, wire.CodeEvaluation) {
				return value{}, coded.WithHint("the script threw: %s", firstLine(thrown.Error()))
			}
			return value{}, err
		}
	}
}

func (w waiting) waitText(ctx context.Context, text string) error {
	_, err := w.poll(ctx, "document.body !== null && document.body.innerText.includes("+aria.Quote(text)+")",
		func(v value) bool { return string(v.json) == "true" })
	return err
}

func (w waiting) waitScript(ctx context.Context, code string) ([]byte, error) {
	function := false
	v, err := w.poll(ctx, code, func(v value) bool { function = v.function; return v.truthy() })
	if err == nil && function {
		v, err = w.poll(ctx, "("+strings.TrimRight(strings.TrimSpace(code), ";")+")()", value.truthy)
	}
	return v.json, err
}

// truthy reports whether the value counts as true in a condition of JavaScript.
func (v value) truthy() bool {
	switch string(v.json) {
	case "false", "0", `""`:
		return false
	case "null", "":
		return v.function || v.object || v.unserializable != "" && v.unserializable != "NaN" && v.unserializable != "-0" && v.unserializable != "0n"
	}
	return true
}

func (w waiting) waitURL(ctx context.Context, pattern string) (string, error) {
	match := urlPattern(pattern)
	for {
		if at := w.page.URL(); match(at) {
			return at, nil
		}
		if w.page.isGone() || w.page.isCrashed() {
			return "", w.retryError(ctx, nil)
		}
		if !daemon.Sleep(ctx, pollTime) {
			return "", daemon.ContextError(ctx)
		}
	}
}

// urlPattern returns a function that reports whether a URL matches the pattern. A pattern with *
// must match the whole URL, and each * stands for any text. A pattern without * matches every URL
// that contains it.
func urlPattern(pattern string) func(string) bool {
	if !strings.Contains(pattern, "*") {
		return func(at string) bool { return strings.Contains(at, pattern) }
	}
	parts := strings.FieldsFunc(pattern, func(r rune) bool { return r == '*' })
	for i, part := range parts {
		parts[i] = regexp.QuoteMeta(part)
	}
	body := strings.Join(parts, ".*")
	if strings.HasPrefix(pattern, "*") {
		body = ".*" + body
	}
	if strings.HasSuffix(pattern, "*") {
		body += ".*"
	}
	return regexp.MustCompile("(?s)^" + body + "$").MatchString
}
