package web

import (
	"path"
	"strconv"
	"strings"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/wire"
)

const maxSelector = 64 << 10

// refNumber returns the digits of a ref, which may be written e3, @e3 or ref=e3. The result ok is
// false if the text is not a ref.
func refNumber(text string) (digits string, ok bool) {
	if short, cut := strings.CutPrefix(text, "@"); cut {
		text = short
	} else {
		text = strings.TrimPrefix(text, "ref=")
	}
	digits, ok = strings.CutPrefix(text, "e")
	return digits, ok && daemon.IsNumber(digits) && digits[0] != '0' && len(digits) <= 10
}

// selector names the element that a command acts on: by a ref of a snapshot, or by a selector for
// Playwright.
type selector struct {
	given string
	ref   int // 0: no ref
	query string
}

// parseSelector parses a selector. It refuses a selector that is empty or too long, that is a
// malformed ref, or that uses an engine which is not allowed. Playwright checks the rest.
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
			return selector{}, wire.Errorf(wire.CodeBadInput, "invalid ref %q", text)
		}
		return selector{given: given, ref: number}, nil
	}
	if strings.HasPrefix(text, "@") {
		return selector{}, wire.Errorf(wire.CodeBadInput, "invalid ref %q; refs look like e3", text).WithHint(daemon.HintSnapshot)
	}
	for part := range strings.SplitSeq(text, ">>") {
		part = strings.TrimSpace(part)
		// These selector engines of Playwright bypass the session's refs and their checks.
		if strings.HasPrefix(part, "aria-ref=") || strings.HasPrefix(part, "internal:") {
			return selector{}, wire.Errorf(wire.CodeBadInput, "selector engine not allowed: %q", part).WithHint(daemon.HintSnapshot)
		}
	}
	return selector{given: given, query: text}, nil
}

// checkOptional returns the error of [parseSelector], or nil for an empty selector.
func checkOptional(given string) error {
	if given == "" {
		return nil
	}
	_, err := parseSelector(given)
	return err
}

// isImagePath reports whether the only argument of a screenshot names a file. The argument is a
// selector if it starts with . # or @ (but not ./ or ../), or if it has neither a slash nor the
// extension of an image.
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
