package daemon

import (
	"errors"
	"regexp"
	"strings"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/sockets/wire"
)

// hintSnapshot is what to do when an element is not what was expected.
const hintSnapshot = "abrowser snapshot"

// coded gives an error of Playwright its code. What has one keeps it.
func coded(err error) error {
	var own *wire.Error
	if err == nil || errors.As(err, &own) {
		return err
	}
	text := briefly(err)
	switch {
	case errors.Is(err, playwright.ErrTargetClosed), strings.Contains(text, "has been closed"), strings.Contains(text, "session closed"), driverGone(err):
		return wire.Errorf(wire.CodeBrowserGone, "the page, the browser or its broker went away").WithHint("abrowser status")
	case strings.Contains(text, "age crashed"), strings.Contains(text, "Target crashed"): // Page or page
		return wire.Errorf(wire.CodePageCrashed, "the page crashed").WithHint("abrowser open")
	case badSelector(text):
		return wire.Errorf(wire.CodeBadInput, "%s", firstLine(text)).WithHint("a selector is CSS, xpath=..., text=..., role=... or a ref such as e3")
	case errors.Is(err, playwright.ErrTimeout):
		return wire.Errorf(wire.CodeTimeout, "%s", firstLine(text))
	default:
		return wire.Errorf(wire.CodeInternal, "%s", firstLine(text))
	}
}

// isTimeout reports whether a call of Playwright ended by its own timeout.
func isTimeout(err error) bool { return errors.Is(err, playwright.ErrTimeout) }

// isGone reports whether a call failed since its page or connection is gone.
func isGone(err error) bool { return errors.Is(coded(err), wire.CodeBrowserGone) }

// driverGone reports whether a call failed since the driver itself is gone.
func driverGone(err error) bool {
	if err == nil {
		return false
	}
	text := err.Error()
	return strings.Contains(text, "could not read protocol") || strings.Contains(text, "could not send message") ||
		strings.Contains(text, "Connection closed") || strings.Contains(text, "transport closed")
}

// neverSent reports whether a call failed before it reached the driver.
func neverSent(err error) bool {
	text := err.Error()
	return strings.Contains(text, "could not read protocol") || strings.Contains(text, "could not send message") ||
		strings.Contains(text, "transport closed")
}

// neverRun reports whether a script did not run, since there was no such document any more.
func neverRun(err error) bool {
	return strings.Contains(err.Error(), "Cannot find context with specified id")
}

// isMoved reports whether a call failed since the document it ran in went away,
// so that it may be asked again of the next one.
func isMoved(err error) bool {
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

func badSelector(text string) bool {
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

// briefly is an error's text without the parts that only Playwright's own users
// can read.
func briefly(err error) string {
	// Not kept in variables: those are made in every process that this package is in.
	text := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(err.Error(), "")
	text, _, _ = strings.Cut(text, "\nCall log:")
	return regexp.MustCompile(`^(playwright: |timeout: |target closed: |Error: )+`).ReplaceAllString(strings.TrimSpace(text), "")
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
