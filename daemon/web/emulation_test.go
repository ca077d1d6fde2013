package web_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const shape = "[innerWidth, devicePixelRatio, navigator.maxTouchPoints > 0, navigator.userAgent.includes('iPhone')].join()"

// A device applies to all pages of the session. If a viewport is set later, it changes only the
// size.
func TestDevice(t *testing.T) {
	t.Parallel()
	s, other, web := home.Start(t), home.Start(t), site.Start(t)
	do(t, s, verbs.Open, verbs.OpenIn{URL: web.URL("/asks"), Device: "iphone 15", Viewport: "400x600"})
	if got := eval(t, s, shape+" + innerHeight"); got != `"400,3,true,true600"` {
		t.Errorf("the page is %s", got)
	}
	out := do(t, s, verbs.SetViewport, verbs.ViewportIn{Width: 500, Height: 700})
	if got := eval(t, s, shape); got != `"500,3,true,true"` || out.Device != "iPhone 15" || !out.Mobile || out.Scale != 3 {
		t.Errorf("at another size the page is %s; the answer %+v", got, out)
	}
	do(t, s, verbs.TabNew, verbs.TabNewIn{URL: web.URL("/asks")})
	if got := eval(t, s, shape); got != `"500,3,true,true"` {
		t.Errorf("another tab is %s", got)
	}
	open(t, other, web.URL("/asks"))
	if got := eval(t, other, shape); got != `"1280,1,false,false"` {
		t.Errorf("another session's page is %s", got)
	}
	if err := fails(t, s, verbs.SetDevice, verbs.DeviceIn{Device: "iPhone_15"}, wire.CodeBadInput); !strings.Contains(err.Message, "iPhone 15") {
		t.Errorf("the error is %v", err)
	}
	fails(t, s, verbs.SetViewport, verbs.ViewportIn{Width: 1, Height: 20_000}, wire.CodeBadInput)
	fails(t, s, verbs.Open, verbs.OpenIn{Viewport: "400"}, wire.CodeBadInput)
	do(t, s, verbs.SetReset, verbs.Empty{})
	if got := eval(t, s, shape); got != `"1280,1,false,false"` {
		t.Errorf("after set reset the page is %s", got)
	}
}

// Settings also apply under the session's next daemon. They end when the session is closed. Another
// client of the page then finds none of them.
func TestEmulationLastsAsLongAsTheSession(t *testing.T) {
	t.Parallel()
	s, other, web := home.Start(t), home.Start(t), site.Start(t)
	open(t, s, web.URL("/asks"))
	open(t, other, web.URL("/asks"))
	do(t, s, verbs.SetDevice, verbs.DeviceIn{Device: "iPhone 15"})
	do(t, s, verbs.SetHeaders, verbs.HeadersIn{Headers: `{"X-Test":"yes"}`})
	do(t, s, verbs.SetMedia, verbs.MediaIn{Features: []string{"dark", "reduced-motion"}})
	do(t, s, verbs.SetOffline, verbs.OfflineIn{Offline: "on"})
	const preferred = "[matchMedia('(prefers-color-scheme: dark)').matches, matchMedia('(prefers-reduced-motion: reduce)').matches].join()"
	reach := "fetch('" + web.URL("/isolation/headers") + "').then(r => r.json()).then(h => String(h['X-Test'] === 'yes'), () => 'offline')"
	all := "(async () => [" + shape + ", " + preferred + ", await " + reach + "].join(' '))()"
	const on, onLine, off = `"393,3,true,true true,true offline"`, `"393,3,true,true true,true true"`, `"1280,1,false,false false,false false"`
	check := func(who, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: the page is %s, want %s", who, got, want)
		}
	}
	check("set", eval(t, s, all), on)
	check("another session", eval(t, other, all), off)
	s.End(t)
	s = home.Resume(t, s.Name)
	check("the next daemon", eval(t, s, all), on)
	do(t, s, verbs.SetOffline, verbs.OfflineIn{Offline: "off"})
	check("online again", eval(t, s, all), onLine)
	look := onlooker(t, s)
	do(t, s, verbs.SetOffline, verbs.OfflineIn{Offline: "on"})
	do(t, s, verbs.Close, verbs.CloseIn{})
	s.End(t)
	check("an onlooker after release", look(all), off)
	check("the session again", eval(t, home.Resume(t, s.Name), all), off)
}

// The device also applies to the first request of a popup.
func TestDeviceOfPopups(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	do(t, s, verbs.Open, verbs.OpenIn{URL: web.URL("/page/one"), Device: "iPhone 15"})
	popup := "(async () => { const w = window.open('" + web.URL("/isolation/headers") + "'); while (!w.document.body?.innerText) " +
		"await new Promise(r => setTimeout(r, 20)); return JSON.parse(w.document.body.innerText)['User-Agent'].includes('iPhone') })()"
	if got := eval(t, s, popup); got != "true" {
		t.Errorf("a popup's first request is the device's: %s", got)
	}
	do(t, s, verbs.SetHeaders, verbs.HeadersIn{Headers: `{"user-agent":"mine iPhone","X-Test":"yes"}`})
	const sent = "fetch('/isolation/headers').then(r => r.json()).then(h => h['User-Agent'] + ' ' + h['X-Test'])"
	if got := eval(t, s, sent); got != `"mine iPhone yes"` {
		t.Errorf("with headers of its own it sends %s", got)
	}
	do(t, s, verbs.SetReset, verbs.Empty{})
	if got := eval(t, s, popup); got != "false" {
		t.Errorf("after set reset a popup's first request is the device's: %s", got)
	}
}

func TestGeolocation(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/asks"))
	lat, long := 52.5, -13.25
	if _, warnings, _ := ask(t, s, verbs.SetGeo, verbs.GeoIn{Latitude: &lat, Longitude: &long}); !slices.ContainsFunc(warnings, func(w string) bool {
		return strings.Contains(w, "abrowser policy permission allow geolocation")
	}) {
		t.Errorf("it warns %q", warnings)
	}
	do(t, s, verbs.PolicyPermission, verbs.PermissionPolicyIn{Mode: "allow", Permissions: []string{"geolocation"}})
	if got, _ := said(t, s, "place"); got != "52.5 -13.25" {
		t.Errorf("the page is at %q", got)
	}
	lat = 91
	fails(t, s, verbs.SetGeo, verbs.GeoIn{Latitude: &lat, Longitude: &long}, wire.CodeBadInput)
}

func TestLooseInput(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]verbs.StringOrObject{`"800x600"`: "800x600", `{"width":8,"height":6}`: `{"width":8,"height":6}`} {
		var got verbs.StringOrObject
		if err := json.Unmarshal([]byte(given), &got); err != nil || got != want {
			t.Errorf("%s is %q, %v", given, got, err)
		}
	}
	if w, h, err := verbs.ParseSize(`{"width":8,"height":6}`); w != 8 || h != 6 || err != nil {
		t.Errorf("an object is %dx%d, %v", w, h, err)
	}
	for _, bad := range []verbs.StringOrObject{"800", "800x", "0x5", "8x6x4", "-8x6", `{"width":8}`, `{"w`} {
		if _, _, err := verbs.ParseSize(bad); err == nil {
			t.Errorf("%q passes for a size", bad)
		}
	}
	for _, bad := range []verbs.StringOrObject{"", "x", "null", `{"a b":"c"}`, `{"a":"b\r\nc"}`, `{"a":1}`} {
		if _, err := verbs.ParseHeaders(bad); err == nil {
			t.Errorf("%q passes for headers", bad)
		}
	}
}
