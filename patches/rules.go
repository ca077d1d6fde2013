package patches

import (
	"encoding/json"
	"strings"

	"github.com/abrowser/abrowser/patches/cdp"
)

// rule is a function that answers a client's request, forwards it, or returns an error. The Mux
// answers the request with this error.
type rule func(m *Mux, s *session, r cdp.Request) *cdp.Error

// ruleFor returns the rule for a method, or nil if the method has no rule. The Mux forwards a
// request without a rule unchanged, except for some requests on browser-level sessions (see
// [allowedOnBrowser]). Rules apply to every CDP session of a client, because requests of the Target
// and Browser domains have the same effect on a page's session as on the root session.
func ruleFor(method string) rule {
	switch method {
	case "Target.setAutoAttach":
		return withFields(setAutoAttach)
	case "Target.setDiscoverTargets":
		return withFields(setDiscoverTargets)
	case "Target.getTargets":
		return withFields(getTargets)
	case "Target.getTargetInfo":
		return withFields(getTargetInfo)
	case "Browser.getWindowForTarget":
		return withFields(forwardOwnTargetOrNone)
	case "Target.closeTarget":
		return withFields(forwardOwnTarget)
	case "Target.autoAttachRelated":
		return withFields(autoAttachRelated)
	case "Target.attachToTarget":
		return withFields(attachToTarget)
	case "Target.activateTarget":
		return withFields(activateTarget)
	case "Target.detachFromTarget":
		return withFields(detachFromTarget)
	case "Target.sendMessageToTarget":
		return withFields(sendMessageToTarget)
	case "Target.exposeDevToolsProtocol":
		return exposeDevToolsProtocol
	case "Target.createTarget":
		return withFields(createTarget)
	case "Target.createBrowserContext":
		return withFields(createBrowserContext)
	case "Target.disposeBrowserContext":
		return withFields(disposeBrowserContext)
	case "Target.getBrowserContexts":
		return getBrowserContexts
	case "Abrowser.tellQuiet":
		return enableQuietReplies
	case "Abrowser.mayLogIn":
		return expectActivity
	case "Browser.close":
		return closeConnection
	case "Page.bringToFront", "Browser.crash", "Browser.crashGpuProcess", "Browser.setWindowBounds", "Browser.setContentsSize":
		return ignore
	case "Storage.getCookies", "Storage.setCookies", "Storage.clearCookies":
		return withFields(forwardOwnContext)
	case "Browser.setDownloadBehavior", "Page.setDownloadBehavior":
		return withFields(setDownloadBehavior)
	case "Browser.cancelDownload":
		return withFields(cancelDownload)
	case "Browser.grantPermissions", "Browser.setPermission":
		return withFields(forwardPrivateContext)
	case "Browser.resetPermissions":
		return withFields(forwardPrivateContextOrIgnore)
	case "Page.enable", "Page.disable":
		return enablePage
	case "Page.getFrameTree":
		return getFrameTree
	case "Page.captureScreenshot":
		return captureScreenshot
	case "Page.crash":
		return crashPage
	case "Page.navigate":
		return withFields(navigate)
	case "Runtime.runIfWaitingForDebugger":
		return runIfWaitingForDebugger
	case "Input.dispatchMouseEvent", "Input.dispatchKeyEvent":
		return inputEvent
	case "DOM.setFileInputFiles":
		return withFields(setFiles)
	case "Emulation.setDeviceMetricsOverride", "Emulation.clearDeviceMetricsOverride",
		"Page.setDeviceMetricsOverride", "Page.clearDeviceMetricsOverride":
		return setSize
	case "Emulation.setDisplayFeaturesOverride":
		return withFields(setDisplayFeatures)
	case "Tracing.start",
		"ServiceWorker.stopAllWorkers", "ServiceWorker.setForceUpdateOnPageLoad", "Autofill.setAddresses",
		"Memory.setPressureNotificationsSuppressed", "Memory.simulatePressureNotification", "Memory.getBrowserSamplingProfile",
		"Emulation.addScreen", "Emulation.updateScreen", "Emulation.removeScreen", "Emulation.setPrimaryScreen":
		return refuse
	case "Security.setIgnoreCertificateErrors", "Security.setOverrideCertificateErrors", "Storage.overrideQuotaForOrigin",
		"Storage.runBounceTrackingMitigations":
		return forwardPrivatePage
	case "SystemInfo.getInfo", "SystemInfo.getFeatureState", "Target.attachToBrowserTarget", "Browser.getVersion", "Browser.getBrowserCommandLine", "Browser.getHistograms",
		"Browser.getHistogram", "Browser.getWindowBounds":
		return nil
	}
	domain, _, _ := strings.Cut(method, ".")
	switch domain {
	case "Target", "Browser", "Extensions", "PWA", "Tethering", "BackgroundService", "BluetoothEmulation", "Cast":
		return unknown // the other methods of these domains affect more than the tenant's pages
	}
	return nil
}

