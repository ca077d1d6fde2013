package daemon

import (
	"cmp"
	"context"

	"github.com/abrowser/abrowser/sockets/wire"
)

// policies are the session's, the defaults by their names.
func (s *Session) policies() wire.PoliciesOut {
	p := s.kept.get().Policies
	for _, mode := range []*string{&p.Dialog, &p.Permission, &p.Notification, &p.FilePicker} {
		*mode = cmp.Or(*mode, wire.PolicyRaise)
	}
	return wire.PoliciesOut{Policies: p}
}

func (s *Session) policyStatus(context.Context, *wire.Call, wire.Nothing) (wire.PoliciesOut, error) {
	return s.policies(), nil
}

func (s *Session) policyDialog(_ context.Context, _ *wire.Call, in wire.DialogPolicyIn) (wire.PoliciesOut, error) {
	err := s.kept.change(func(k *kept) { k.Policies.Dialog, k.Policies.PromptText = in.Mode, in.Text })
	return s.policies(), err
}

func (s *Session) dialogAccept(_ context.Context, call *wire.Call, in wire.DialogAcceptIn) (wire.DialogAnswerOut, error) {
	return s.expectDialog(call, reaction{accept: true, text: in.Text}), nil
}

func (s *Session) dialogDismiss(_ context.Context, call *wire.Call, _ wire.Nothing) (wire.DialogAnswerOut, error) {
	return s.expectDialog(call, reaction{}), nil
}

// expectDialog has the next dialog answered: none stays open long enough to be
// answered by a command.
func (s *Session) expectDialog(call *wire.Call, next reaction) wire.DialogAnswerOut {
	s.dialogs.expect(next)
	done := "dismissed"
	if next.accept {
		done = "accepted"
	}
	call.Warn("no dialog is open; the next one will be %s", done)
	return wire.DialogAnswerOut{Accepted: next.accept}
}
