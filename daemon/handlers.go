package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// served is a verb as this daemon serves it.
type served struct {
	wire.Handler
	// inTurn runs the verb inside a turn that is taken already. Nil: not in a batch.
	inTurn func(ctx context.Context, t *turn, body []byte) (any, error)
}

// paged serves a verb that acts on a page: it waits for the lane.
func paged[In, Out any](s *Session, v wire.Verb[In, Out], serve func(*turn, context.Context, In) (Out, error)) served {
	return served{
		Handler: wire.Bind(v, func(ctx context.Context, call *wire.Call, in In) (Out, error) {
			var none Out
			entered, slot, err := s.lane.enter(ctx, v.Name)
			if err != nil {
				return none, s.check(ctx, err)
			}
			defer slot.quit(&s.rests)
			if call.IsCallerGone() { // while it waited
				return none, ended(ctx)
			}
			slot.heals = s.healing
			t := &turn{Session: s, call: call, slot: slot}
			t.enters(v.Spec, in)
			defer t.leave()
			out, err := attempt(entered, t, in, serve)
			return out, s.check(ctx, err)
		}),
		inTurn: func(ctx context.Context, t *turn, body []byte) (any, error) {
			in, err := wire.DecodeIn[In](bytes.NewReader(body))
			if err != nil {
				return nil, err
			}
			t.enters(v.Spec, in)
			return attempt(ctx, t, in, serve)
		},
	}
}

// patienceTime is how long a verb waits for the lane that need not have it.
const patienceTime = time.Second

// glanced serves a verb that waits for the commands before it like any other, but
// not for long: where the page is, is known also while it is busy. The turn has no
// slot then.
func glanced[In, Out any](s *Session, v wire.Verb[In, Out], serve func(*turn, context.Context, In) (Out, error)) served {
	h := paged(s, v, serve)
	wait := h.Serve
	h.Handler = wire.Bind(v, func(ctx context.Context, call *wire.Call, in In) (Out, error) {
		var none Out
		short, cancel := context.WithTimeout(ctx, patienceTime)
		defer cancel()
		_, slot, err := s.lane.enter(short, v.Name)
		if err == nil {
			defer slot.leave()
			slot.heals = s.healing
			t := &turn{Session: s, call: call, slot: slot}
			t.enters(v.Spec, in)
			defer t.leave()
			return attempt(ctx, t, in, serve)
		}
		if short.Err() == nil || ctx.Err() != nil {
			return none, err
		}
		tab, _ := s.known()
		ahead := s.lane.state().verb
		if tabbed, ok := any(in).(verbs.TabNamer); tab.TargetID == "" || ahead == "" || ahead == connecting || ok && tabbed.TabName() != "" { // nothing is known, or it is about to change
			body, err := json.Marshal(in)
			if err != nil {
				return none, err
			}
			out, err := wait(ctx, call, body)
			if err != nil {
				return none, err
			}
			return out.(Out), nil
		}
		call.Warn("%q is still running", ahead)
		return serve(&turn{Session: s, call: call, verb: v.Name, looks: true}, ctx, in)
	})
	return h
}

// control serves a verb that never waits for a page.
func control[In, Out any](v wire.Verb[In, Out], serve func(context.Context, *wire.Call, In) (Out, error)) served {
	h := wire.Bind(v, serve)
	return served{Handler: h, inTurn: func(ctx context.Context, t *turn, body []byte) (any, error) { return h.Serve(ctx, t.call, body) }}
}

