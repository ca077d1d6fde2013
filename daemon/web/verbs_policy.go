package web

import (
	"cmp"
	"context"
	"maps"
	"mime"
	"os"
	"path/filepath"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// policies are the session's, the defaults by their names.
func (p *pages) policies() verbs.PoliciesOut {
	set := p.session.State.Get().Policies
	for _, mode := range []*string{&set.Dialog, &set.Permission, &set.Notification, &set.FilePicker} {
		*mode = cmp.Or(*mode, verbs.PolicyRaise)
	}
	return verbs.PoliciesOut{Policies: set, Pending: p.prompts.pendingQuestions(), Queued: p.prompts.queued()}
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

// modes is a policy with a mode for some of what it decides about, or for all.
func modes(before string, single map[string]string, mode string, names []string, per map[string]string) (string, map[string]string) {
	if len(names) == 0 {
		return mode, maps.Clone(per)
	}
	next := maps.Clone(single)
	if next == nil {
		next = map[string]string{}
	}
	maps.Copy(next, per)
	for _, name := range names {
		next[name] = mode
	}
	return before, next
}

func (p *pages) setPolicy(change func(*verbs.Policies)) (verbs.PoliciesOut, error) {
	err := p.session.State.Change(func(s *daemon.State) { change(&s.Policies) })
	if conn := p.current(); conn != nil && err == nil {
		err = conn.refreshPrompts(p.prompts)
	}
	return p.policies(), err
}

func (p *pages) policyAnswer(_ context.Context, _ *wire.Call, in verbs.PolicyAnswerIn) (verbs.PoliciesOut, error) {
	err := p.prompts.answer(in.ID, in.Answer == verbs.PolicyAllow)
	return p.policies(), err
}

const maxPicked = 32 << 20 // bytes that a page is given at once

func (p *pages) policyRespond(_ context.Context, _ *wire.Call, in verbs.PickerRespondIn) (verbs.PickerRespondOut, error) {
	none := verbs.PickerRespondOut{}
	for _, path := range in.Paths {
		in.Files = append(in.Files, verbs.PickedFile{Path: path})
	}
	answer := pickerAnswer{api: in.API}
	if in.API == "showSaveFilePicker" {
		if len(in.Files) != 1 || !filepath.IsAbs(in.Files[0].Path) {
			return none, wire.Errorf(wire.CodeBadInput, "a file picker that saves picks the one file to write, by its absolute path").
				WithHint("abrowser policy respond showSaveFilePicker ./report.txt")
		}
		answer.path = in.Files[0].Path
		if info, err := os.Stat(filepath.Dir(answer.path)); err != nil || !info.IsDir() {
			return none, wire.Errorf(wire.CodeBadInput, "there is no directory %s", filepath.Dir(answer.path)).WithHint("mkdir -p %s", filepath.Dir(answer.path))
		}
	} else {
		size := 0
		for _, f := range in.Files {
			one, err := readPicked(f)
			if err != nil {
				return none, err
			}
			if size += len(one.Data); size > maxPicked {
				return none, wire.Errorf(wire.CodeTooLarge, "the files are larger than %d bytes together", maxPicked).WithHint("pick fewer, or smaller ones")
			}
			answer.files = append(answer.files, one)
		}
	}
	if err := p.prompts.enqueue(answer); err != nil {
		return none, err
	}
	return verbs.PickerRespondOut{Queued: verbs.QueuedAnswer{API: in.API, Files: len(in.Files)}}, nil
}

// readPicked reads a file that a page will be given.
func readPicked(f verbs.PickedFile) (pickedFile, error) {
	one := pickedFile{Name: cmp.Or(f.Name, filepath.Base(f.Path)), Type: cmp.Or(f.MIMEType, mime.TypeByExtension(filepath.Ext(cmp.Or(f.Name, f.Path))))}
	switch {
	case f.Path != "" && f.Contents != nil, f.Path == "" && f.Contents == nil:
		return one, wire.Errorf(wire.CodeBadInput, "a file is given by path or by contents").WithHint("abrowser policy respond showOpenFilePicker ./report.txt")
	case f.Contents != nil:
		one.Name, one.Data = cmp.Or(f.Name, "file.txt"), []byte(*f.Contents)
		return one, nil
	case !filepath.IsAbs(f.Path):
		return one, wire.Errorf(wire.CodeBadInput, "%s is no absolute path", f.Path).WithHint("give the whole path")
	}
	info, err := os.Stat(f.Path)
	if err == nil && !info.Mode().IsRegular() {
		return one, wire.Errorf(wire.CodeBadInput, "%s is no file", f.Path).WithHint("ls -l %s", f.Path)
	}
	if err == nil && info.Size() > maxPicked {
		return one, wire.Errorf(wire.CodeTooLarge, "%s is larger than %d bytes", f.Path, maxPicked).WithHint("pick a smaller one")
	}
	if err == nil {
		one.Data, err = os.ReadFile(f.Path)
	}
	if err != nil {
		return one, wire.Errorf(wire.CodeBadInput, "the file cannot be read: %v", err).WithHint("ls -l %s", f.Path)
	}
	return one, nil
}

// dialogStatus says whether a dialog is open. It never waits for a page.
func (p *pages) dialogStatus(context.Context, *wire.Call, verbs.Empty) (verbs.DialogStatusOut, error) {
	d, open := p.dialogs.current()
	if !open {
		return verbs.DialogStatusOut{}, nil
	}
	return verbs.DialogStatusOut{HasDialog: true, Type: d.Type, Message: d.Message, DefaultPrompt: d.DefaultPrompt}, nil
}

func (p *pages) dialogAccept(_ context.Context, call *wire.Call, in verbs.DialogAcceptIn) (verbs.DialogAnswerOut, error) {
	return p.expectDialog(call, reaction{accept: true, text: in.Text}), nil
}

func (p *pages) dialogDismiss(_ context.Context, call *wire.Call, _ verbs.Empty) (verbs.DialogAnswerOut, error) {
	return p.expectDialog(call, reaction{}), nil
}

// expectDialog has the next dialog answered: none stays open long enough to be
// answered by a command.
func (p *pages) expectDialog(call *wire.Call, next reaction) verbs.DialogAnswerOut {
	p.dialogs.expect(next)
	done := "dismissed"
	if next.accept {
		done = "accepted"
	}
	call.Warn("no dialog is open; the next one will be %s", done)
	return verbs.DialogAnswerOut{Accepted: next.accept}
}