// allowedOnBrowser reports whether the Mux forwards a method without a rule on a browser-level
// session. On such a session, methods of Fetch, Security, Memory and Tracing would affect every
// page. Methods of Storage without a rule fail there in any case, and Storage.deleteStorageBucket
// crashes Chromium 156.
func allowedOnBrowser(method string) bool {
	domain, _, _ := strings.Cut(method, ".")
	switch domain {
	case "Target", "Browser": // only methods that ruleFor forwards unchanged get here
		return true
	case "IO", "Schema":
		return true
	}
	return method == "SystemInfo.getInfo" || method == "SystemInfo.getFeatureState"
}

// withFields returns a rule that decodes the params of a request and passes them to apply.
func withFields(apply func(*Mux, *session, cdp.Request, fields) *cdp.Error) rule {
	return func(m *Mux, s *session, r cdp.Request) *cdp.Error {
		f, err := fieldsOf(r)
		if err != nil {
			return err
		}
		return apply(m, s, r, f)
	}
}

// applyRules answers or forwards a request, or returns the error with which the Mux answers it.
func (m *Mux) applyRules(s *session, r cdp.Request) *cdp.Error {
	if changesCookies(r.Method) {
		s.client.tenant.activity = true
	}
	if rule := ruleFor(r.Method); rule != nil {
		return rule(m, s, r)
	}
	if s.browser && !allowedOnBrowser(r.Method) {
		return notAllowed(r.Method + " applies to the whole browser")
	}
	m.forward(s, r, r.Params)
	return nil
}

// fields holds the params of a request by name. A rule that has checked fields forwards a new
// encoding of them instead of the client's text. Otherwise Chromium could read repeated members or
// escaped names in the client's text differently from the rule.
type fields map[string]json.RawMessage

// fieldsOf decodes the params of a request.
func fieldsOf(r cdp.Request) (fields, *cdp.Error) {
	f := fields{}
	if r.Params != nil {
		if err := json.Unmarshal(r.Params, &f); err != nil {
			return nil, badParams(err.Error())
		}
	}
	return f, nil
}

// read decodes a field into v as [json.Unmarshal] does. An absent field leaves v unchanged.
func (f fields) read(name string, v any) *cdp.Error {
	raw, ok := f[name]
	if !ok {
		return nil
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return badParams(name)
	}
	return nil
}

// text returns the value of a string field, or an empty string if the field is absent.
func (f fields) text(name string) (string, *cdp.Error) {
	var v string
	err := f.read(name, &v)
	return v, err
}

// flag returns the value of a boolean field, or false if the field is absent.
func (f fields) flag(name string) (bool, *cdp.Error) {
	var v bool
	err := f.read(name, &v)
	return v, err
}

// refuse is the rule that answers a request with the error "Not allowed".
func refuse(_ *Mux, _ *session, r cdp.Request) *cdp.Error { return notAllowed(r.Method) }

// unknown is the rule that answers a request with Chromium's error for a method that does not
// exist.
func unknown(_ *Mux, _ *session, r cdp.Request) *cdp.Error { return notFound(r.Method) }

// ignore is the rule that answers a request with success, and does nothing else.
func ignore(m *Mux, s *session, r cdp.Request) *cdp.Error {
	m.respond(s, r, none{})
	return nil
}

// closeConnection serves Browser.close. It closes the client's connection. The browser is shared,
// so it stays open.
func closeConnection(m *Mux, s *session, r cdp.Request) *cdp.Error {
	m.respond(s, r, none{})
	id := s.client.id
	m.Leave(id)
	m.Transport.Cut(id, "the client closed its browser")
	return nil
}

// inputEvent forwards an input event. If it is a click or key press that may open a tab, inputEvent
// records this.
func inputEvent(m *Mux, s *session, r cdp.Request) *cdp.Error {
	var p struct {
		Type, Button, Key string
		Modifiers         int
	}
	if json.Unmarshal(r.Params, &p) == nil {
		m.noteClick(s.client.tenant, p.Type, p.Button, p.Key, p.Modifiers)
	}
	m.forward(s, r, r.Params)
	return nil
}

// runIfWaitingForDebugger handles a client's Runtime.runIfWaitingForDebugger on its session s. If
// the target of s is not paused, the request is forwarded. If the target is paused, the request
// means that the client has finished setting up the target on s. The Mux then removes s from
// target.waiting and calls [Mux.resumeIfReady]. If s is the session that this client got for the
// paused target (see [Mux.handOff]), its first such request on s is answered when the target is
// resumed. Any other request is answered at once.
func runIfWaitingForDebugger(m *Mux, s *session, r cdp.Request) *cdp.Error {
	t := m.targets[s.target]
	switch {
	case t == nil || !t.paused:
		m.forward(s, r, r.Params)
	case t.handedOff != s:
		// If the request were forwarded, Chromium would resume the target before other sessions are
		// ready.
		m.respond(s, r, none{})
	case t.resumeCall != nil:
		m.respond(s, r, none{})
	default:
		t.resumeCall = &pendingCall{client: s.client, session: s, clientID: r.ID}
	}
	if t != nil && t.waiting[s.id] {
		delete(t.waiting, s.id)
		m.resumeIfReady(t)
	}
	return nil
}