// handlers is every verb that a daemon answers.
func (s *Session) handlers() []served {
	all := []served{
		paged(s, verbs.Open, (*turn).open),
		paged(s, verbs.Back, (*turn).back),
		paged(s, verbs.Forward, (*turn).forward),
		paged(s, verbs.Reload, (*turn).reload),
		paged(s, verbs.Snapshot, (*turn).snapshot),
		paged(s, verbs.GetText, (*turn).getText),
		paged(s, verbs.GetHTML, (*turn).getHTML),
		paged(s, verbs.GetValue, (*turn).getValue),
		paged(s, verbs.GetAttr, (*turn).getAttr),
		glanced(s, verbs.GetTitle, (*turn).getTitle),
		glanced(s, verbs.GetURL, (*turn).getURL),
		paged(s, verbs.GetCount, (*turn).getCount),
		paged(s, verbs.GetBox, (*turn).getBox),
		paged(s, verbs.GetStyles, (*turn).getStyles),
		control(verbs.GetCDPURL, s.getCDPURL),
		paged(s, verbs.IsVisible, (*turn).isVisible),
		paged(s, verbs.IsEnabled, (*turn).isEnabled),
		paged(s, verbs.IsChecked, (*turn).isChecked),
		paged(s, verbs.PageState, (*turn).pageState),
		paged(s, verbs.Eval, (*turn).eval),
		paged(s, verbs.Screenshot, (*turn).screenshot),
		paged(s, verbs.Click, (*turn).click),
		paged(s, verbs.Dblclick, (*turn).dblclick),
		paged(s, verbs.Fill, (*turn).fill),
		paged(s, verbs.Type, (*turn).typeText),
		paged(s, verbs.Press, (*turn).press),
		paged(s, verbs.Hover, (*turn).hover),
		paged(s, verbs.Focus, (*turn).focus),
		paged(s, verbs.Select, (*turn).selectOptions),
		paged(s, verbs.Check, (*turn).check),
		paged(s, verbs.Uncheck, (*turn).uncheck),
		paged(s, verbs.Scroll, (*turn).scroll),
		paged(s, verbs.SaveDownload, (*turn).download),
		paged(s, verbs.Wait, (*turn).wait),
		control(verbs.TabList, s.tabList),
		paged(s, verbs.TabNew, (*turn).tabNew),
		paged(s, verbs.TabSwitch, (*turn).tabSwitch),
		paged(s, verbs.TabClose, (*turn).tabClose),
		control(verbs.DialogStatus, s.dialogStatus),
		control(verbs.DialogAccept, s.dialogAccept),
		control(verbs.DialogDismiss, s.dialogDismiss),
		control(verbs.PolicyStatus, s.policyStatus),
		control(verbs.PolicyDialog, s.policyDialog),
		control(verbs.PolicyPermission, s.policyPermission),
		control(verbs.PolicyNotification, s.policyNotification),
		control(verbs.PolicyFilePicker, s.policyFilePicker),
		control(verbs.PolicyRespond, s.policyRespond),
		control(verbs.PolicyAnswer, s.policyAnswer),
		paged(s, verbs.SetViewport, (*turn).setViewport),
		paged(s, verbs.SetDevice, (*turn).setDevice),
		paged(s, verbs.SetGeo, (*turn).setGeo),
		paged(s, verbs.SetOffline, (*turn).setOffline),
		paged(s, verbs.SetHeaders, (*turn).setHeaders),
		paged(s, verbs.SetMedia, (*turn).setMedia),
		paged(s, verbs.SetReset, (*turn).setReset),
		paged(s, verbs.HARStart, (*turn).harStart),
		paged(s, verbs.HARStop, (*turn).harStop),
		paged(s, verbs.Batch, (*turn).batch),
		control(verbs.Close, s.close),
		control(verbs.Status, s.status),
	}
	for i := range all {
		switch all[i].Verb.Describe().Name {
		case verbs.Batch.Name:
			all[i].inTurn = nil
		case verbs.Close.Name:
			all[i].inTurn = closeInTurn
		}
		all[i] = s.counted(s.owned(all[i]))
	}
	return all
}

func closeInTurn(ctx context.Context, t *turn, body []byte) (any, error) {
	in, err := wire.DecodeIn[verbs.CloseIn](bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if err := t.mayClose(ctx, t.call); err != nil {
		return nil, err
	}
	return t.closeBut(ctx, t.slot, t.call, in)
}

func itoa(n int) string { return strconv.Itoa(n) }
