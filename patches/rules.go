package patches

import (
	"encoding/json"
	"strings"

	"github.com/abrowser/abrowser/patches/cdp"
)

// rule answers a client's request, passes it on, or returns why it is refused.
type rule func(m *Mux, s *session, r cdp.Request) *cdp.Error

// rules are the methods that are not simply passed on. A rule holds on every CDP
// session of a client: a page's session reaches the whole Target and Browser
// domain as well as the root does.
func ruleFor(method string) rule {
	switch method {
	case "Target.setAutoAttach":
		return setAutoAttach
	case "Target.setDiscoverTargets":
		return setDiscoverTargets
	case "Target.getTargets":
		return getTargets
	case "Target.getTargetInfo", "Browser.getWindowForTarget":
		return forwardOwnTargetOrNone
	case "Target.closeTarget":
		return forwardOwnTarget
	case "Target.autoAttachRelated":
		return autoAttachRelated
	case "Target.attachToTarget":
		return attachToTarget
	case "Target.activateTarget":
		return activateTarget
	case "Target.detachFromTarget":
		return detachFromTarget
	case "Target.createTarget":
		return createTarget
	case "Target.createBrowserContext":
		return createBrowserContext
	case "Target.disposeBrowserContext":
		return disposeBrowserContext
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
		return forwardOwnContext
	case "Browser.setDownloadBehavior", "Page.setDownloadBehavior":
		return setDownloadBehavior
	case "Browser.cancelDownload":
		return cancelDownload
	case "Browser.grantPermissions", "Browser.setPermission":
		return forwardPrivateContext
	case "Browser.resetPermissions":
		return forwardPrivateContextOrIgnore
	case "Page.navigate":
		return navigate
	case "Runtime.runIfWaitingForDebugger":
		return runIfWaitingForDebugger
	case "Input.dispatchMouseEvent", "Input.dispatchKeyEvent":
		return inputEvent
	case "DOM.setFileInputFiles":
		return setFiles
	case "Emulation.setDisplayFeaturesOverride":
		return setDisplayFeatures
	case "Target.exposeDevToolsProtocol", "Target.sendMessageToTarget", "Tracing.start",
		"ServiceWorker.stopAllWorkers", "ServiceWorker.setForceUpdateOnPageLoad", "Autofill.setAddresses",
		"Memory.setPressureNotificationsSuppressed", "Memory.simulatePressureNotification", "Memory.getBrowserSamplingProfile",
		"Emulation.addScreen", "Emulation.updateScreen", "Emulation.removeScreen", "Emulation.setPrimaryScreen":
		return refuse
	case "Security.setIgnoreCertificateErrors", "Security.setOverrideCertificateErrors", "Storage.overrideQuotaForOrigin":
		return forwardPrivatePage
	case "Target.attachToBrowserTarget", "Browser.getVersion", "Browser.getBrowserCommandLine", "Browser.getHistograms",
		"Browser.getHistogram", "Browser.getWindowBounds":
		return nil
	}
	domain, _, _ := strings.Cut(method, ".")
	switch domain {
	case "Target", "Browser", "Extensions", "PWA", "Tethering", "BackgroundService", "BluetoothEmulation", "Cast":
		return unknown // whatever it may come to mean, it is about more than the owner's pages
	}
	return nil
}

// harmless reports whether a method without a rule may be called at the browser.
// Fetch, Security, Memory and Tracing reach every page from there.
func allowedOnBrowser(method string) bool {
	domain, _, _ := strings.Cut(method, ".")
	switch domain {
	case "Target", "Browser": // those that rules lets pass
		return true
	case "IO", "Schema", "Storage":
		return true
	}
	return method == "SystemInfo.getInfo" || method == "SystemInfo.getFeatureState"
}

// apply puts a request through the rules.
func (m *Mux) applyRules(s *session, r cdp.Request) *cdp.Error {
	if changesCookies(r.Method) {
		s.client.tenant.activity = true
	}
	if rule := ruleFor(r.Method); rule != nil {
		return rule(m, s, r)
	}
	if s.browser && !allowedOnBrowser(r.Method) {
		return notAllowed(r.Method + " is about the whole browser")
	}
	m.forward(s, r, r.Params)
	return nil
}

// fields are a request's params with exact names. What is sent on is written
// anew from them: members given twice, or spelled with escapes, are gone by then.
type fields map[string]json.RawMessage

func fieldsOf(r cdp.Request) (fields, *cdp.Error) {
	f := fields{}
	if r.Params != nil {
		if err := json.Unmarshal(r.Params, &f); err != nil {
			return nil, badParams(err.Error())
		}
	}
	return f, nil
}

// read decodes a field into v; absent and null leave v alone.
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

func (f fields) text(name string) (string, *cdp.Error) {
	var v string
	err := f.read(name, &v)
	return v, err
}

func (f fields) flag(name string) (bool, *cdp.Error) {
	var v bool
	err := f.read(name, &v)
	return v, err
}

func refuse(_ *Mux, _ *session, r cdp.Request) *cdp.Error { return notAllowed(r.Method) }

func unknown(_ *Mux, _ *session, r cdp.Request) *cdp.Error { return notFound(r.Method) }

func ignore(m *Mux, s *session, r cdp.Request) *cdp.Error {
	m.respond(s, r, none{})
	return nil
}

// closeConnection ends the client's own connection; the browser is not its to
// close.
func closeConnection(m *Mux, s *session, r cdp.Request) *cdp.Error {
	m.respond(s, r, none{})
	id := s.client.id
	m.Leave(id)
	m.Transport.Cut(id, "the client closed its browser")
	return nil
}

// input passes input events on, and remembers those that may open a tab.
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

// runIfWaiting also lets the target run that we hold, when its last waiting
// session says so.
func runIfWaitingForDebugger(m *Mux, s *session, r cdp.Request) *cdp.Error {
	t := m.targets[s.target]
	switch {
	case t == nil || !t.paused:
		m.forward(s, r, r.Params)
	case t.handedOff != s:
		// Chromium would let it run, whomever else it waits for.
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
