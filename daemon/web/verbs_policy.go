package web

import (
	"cmp"
	"context"
	"maps"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/dialogs"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// policies returns the session's policies. It returns raise, the default, for a policy that was not
// set.
func (p *pages) policies() verbs.PoliciesOut {
	set := p.session.State.Get().Policies
	for _, mode := range []*string{&set.Dialog, &set.Permission, &set.Notification, &set.FilePicker} {
		*mode = cmp.Or(*mode, verbs.PolicyRaise)
	}
	return verbs.PoliciesOut{Policies: set, Pending: p.prompts.Pending(false), Queued: p.prompts.Queued()}
}

func (p *pages) policyStatus(context.Context, *wire.Call, verbs.Empty) (verbs.PoliciesOut, error) {
	return p.policies(), nil
}

func (p *pages) policyDialog(_ context.Context, _ *wire.Call, in verbs.DialogPolicyIn) (verbs.PoliciesOut, error) {
	err := p.session.State.Change(func(s *daemon.State) { s.Policies.Dialog, s.Policies.PromptText = in.Mode, in.Text })
	return p.policies(), err
}

func (p *pages) policyPermission(_ context.Context, _ *wire.Call, in verbs.PermissionPolicyIn) (verbs.PoliciesOut, error) {
	return p.setPolicy(func(set *verbs.Policies) {
		set.Permission, set.PerPermission = modes(set.Permission, set.PerPermission, in.Mode, in.Permissions, in.PerPermission)
	})
}

func (p *pages) policyNotification(_ context.Context, _ *wire.Call, in verbs.NotificationPolicyIn) (verbs.PoliciesOut, error) {
	return p.setPolicy(func(set *verbs.Policies) { set.Notification = in.Mode })
}

func (p *pages) policyFilePicker(_ context.Context, _ *wire.Call, in verbs.FilePickerPolicyIn) (verbs.PoliciesOut, error) {
	return p.setPolicy(func(set *verbs.Policies) {
		set.FilePicker, set.PerPicker = modes(set.FilePicker, set.PerPicker, in.Mode, in.APIs, in.PerAPI)
	})
}

// modes returns the new values of a policy: its general mode, and the modes of single permissions
// or file pickers, by their names. The parameters general and single are the present values. If
// names is empty, the new general mode is the parameter mode, and the new single modes are a copy
// of overrides. Otherwise the general mode stays, and the single modes change in two steps. First,
// those in overrides are set. Then the permission or picker of each of names gets the parameter
// mode.
func modes(general string, single map[string]string, mode string, names []string, overrides map[string]string) (string, map[string]string) {
	if len(names) == 0 {
		return mode, maps.Clone(overrides)
	}
	next := maps.Clone(single)
	if next == nil {
		next = map[string]string{}
	}
	maps.Copy(next, overrides)
	for _, name := range names {
		next[name] = mode
	}
	return general, next
}

func (p *pages) setPolicy(change func(*verbs.Policies)) (verbs.PoliciesOut, error) {
	err := p.session.State.Change(func(s *daemon.State) { change(&s.Policies) })
	if conn := p.current(); conn != nil && err == nil {
		err = conn.refreshPrompts(p.prompts)
	}
	return p.policies(), err
}

func (p *pages) policyAnswer(_ context.Context, _ *wire.Call, in verbs.PolicyAnswerIn) (verbs.PoliciesOut, error) {
	err := p.prompts.Answer(in.ID, in.Answer == verbs.PolicyAllow, in.Files)
	return p.policies(), err
}

func (p *pages) policyRespond(_ context.Context, _ *wire.Call, in verbs.PickerRespondIn) (verbs.PickerRespondOut, error) {
	return p.prompts.Respond(in)
}

// dialogStatus returns the open dialog, if there is one. It never waits for a page.
func (p *pages) dialogStatus(context.Context, *wire.Call, verbs.Empty) (verbs.DialogStatusOut, error) {
	d, open := p.dialogs.Current()
	if !open {
		return verbs.DialogStatusOut{}, nil
	}
	return verbs.DialogStatusOut{HasDialog: true, Type: d.Type, Message: d.Message, DefaultPrompt: d.DefaultPrompt}, nil
}

func (p *pages) dialogAccept(_ context.Context, call *wire.Call, in verbs.DialogAcceptIn) (verbs.DialogAnswerOut, error) {
	return p.react(call, dialogs.Reaction{Accept: true, Text: in.Text}), nil
}

func (p *pages) dialogDismiss(_ context.Context, call *wire.Call, _ verbs.Empty) (verbs.DialogAnswerOut, error) {
	return p.react(call, dialogs.Reaction{}), nil
}

// react answers the dialog that waits for a person, or sets the reaction to the next dialog. Other
// dialogs do not stay open long enough for a command to answer them.
func (p *pages) react(call *wire.Call, do dialogs.Reaction) verbs.DialogAnswerOut {
	if p.dialogs.React(do) {
		return verbs.DialogAnswerOut{Handled: true, Accepted: do.Accept}
	}
	done := "dismissed"
	if do.Accept {
		done = "accepted"
	}
	call.Warn("no dialog is open; the next one will be %s", done)
	return verbs.DialogAnswerOut{Accepted: do.Accept}
}
