package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"
	"time"

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
			if call.IsLeft() { // while it waited
				return none, ended(ctx)
			}
			slot.heals = s.healing
			t := &turn{Session: s, call: call, slot: slot}
			t.enters(v.Doc, in)
			defer t.leave()
			out, err := attempt(entered, t, in, serve)
			return out, s.check(ctx, err)
		}),
		inTurn: func(ctx context.Context, t *turn, body []byte) (any, error) {
			in, err := wire.DecodeIn[In](bytes.NewReader(body))
			if err != nil {
				return nil, err
			}
			t.enters(v.Doc, in)
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
			t.enters(v.Doc, in)
			defer t.leave()
			return attempt(ctx, t, in, serve)
		}
		if short.Err() == nil || ctx.Err() != nil {
			return none, err
		}
		tab, _ := s.known()
		ahead := s.lane.state().verb
		if tabbed, ok := any(in).(wire.Tabbed); tab.TargetID == "" || ahead == "" || ahead == connecting || ok && tabbed.TabName() != "" { // nothing is known, or it is about to change
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
		paged(s, wire.Open, (*turn).open),
		paged(s, wire.Back, (*turn).back),
		paged(s, wire.Forward, (*turn).forward),
		paged(s, wire.Reload, (*turn).reload),
		paged(s, wire.Snapshot, (*turn).snapshot),
		paged(s, wire.GetText, (*turn).getText),
		paged(s, wire.GetHTML, (*turn).getHTML),
		paged(s, wire.GetValue, (*turn).getValue),
		paged(s, wire.GetAttr, (*turn).getAttr),
		glanced(s, wire.GetTitle, (*turn).getTitle),
		glanced(s, wire.GetURL, (*turn).getURL),
		paged(s, wire.GetCount, (*turn).getCount),
		paged(s, wire.GetBox, (*turn).getBox),
		paged(s, wire.GetStyles, (*turn).getStyles),
		control(wire.GetCDPURL, s.getCDPURL),
		paged(s, wire.IsVisible, (*turn).isVisible),
		paged(s, wire.IsEnabled, (*turn).isEnabled),
		paged(s, wire.IsChecked, (*turn).isChecked),
		paged(s, wire.PageState, (*turn).pageState),
		paged(s, wire.Eval, (*turn).eval),
		paged(s, wire.Screenshot, (*turn).screenshot),
		paged(s, wire.Click, (*turn).click),
		paged(s, wire.Dblclick, (*turn).dblclick),
		paged(s, wire.Fill, (*turn).fill),
		paged(s, wire.Type, (*turn).typeText),
		paged(s, wire.Press, (*turn).press),
		paged(s, wire.Hover, (*turn).hover),
		paged(s, wire.Focus, (*turn).focus),
		paged(s, wire.Select, (*turn).selectOptions),
		paged(s, wire.Check, (*turn).check),
		paged(s, wire.Uncheck, (*turn).uncheck),
		paged(s, wire.Scroll, (*turn).scroll),
		paged(s, wire.SaveDownload, (*turn).download),
		paged(s, wire.Wait, (*turn).wait),
		control(wire.TabList, s.tabList),
		paged(s, wire.TabNew, (*turn).tabNew),
		paged(s, wire.TabSwitch, (*turn).tabSwitch),
		paged(s, wire.TabClose, (*turn).tabClose),
		control(wire.DialogStatus, s.dialogStatus),
		control(wire.DialogAccept, s.dialogAccept),
		control(wire.DialogDismiss, s.dialogDismiss),
		control(wire.PolicyStatus, s.policyStatus),
		control(wire.PolicyDialog, s.policyDialog),
		control(wire.PolicyPermission, s.policyPermission),
		control(wire.PolicyNotification, s.policyNotification),
		control(wire.PolicyFilePicker, s.policyFilePicker),
		control(wire.PolicyRespond, s.policyRespond),
		control(wire.PolicyAnswer, s.policyAnswer),
		paged(s, wire.SetViewport, (*turn).setViewport),
		paged(s, wire.SetDevice, (*turn).setDevice),
		paged(s, wire.SetGeo, (*turn).setGeo),
		paged(s, wire.SetOffline, (*turn).setOffline),
		paged(s, wire.SetHeaders, (*turn).setHeaders),
		paged(s, wire.SetMedia, (*turn).setMedia),
		paged(s, wire.SetReset, (*turn).setReset),
		paged(s, wire.HARStart, (*turn).harStart),
		paged(s, wire.HARStop, (*turn).harStop),
		paged(s, wire.Batch, (*turn).batch),
		control(wire.Close, s.close),
		control(wire.Status, s.status),
	}
	for i := range all {
		switch all[i].Verb.Describe().Name {
		case wire.Batch.Name:
			all[i].inTurn = nil
		case wire.Close.Name:
			all[i].inTurn = closeInTurn
		}
		all[i] = s.counted(s.owned(all[i]))
	}
	return all
}

func closeInTurn(ctx context.Context, t *turn, body []byte) (any, error) {
	in, err := wire.DecodeIn[wire.CloseIn](bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if err := t.mayClose(ctx, t.call); err != nil {
		return nil, err
	}
	return t.closeBut(ctx, t.slot, t.call, in)
}

func itoa(n int) string { return strconv.Itoa(n) }
