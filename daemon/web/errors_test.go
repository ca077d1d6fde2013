package web

import (
	"errors"
	"fmt"
	"testing"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/sockets/wire"
)

// codeError returns the right code for each of these error texts of Playwright.
func TestErrorCodes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]wire.Code{
		"Frame.Goto http://127.0.0.1/me: playwright: Page crashed":  wire.CodePageCrashed,
		"playwright: Navigation failed because page crashed!":       wire.CodePageCrashed,
		"Protocol error (Page.navigate): Target crashed":            wire.CodePageCrashed,
		"Target page, context or browser has been closed":           wire.CodeBrowserGone,
		"could not read protocol padding: EOF":                      wire.CodeBrowserGone,
		"Unexpected token \"[\" while parsing css selector \"a[\".": wire.CodeBadInput,
		"something else": wire.CodeInternal,
	} {
		if err := codeError(errors.New(text)); !errors.Is(err, want) {
			t.Errorf("%q is %v, want %s", text, err, want)
		}
	}
	if err := codeError(fmt.Errorf("%w: Timeout 10ms exceeded", playwright.ErrTimeout)); !errors.Is(err, wire.CodeTimeout) {
		t.Errorf("a timeout is %v", err)
	}
}
