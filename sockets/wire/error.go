package wire

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Error is the error in a reply. Programs use the code; message and hint are for people.
// The hint says what to do next, if possible as a command to run.
type Error struct {
	Code    Code           `json:"code"`
	Message string         `json:"message"`
	Hint    string         `json:"hint,omitempty"`
	Details map[string]any `json:"details,omitempty"`
}

// Errorf returns an error with a code. The message follows Go's conventions for error strings
// and names what was requested. If it has more than 4,000 bytes, its middle is left out.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: shorten(fmt.Sprintf(format, args...))}
}

// WithHint returns a copy of the error with a hint.
func (e *Error) WithHint(format string, args ...any) *Error {
	c := *e
	c.Hint = shorten(fmt.Sprintf(format, args...))
	return &c
}

// WithDefaultHint returns err, and adds the hint if err has none.
func WithDefaultHint(err error, format string, args ...any) error {
	if e := AsError(err); e != nil && e.Hint == "" {
		return e.WithHint(format, args...)
	}
	return err
}

// maxText is the largest number of bytes of a message or a hint. They may quote what the caller or a
// page has given, of any length.
const maxText = 4000

// shorten returns the text, without its middle if it is too long.
func shorten(text string) string {
	if len(text) <= maxText {
		return text
	}
	const tail = maxText / 4
	return strings.ToValidUTF8(text[:maxText-tail], "") + " … " + strings.ToValidUTF8(text[len(text)-tail:], "")
}

// With returns a copy of the error with a further detail.
func (e *Error) With(name string, value any) *Error {
	c := *e
	c.Details = map[string]any{name: value}
	for k, v := range e.Details {
		if k != name {
			c.Details[k] = v
		}
	}
	return &c
}

// Error returns the message without code and hint.
func (e *Error) Error() string { return e.Message }

// Is reports whether target is the [Code] of this error, or another Error with this code.
func (e *Error) Is(target error) bool {
	var code Code
	if errors.As(target, &code) {
		return e.Code == code
	}
	var other *Error
	return errors.As(target, &other) && e.Code == other.Code
}

// AsError returns a copy of the first [Error] in err's chain, with the message of the whole
// chain. It returns nil for nil. If the chain has no Error, AsError returns a new one, whose
// code is the first of these that applies:
//
//   - the first [Code] in the chain
//   - [CodeTimeout] for [context.DeadlineExceeded]
//   - [CodeInterrupted] for [context.Canceled]
//   - [CodeInternal]
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	var coded *Error
	if errors.As(err, &coded) {
		c := *coded
		c.Message = shorten(err.Error())
		return &c
	}
	var code Code
	switch {
	case errors.As(err, &code):
	case errors.Is(err, context.DeadlineExceeded):
		code = CodeTimeout
	case errors.Is(err, context.Canceled):
		code = CodeInterrupted
	default:
		code = CodeInternal
	}
	return Errorf(code, "%s", err.Error())
}
