package web

import (
	"path"
	"strconv"
	"strings"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/wire"
)

const maxSelector = 64 << 10

// refNumber reads a ref as it is written: e3, @e3 or ref=e3.
func refNumber(text string) (digits string, ok bool) {
	if short, cut := strings.CutPrefix(text, "@"); cut {
		text = short
	} else {
		text = strings.TrimPrefix(text, "ref=")
	}
	digits, ok = strings.CutPrefix(text, "e")
	return digits, ok && daemon.IsNumber(digits) && digits[0] != '0' && len(digits) <= 10
}

// selector is what a command acts on: a ref of a snapshot, or a selector in
// Playwright's words.
type selector struct {
	given string
	ref   int // 0: no ref
	query string
}

// parseSelector refuses what can be known to be wrong without a page.
func parseSelector(given string) (selector, error) {
	text := strings.TrimSpace(given)
	switch {
	case text == "":
		return selector{}, wire.Errorf(wire.CodeBadInput, "the selector is empty").WithHint(daemon.HintSnapshot)
	case len(text) > maxSelector:
		return selector{}, wire.Errorf(wire.CodeBadInput, "the selector is longer than %d bytes", maxSelector)
	}
	if digits, ok := refNumber(text); ok {
		number, err := strconv.Atoi(digits)
		if err != nil {
			return selector{}, wire.Errorf(wire.CodeBadInput, "%q is no ref", text)
		}
		return selector{given: given, ref: number}, nil
	}
	if strings.HasPrefix(text, "@") {
		return selector{}, wire.Errorf(wire.CodeBadInput, "%q is no ref; refs look like e3", text).WithHint(daemon.HintSnapshot)
	}
	for part := range strings.SplitSeq(text, ">>") {
		part = strings.TrimSpace(part)
		// These speak to Playwright's inside, where our refs and their checks do not hold.
		if strings.HasPrefix(part, "aria-ref=") || strings.HasPrefix(part, "internal:") {
			return selector{}, wire.Errorf(wire.CodeBadInput, "%q is not a selector for people", part).WithHint(daemon.HintSnapshot)
		}
	}
	return selector{given: given, query: text}, nil
}

// isImagePath reports whether the single argument of a screenshot names a file:
// it is a selector if it starts with . # or @ (but not ./ or ../), or has neither a
// slash nor an image's ending.
func isImagePath(arg string) bool {
	if strings.HasPrefix(arg, "./") || strings.HasPrefix(arg, "../") {
		return true
	}
	if strings.HasPrefix(arg, ".") || strings.HasPrefix(arg, "#") || strings.HasPrefix(arg, "@") {
		return false
	}
	switch strings.ToLower(path.Ext(arg)) {
	case ".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp", ".pdf":
		return true
	}
	return strings.Contains(arg, "/")
}
