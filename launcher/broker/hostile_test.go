package broker

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/wire"
)

// A client that asks for what is the whole browser's gets nothing of it, on no
// session, and another session's page notices nothing.
func TestHostileClientReachesItselfOnly(t *testing.T) {
	r := start(t, wire.Settings{})
	victim, hostile := r.connect("victim"), r.connect("hostile")
	page, own := victim.open(), hostile.open()
	page.show(r.site.URL, "<title>mine</title>")
	own.show(r.site.URL, "<title>theirs</title>")
	root := func() string {
		raw, err := hostile.call("", "Target.attachToBrowserTarget", nil)
		var out sessionID
		if err != nil || json.Unmarshal(raw, &out) != nil {
			t.Fatalf("Target.attachToBrowserTarget: %s %v", raw, err)
		}
		return out.SessionID
	}()
	stream := func() string {
		raw, err := victim.call(page.session, "Page.printToPDF", map[string]any{"transferMode": "ReturnAsStream"})
		var out struct{ Stream string }
		if err != nil || json.Unmarshal(raw, &out) != nil || out.Stream == "" {
			t.Fatalf("Page.printToPDF: %v", err)
		}
		return out.Stream
	}()
	type params = map[string]any
	for _, tt := range []struct {
		method string
		params params
		page   bool // it is refused on the client's own page, too
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
		{"Target.sendMessageToTarget", params{"targetId": page.target, "message": `{"id":1,"method":"Page.close"}`}, true},
		{"Target.sendMessageToTarget", params{"sessionId": page.session, "message": `{"id":1,"method":"Page.close"}`}, true},
		{"Target.attachToTarget", params{"targetId": page.target, "flatten": true}, true},
		{"Target.attachToTarget", params{"targetId": own.target, "flatten": false}, true},
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
				t.Errorf("%s on %q was answered: %.200s", tt.method, session, raw)
			}
		}
	}
	if _, err := victim.call(page.session, "IO.read", params{"handle": stream}); err != nil {
		t.Errorf("the stream's own client cannot read it: %v", err)
	}
	page.show(r.site.URL, "<title>still mine</title>")
	got := page.eval("navigator.permissions.query({name: 'geolocation'}).then(p => document.title + p.state)")
	if !strings.HasPrefix(got, `"still mine`) || strings.Contains(got, "granted") {
		t.Errorf("the other session's page says %s", got)
	}
}

// Chromium stops to read its pipe, for good, at a message of 100 MiB.
func TestMessageThatChromiumDoesNotRead(t *testing.T) {
	r := start(t, wire.Settings{})
	page := r.connect("victim").open()
	hostile := r.connect("hostile")
	own := hostile.open()
	for _, size := range []int{91 << 20, 101 << 20} {
		_, err := hostile.call(own.session, "Runtime.evaluate", map[string]any{"expression": "'" + strings.Repeat("x", size) + "'.length"})
		if err == nil || !strings.Contains(err.Error(), "larger") {
			t.Errorf("%d MiB were answered with %v, want a refusal", size>>20, err)
		}
	}
	if got := page.eval("6*7") + own.eval("6*7"); got != "4242" {
		t.Errorf("after it the pages say %s", got)
	}
}
