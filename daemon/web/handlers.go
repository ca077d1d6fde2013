package web

import (
	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// Handlers returns the handlers of the verbs that use a page.
func (b backend) Handlers() []daemon.Handler {
	p := b.pages
	return []daemon.Handler{
		queued(p, verbs.Open, (*call).open),
		queued(p, verbs.Back, (*call).back),
		queued(p, verbs.Forward, (*call).forward),
		queued(p, verbs.Reload, (*call).reload),
		queued(p, verbs.Snapshot, (*call).snapshot),
		queued(p, verbs.GetText, (*call).getText),
		queued(p, verbs.GetHTML, (*call).getHTML),
		queued(p, verbs.GetValue, (*call).getValue),
		queued(p, verbs.GetAttr, (*call).getAttr),
		queuedBriefly(p, verbs.GetTitle, (*call).getTitle),
		queuedBriefly(p, verbs.GetURL, (*call).getURL),
		queued(p, verbs.GetCount, (*call).getCount),
		queued(p, verbs.GetBox, (*call).getBox),
		queued(p, verbs.GetStyles, (*call).getStyles),
		daemon.Unqueued(verbs.GetCDPURL, p.getCDPURL),
		queued(p, verbs.IsVisible, (*call).isVisible),
		queued(p, verbs.IsEnabled, (*call).isEnabled),
		queued(p, verbs.IsChecked, (*call).isChecked),
		queued(p, verbs.PageState, (*call).pageState),
		queued(p, verbs.Eval, (*call).eval),
		queued(p, verbs.Screenshot, (*call).screenshot),
		queued(p, verbs.Click, (*call).click),
		queued(p, verbs.Dblclick, (*call).dblclick),
		queued(p, verbs.Fill, (*call).fill),
		queued(p, verbs.Type, (*call).typeText),
		queued(p, verbs.Press, (*call).press),
		queued(p, verbs.Hover, (*call).hover),
		queued(p, verbs.Focus, (*call).focus),
		queued(p, verbs.Select, (*call).selectOptions),
		queued(p, verbs.Check, (*call).check),
		queued(p, verbs.Uncheck, (*call).uncheck),
		queued(p, verbs.Scroll, (*call).scroll),
		queued(p, verbs.SaveDownload, (*call).download),
		queued(p, verbs.Wait, (*call).wait),
		queued(p, verbs.TabNew, (*call).tabNew),
		queued(p, verbs.TabSwitch, (*call).tabSwitch),
		queued(p, verbs.TabClose, (*call).tabClose),
		daemon.Unqueued(verbs.DialogStatus, p.dialogStatus),
		daemon.Unqueued(verbs.DialogAccept, p.dialogAccept),
		daemon.Unqueued(verbs.DialogDismiss, p.dialogDismiss),
		daemon.Unqueued(verbs.PolicyStatus, p.policyStatus),
		daemon.Unqueued(verbs.PolicyDialog, p.policyDialog),
		daemon.Unqueued(verbs.PolicyPermission, p.policyPermission),
		daemon.Unqueued(verbs.PolicyNotification, p.policyNotification),
		daemon.Unqueued(verbs.PolicyFilePicker, p.policyFilePicker),
		daemon.Unqueued(verbs.PolicyRespond, p.policyRespond),
		daemon.Unqueued(verbs.PolicyAnswer, p.policyAnswer),
		queued(p, verbs.SetViewport, (*call).setViewport),
		queued(p, verbs.SetDevice, (*call).setDevice),
		queued(p, verbs.SetGeo, (*call).setGeo),
		queued(p, verbs.SetOffline, (*call).setOffline),
		queued(p, verbs.SetHeaders, (*call).setHeaders),
		queued(p, verbs.SetMedia, (*call).setMedia),
		queued(p, verbs.SetReset, (*call).setReset),
		queued(p, verbs.HARStart, (*call).harStart),
		queued(p, verbs.HARStop, (*call).harStop),
	}
}
