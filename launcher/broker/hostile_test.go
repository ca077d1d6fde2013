package broker

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/wire"
)

// Calls that affect the whole browser are refused on every CDP session of a client, and do not
// affect another session's page.
func TestBrowserWideCallsAreRefused(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{})
	victim, hostile := r.connect("victim"), r.connect("hostile")
	page, own := victim.open(), hostile.open()
	page.show(r.site.URL, "<title>mine</title>")
	own.show(r.site.URL, "<title>theirs</title>")
	root, stream := hostile.root(), page.stream()
	type params = map[string]any
	for _, tt := range []struct {
		method string
		params params
		page   bool // the call is refused on the client's own page too
	}{
		{"Fetch.enable", params{}, false},
		{"Security.setIgnoreCertificateErrors", params{"ignore": true}, false},
		{"Memory.simulatePressureNotification", params{"level": "critical"}, false},
		{"SystemInfo.getProcessInfo", params{}, false},
		{"Tracing.start", params{}, true},
		{"ServiceWorker.stopAllWorkers", params{}, true},
		{"Browser.grantPermissions", params{"permissions": []string{"geolocation"}}, true},
		{"Browser.executeBrowserCommand", params{"commandId": "openTabSearch"}, true},
		{"IO.read", params{"handle": stream}, true},
		{"Target.exposeDevToolsProtocol", params{"targetId": page.target}, true},
		{"Target.exposeDevToolsProtocol", params{"targetId": own.target}, true},
		{"ServiceWorker.setForceUpdateOnPageLoad", params{"forceUpdateOnPageLoad": true}, true},
		{"Memory.setPressureNotificationsSuppressed", params{"suppressed": true}, true},
		{"Emulation.addScreen", params{"left": 2000, "top": 0, "width": 800, "height": 600}, true},
		{"Autofill.setAddresses", params{"addresses": []string{}}, true},
		{"BackgroundService.startObserving", params{"service": "backgroundFetch"}, true},
		{"Emulation.setDisplayFeaturesOverride", params{"features": []string{}}, true}, // crashes Chromium 156
		{"Page.navigate", params{"url": "chrome://inducebrowsercrashforrealz", "transitionType": "address_bar"}, true},
		{"Page.navigate", params{"url": "chrome://tab-search.top-chrome/"}, true}, // it can list and close all tabs
		{"Target.createTarget", params{"url": "about:quit"}, true},
		{"Target.sendMessageToTarget", params{"targetId": page.target, "message": `{"id":1,"method":"Page.close"}`}, true},
		{"Target.sendMessageToTarget", params{"sessionId": page.session, "message": `{"id":1,"method":"Page.close"}`}, true},
		{"Target.attachToTarget", params{"targetId": page.target, "flatten": true}, true},
		{"Target.attachToTarget", params{"targetId": page.target}, true},
		{"Target.autoAttachRelated", params{"targetId": page.target, "waitForDebuggerOnStart": true}, true},
		{"Target.detachFromTarget", params{"sessionId": page.session}, true},
		{"Target.closeTarget", params{"targetId": page.target}, true},
	} {
		sessions := []string{"", root}
		if tt.page {
			sessions = append(sessions, own.session)
		}
		for _, session := range sessions {
			if raw, err := hostile.call(session, tt.method, tt.params); err == nil {
				t.Errorf("%s on %q succeeded: %.200s", tt.method, session, raw)
			}
		}
	}
	if _, err := victim.call(page.session, "IO.read", params{"handle": stream}); err != nil {
		t.Errorf("the stream's own client cannot read it: %v", err)
	}
	page.show(r.site.URL, "<title>still mine</title>")
	got := page.eval("navigator.permissions.query({name: 'geolocation'}).then(p => document.title + p.state)")
	if !strings.HasPrefix(got, `"still mine`) || strings.Contains(got, "granted") {
		t.Errorf("the other session's page is %s", got)
	}
}

// A message of more than 100 MiB is refused. It would make Chromium stop reading its pipe for
// every client.
func TestTooLargeMessageIsRefused(t *testing.T) {
	uncollected(t)
	r := start(t, wire.Settings{})
	page := r.connect("victim").open()
	hostile := r.connect("hostile")
	own := hostile.open()
	_, err := hostile.call(own.session, "Runtime.evaluate", json.RawMessage(`{"expression":"'`+strings.Repeat("x", 101<<20)+`'.length"}`))
	if err == nil || !strings.Contains(err.Error(), "larger") {
		t.Errorf("a call of 101 MiB returned %v, want a refusal", err)
	}
	if got := page.eval("6*7") + own.eval("6*7"); got != "4242" {
		t.Errorf("afterwards 6*7 is %s in the two pages", got)
	}
}

// A client makes all targets that are related to its page start paused (waitForDebuggerOnStart),
// and never resumes them. This does not block the site's service worker, which a page of another
// session uses too.
func TestFrozenClientBlocksNoServiceWorker(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{})
	frozen, other := r.connect("frozen"), r.connect("other")
	page, own := frozen.open(), other.open()
	page.show(r.site.URL, "<title>mine</title>")
	own.show(r.site.URL, "<title>theirs</title>")
	everything := map[string]any{"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true}
	if _, err := frozen.call(page.session, "Target.setAutoAttach", everything); err != nil {
		t.Fatal(err)
	}
	everything["targetId"] = page.target
	if _, err := frozen.call(frozen.root(), "Target.autoAttachRelated", everything); err != nil {
		t.Fatal(err)
	}
	worker := "/worker?script=" + url.QueryEscape("addEventListener('fetch', () => {})")
	got, err := own.try("navigator.serviceWorker.register('" + worker + "').then(() => navigator.serviceWorker.ready).then(r => r.active.scriptURL)")
	if err != nil || !strings.Contains(got, "/worker") {
		t.Errorf("while another session at the site is frozen, the service worker is %s, %v", got, err)
	}
	own.show(r.site.URL, "<title>on</title>")
}
