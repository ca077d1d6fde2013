package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"testing"
)

func TestErrorCrossesTheWire(t *testing.T) {
	sent := Errorf(CodeNotFound, "no element matches %q", "<b>").WithHint("run %s", "abrowser snapshot").With("count", 0).With("ref", "e1")
	raw, err := json.Marshal(Reply{Error: AsError(fmt.Errorf("clicking: %w", sent))})
	if err != nil {
		t.Fatal(err)
	}
	var reply Reply
	if err := json.Unmarshal(raw, &reply); err != nil {
		t.Fatal(err)
	}
	got := fmt.Errorf("task 1: %w", reply.Error)
	if !errors.Is(got, CodeNotFound) || !errors.Is(got, sent) || errors.Is(got, CodeTimeout) || errors.Is(got, io.EOF) || errors.Is(got, Errorf(CodeTimeout, "x")) {
		t.Errorf("errors.Is does not hold for %v", got)
	}
	back := AsError(got)
	if back.Message != `task 1: clicking: no element matches "<b>"` || back.Hint != "run abrowser snapshot" || back.Details["ref"] != "e1" || back.Details["count"] != 0.0 {
		t.Errorf("AsError() = %+v", back)
	}
}

func TestErrorsAreCopied(t *testing.T) {
	e := Errorf(CodeBusy, "busy")
	if _ = e.WithHint("x"); e.Hint != "" {
		t.Error("WithHint changed its receiver")
	}
	one := e.With("a", 1)
	if two := one.With("a", 2); one.Details["a"] != 1 || two.Details["a"] != 2 || e.Details != nil {
		t.Error("With changed its receiver")
	}
	if _ = AsError(fmt.Errorf("x: %w", e)); e.Message != "busy" {
		t.Error("AsError changed its argument")
	}
}

func TestAsError(t *testing.T) {
	tests := []struct {
		name string
		err  error
		want Code
	}{
		{"coded", Errorf(CodeHeld, "held"), CodeHeld},
		{"wrapped", fmt.Errorf("x: %w", Errorf(CodeHeld, "held")), CodeHeld},
		{"joined", errors.Join(io.EOF, Errorf(CodeHeld, "held")), CodeHeld},
		{"a bare code", fmt.Errorf("x: %w", CodeWedged), CodeWedged},
		{"no code", io.EOF, CodeInternal},
		{"the time is over", fmt.Errorf("x: %w", context.DeadlineExceeded), CodeTimeout},
		{"the caller has gone", context.Canceled, CodeInterrupted},
		{"coded for its reason", errors.Join(context.Canceled, Errorf(CodeHeld, "held")), CodeHeld},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := AsError(tt.err)
			if got.Code != tt.want || got.Message != tt.err.Error() {
				t.Errorf("AsError(%v) = %+v, want %s", tt.err, got, tt.want)
			}
		})
	}
	if got := AsError(nil); got != nil {
		t.Errorf("AsError(nil) = %v, want nil", got)
	}
}
