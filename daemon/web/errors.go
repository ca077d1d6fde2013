package web

import (
	"errors"
	"regexp"
	"strings"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/sockets/wire"
)

// codeError converts a Playwright error to an error with a code. It returns an error that already
// has a code as it is.
func codeError(err error) error {
	var own *wire.Error
	if err == nil || errors.As(err, &own) {
		return err
	}
	text := errorText(err)
	switch {
	case errors.Is(err, playwright.ErrTargetClosed), strings.Contains(text, "has been closed"), strings.Contains(text, "session closed"), isDriverGone(err):
		return wire.Errorf(wire.CodeBrowserGone, "the page, the browser or its broker went away").WithHint("abrowser status")
	// "age crashed" matches Page and page.
	case strings.Contains(text, "age crashed"), strings.Contains(text, "Target crashed"):
		return wire.Errorf(wire.CodePageCrashed, "the page crashed").WithHint("abrowser open")
	case isBadSelector(text):
		return wire.Errorf(wire.CodeBadInput, "%s", firstLine(text)).WithHint("a selector is CSS, xpath=..., text=..., role=... or a ref such as e3")
	case errors.Is(err, playwright.ErrTimeout):
		return wire.Errorf(wire.CodeTimeout, "%s", firstLine(text))
	default:
		return wire.Errorf(wire.CodeInternal, "%s", firstLine(text))
	}
}

// isTimeout reports whether a call to Playwright has timed out.
func isTimeout(err error) bool { return errors.Is(err, playwright.ErrTimeout) }

// isGone reports whether a call failed because its page or connection is gone.
func isGone(err error) bool { return errors.Is(codeError(err), wire.CodeBrowserGone) }

// isDriverGone reports whether a call failed because the driver is gone.
func isDriverGone(err error) bool {
	if err == nil {
		return false
	}
	text := err.Error()
	return strings.Contains(text, "could not read protocol") || strings.Contains(text, "could not send message") ||
		strings.Contains(text, "Connection closed") || strings.Contains(text, "transport closed")
}

// isNotSent reports whether a call failed before it reached the driver.
func isNotSent(err error) bool {
	text := err.Error()
	return strings.Contains(text, "could not read protocol") || strings.Contains(text, "could not send message") ||
		strings.Contains(text, "transport closed")
}

// isNotRun reports whether a script was not run because its document was gone.
func isNotRun(err error) bool {
	return strings.Contains(err.Error(), "Cannot find context with specified id")
}

// isDocumentGone reports whether a call failed because its document was replaced. The call may
// nevertheless have had its effect. A call that changes nothing may be repeated in the new
// document.
func isDocumentGone(err error) bool {
	if err == nil {
		return false
	}
	text := err.Error()
	return strings.Contains(text, "Execution context was destroyed") ||
		strings.Contains(text, "Cannot find context with specified id") ||
		strings.Contains(text, "Inspected target navigated or closed") ||
		strings.Contains(text, "frame was detached") ||
		strings.Contains(text, "Frame has been detached")
}

func isBadSelector(text string) bool {
	for _, sign := range []string{
		"while parsing", "is not a valid selector", "is not a valid XPath", "Unknown engine", "Malformed", "Frame locators are not allowed",
		"Selector cannot", "selector cannot", "Invalid regular expression", "Unknown attribute", "must not be empty",
	} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}

// errorText returns the text of an error without the parts that are for users of Playwright.
func errorText(err error) string {
	// The regular expressions are not package variables. Otherwise every process that contains this
	// package would compile them when it starts.
	text := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(err.Error(), "")
	text, _, _ = strings.Cut(text, "\nCall log:")
	return regexp.MustCompile(`^(playwright: |timeout: |target closed: |Error: )+`).ReplaceAllString(strings.TrimSpace(text), "")
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
