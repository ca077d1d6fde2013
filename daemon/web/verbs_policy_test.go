package web_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/daemon/daemontest"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// reply runs a verb and returns the whole reply, including its records.
func reply[In, Out any](t testing.TB, s *daemontest.Session, v wire.Verb[In, Out], in In) wire.Reply {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	defer cancel()
	r, err := s.Client.Call(ctx, v.Spec, in)
	if err != nil {
		t.Fatalf("%s(%+v) = %v, hint %q", v.Name, in, err, wire.AsError(err).Hint)
	}
	return r
}

// A policy for dialogs applies from the next dialog on. The reply warns of a dialog only in the
// default mode, raise, because no policy has decided about the dialog then.
func TestDialogPolicies(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/dialogs"))
	for _, tt := range []struct {
		mode, text, selector, shown, handled string
		raised                               bool
	}{
		{"accept", "", "#confirm", "confirm true", "accepted", false},
		{"accept", "", "#prompt", "prompt ", "accepted", false},
		{"dismiss", "", "#confirm", "confirm false", "dismissed", false},
		{"dismiss", "", "#alert", "alerted", "dismissed", false},
		{"accept-prompt-with", "Grace H", "#prompt", "prompt Grace H", "accepted", false},
		{"accept-prompt-with", "Grace H", "#confirm", "confirm true", "accepted", false},
		{"raise", "", "#confirm", "confirm false", "dismissed", true},
		{"raise", "", "#alert", "alerted", "accepted", true},
	} {
		t.Run(tt.mode+tt.selector, func(t *testing.T) {
			do(t, s, verbs.PolicyDialog, verbs.DialogPolicyIn{Mode: tt.mode, Text: tt.text})
			r := reply(t, s, verbs.Click, verbs.ClickIn{Element: element(tt.selector)})
			if len(r.Records) != 1 {
				t.Fatalf("the records are %+v", r.Records)
			}
			if got := r.Records[0]; got.Kind != wire.KindDialog || got.Handled != tt.handled || got.Unhandled != tt.raised || got.Message == "" ||
				(got.Hint != "") != tt.raised || (len(r.Warnings) > 0) != tt.raised {
				t.Errorf("the record is %+v with warnings %q", got, r.Warnings)
			}
			if got := strings.TrimSpace(text(t, s, "#out")); got != strings.TrimSpace(tt.shown) {
				t.Errorf("the page shows %q, want %q", got, tt.shown)
			}
		})
	}
	t.Run("once", func(t *testing.T) {
		do(t, s, verbs.DialogAccept, verbs.DialogAcceptIn{Text: "once"})
		for _, want := range []string{"prompt once", "prompt null"} {
			do(t, s, verbs.Click, verbs.ClickIn{Element: element("#prompt")})
			if got := text(t, s, "#out"); got != want {
				t.Errorf("the page shows %q, want %q", got, want)
			}
		}
		do(t, s, verbs.PolicyDialog, verbs.DialogPolicyIn{Mode: "accept"})
		do(t, s, verbs.DialogDismiss, verbs.Empty{})
		do(t, s, verbs.Click, verbs.ClickIn{Element: element("#confirm")})
		if got := text(t, s, "#out"); got != "confirm false" {
			t.Errorf("dismissed once, the page shows %q", got)
		}
	})
	t.Run("a verb that only reads", func(t *testing.T) {
		do(t, s, verbs.PolicyDialog, verbs.DialogPolicyIn{Mode: "raise"})
		eval(t, s, "setTimeout(() => confirm('between'), 100), 0")
		for began := time.Now(); time.Since(began) < patience; {
			if r := reply(t, s, verbs.GetText, verbs.GetIn{Element: element("#out")}); wire.AnyUnhandled(r.Records) {
				if !strings.Contains(r.Warnings[0], "between") || !strings.Contains(r.Warnings[0], "abrowser policy dialog") {
					t.Errorf("it warns %q", r.Warnings)
				}
				return
			}
		}
		t.Error("no reply says so")
	})
	fails(t, s, verbs.PolicyDialog, verbs.DialogPolicyIn{Mode: "accept-prompt-with"}, wire.CodeBadInput)
	fails(t, s, verbs.PolicyDialog, verbs.DialogPolicyIn{Mode: "accept", Text: "x"}, wire.CodeBadInput)
	fails(t, s, verbs.PolicyDialog, verbs.DialogPolicyIn{Mode: "maybe"}, wire.CodeBadInput)
}

// A policy applies to one session, including its next daemon, and ends with the session.
func TestPolicyLastsAsLongAsTheSession(t *testing.T) {
	t.Parallel()
	first, other := home.Start(t), home.Start(t)
	do(t, first, verbs.PolicyDialog, verbs.DialogPolicyIn{Mode: "accept-prompt-with", Text: "Ada"})
	first.End(t)
	second := home.Resume(t, first.Name)
	if p := do(t, second, verbs.PolicyStatus, verbs.Empty{}).Policies; p.Dialog != "accept-prompt-with" || p.PromptText != "Ada" {
		t.Errorf("the next daemon has %+v", p)
	}
	if p := do(t, other, verbs.PolicyStatus, verbs.Empty{}).Policies; p.Dialog != "raise" {
		t.Errorf("another session has %+v", p)
	}
	do(t, second, verbs.Close, verbs.CloseIn{})
	second.End(t)
	if _, err := os.Stat(home.Root.StateFile(first.Name)); !os.IsNotExist(err) {
		t.Errorf("after close its file is there: %v", err)
	}
	if p := do(t, home.Resume(t, first.Name), verbs.PolicyStatus, verbs.Empty{}).Policies; p.Dialog != "raise" {
		t.Errorf("after close the session has %+v", p)
	}
}
