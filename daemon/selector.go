package daemon

import (
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

const maxSelector = 64 << 10

// refPattern is how a ref is written: e3, @e3 or ref=e3.
var refPattern = regexp.MustCompile(`^(?:@|ref=)?e([1-9][0-9]{0,9})$`)

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
		return selector{}, wire.Errorf(wire.CodeBadInput, "the selector is empty").WithHint(hintSnapshot)
	case len(text) > maxSelector:
		return selector{}, wire.Errorf(wire.CodeBadInput, "the selector is longer than %d bytes", maxSelector)
	}
	if m := refPattern.FindStringSubmatch(text); m != nil {
		number, err := strconv.Atoi(m[1])
		if err != nil {
			return selector{}, wire.Errorf(wire.CodeBadInput, "%q is no ref", text)
		}
		return selector{given: given, ref: number}, nil
	}
	if strings.HasPrefix(text, "@") {
		return selector{}, wire.Errorf(wire.CodeBadInput, "%q is no ref; refs look like e3", text).WithHint(hintSnapshot)
	}
	for part := range strings.SplitSeq(text, ">>") {
		part = strings.TrimSpace(part)
		// These speak to Playwright's inside, where our refs and their checks do not hold.
		if strings.HasPrefix(part, "aria-ref=") || strings.HasPrefix(part, "internal:") {
			return selector{}, wire.Errorf(wire.CodeBadInput, "%q is not a selector for people", part).WithHint(hintSnapshot)
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
