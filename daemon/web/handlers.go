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
		onPage(p, verbs.Snapshot, actionTime, func(in verbs.SnapshotIn) error { return checkOptional(in.Selector) }, (*pageCall).snapshot),
		onPage(p, verbs.GetText, readTime, nil, (*pageCall).getText),
		onPage(p, verbs.GetHTML, readTime, nil, (*pageCall).getHTML),
		onPage(p, verbs.GetValue, readTime, nil, (*pageCall).getValue),
		onPage(p, verbs.GetAttr, readTime, nil, (*pageCall).getAttr),
		queuedBriefly(p, verbs.GetTitle, (*call).getTitle),
		queuedBriefly(p, verbs.GetURL, (*call).getURL),
		onPage(p, verbs.GetCount, readTime, nil, (*pageCall).getCount),
		onPage(p, verbs.GetBox, readTime, nil, (*pageCall).getBox),
		onPage(p, verbs.GetStyles, readTime, nil, (*pageCall).getStyles),
		daemon.Unqueued(verbs.GetCDPURL, p.getCDPURL),
		onPage(p, verbs.IsVisible, readTime, nil, (*pageCall).isVisible),
		onPage(p, verbs.IsEnabled, readTime, nil, (*pageCall).isEnabled),
		onPage(p, verbs.IsChecked, readTime, nil, (*pageCall).isChecked),
		onPage(p, verbs.PageState, readTime, nil, (*pageCall).pageState),
		onPage(p, verbs.Eval, waitTime, checkScript, (*pageCall).eval),
		onPage(p, verbs.Screenshot, actionTime, checkScreenshot, (*pageCall).screenshot),
		onPage(p, verbs.Click, actionTime, nil, (*pageCall).click),
		onPage(p, verbs.Dblclick, actionTime, nil, (*pageCall).dblclick),
		onPage(p, verbs.Fill, actionTime, nil, (*pageCall).fill),
		queued(p, verbs.Type, (*call).typeText),
		onPage(p, verbs.Press, actionTime, nil, (*pageCall).press),
		onPage(p, verbs.Hover, actionTime, nil, (*pageCall).hover),
		onPage(p, verbs.Focus, actionTime, nil, (*pageCall).focus),
		onPage(p, verbs.Select, actionTime, nil, (*pageCall).selectOptions),
		onPage(p, verbs.Check, actionTime, nil, (*pageCall).check),
		onPage(p, verbs.Uncheck, actionTime, nil, (*pageCall).uncheck),
		onPage(p, verbs.Scroll, actionTime, func(in verbs.ScrollIn) error { return checkOptional(in.Selector) }, (*pageCall).scroll),
		onPage(p, verbs.SaveDownload, downloadTime, nil, (*pageCall).download),
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
