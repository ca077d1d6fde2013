package web

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/wire"
)

// emulation is what the session's pages emulate, such as a device, a position or a missing
// network. All of it is set through Playwright's connection to the pages, and ends with the
// connection.
type emulation daemon.Emulation

// pageCalls returns the CDP commands that change a page's emulation from old to e. It leaves out
// the settings that apply to all pages at once.
func (e emulation) pageCalls(old emulation) []cdpCall {
	var calls []cdpCall
	type metrics struct {
		width, height int
		scale         float64
		mobile        bool
	}
	if now := (metrics{e.Width, e.Height, e.Scale, e.Mobile}); now != (metrics{old.Width, old.Height, old.Scale, old.Mobile}) {
		call := cdpCall{"Emulation.setDeviceMetricsOverride", map[string]any{
			"width": now.width, "height": now.height, "deviceScaleFactor": now.scale, "mobile": now.mobile,
			"screenWidth": now.width, "screenHeight": now.height,
		}}
		if now.width == 0 {
			call = cdpCall{"Emulation.clearDeviceMetricsOverride", nil}
		}
		calls = append(calls, call)
	}
	if e.Touch != old.Touch {
		params := map[string]any{"enabled": e.Touch}
		if e.Touch {
			params["maxTouchPoints"] = 5
		}
		calls = append(calls, cdpCall{"Emulation.setTouchEmulationEnabled", params})
	}
	if e.UserAgent != old.UserAgent {
		calls = append(calls, cdpCall{"Emulation.setUserAgentOverride", map[string]any{"userAgent": e.UserAgent}})
	}
	if e.Colours != old.Colours || e.Still != old.Still {
		motion := ""
		if e.Still {
			motion = "reduce"
		}
		calls = append(calls, cdpCall{"Emulation.setEmulatedMedia", map[string]any{"features": []any{
			map[string]any{"name": "prefers-color-scheme", "value": e.Colours}, map[string]any{"name": "prefers-reduced-motion", "value": motion},
		}}})
	}
	return calls
}

type cdpCall struct {
	method string
	params map[string]any
}

// emulate changes the page's emulation from previous to e.
func (p *page) emulate(previous, e emulation) error {
	for _, call := range e.pageCalls(previous) {
		if _, err := p.cdp.Send(call.method, call.params); err != nil {
			return err
		}
	}
	return nil
}

// isShared reports whether e has a setting that applies to all pages at once.
func (e emulation) isShared() bool { return len(e.headers()) > 0 || e.Offline || e.Geo != nil }

// headers returns the headers that are set in every request of the session. They include the user
// agent of the device, because a popup sends its first request before the device can be set on the
// popup's page.
func (e emulation) headers() map[string]string {
	if e.UserAgent == "" {
		return e.Headers
	}
	all := map[string]string{"User-Agent": e.UserAgent}
	for name, value := range e.Headers {
		if strings.EqualFold(name, "User-Agent") {
			delete(all, "User-Agent")
		}
		all[name] = value
	}
	return all
}

// emulate changes the settings that apply to all pages at once, from previous to e.
func (conn *connection) emulate(previous, e emulation) error {
	var err error
	if headers := e.headers(); !sameHeaders(previous.headers(), headers) {
		if headers == nil {
			headers = map[string]string{}
		}
		err = conn.context.SetExtraHTTPHeaders(headers)
	}
	if previous.Offline != e.Offline {
		err = errors.Join(err, conn.context.SetOffline(e.Offline))
	}
	if e.Geo != nil || previous.Geo != nil {
		var place *playwright.Geolocation
		if e.Geo != nil {
			place = &playwright.Geolocation{Latitude: e.Geo.Latitude, Longitude: e.Geo.Longitude, Accuracy: &e.Geo.Accuracy}
		}
		err = errors.Join(err, conn.context.SetGeolocation(place))
	}
	return err
}

func sameHeaders(a, b map[string]string) bool {
	for name, value := range a {
		if other, ok := b[name]; !ok || other != value {
			return false
		}
	}
	return len(a) == len(b)
}

// changeEmulation changes the emulation of the session's pages, including those that are opened
// later.
func (c *call) changeEmulation(ctx context.Context, change func(*emulation) error) (emulation, error) {
	if _, err := c.activePage(ctx); err != nil {
		return emulation{}, err
	}
	conn := c.current()
	before := conn.emulation()
	after := before
	if err := change(&after); err != nil {
		return before, err
	}
	if err := c.State.Change(func(s *daemon.State) { s.Emulation = daemon.Emulation(after) }); err != nil {
		return before, err
	}
	c.Begun = true
	err := c.watch(readTime, func() error {
		err := conn.emulate(before, after)
		for _, p := range conn.usablePages() {
			err = errors.Join(err, p.emulate(before, after))
		}
		return err
	})
	return after, codeError(err)
}

// usablePages returns the pages that are neither closed nor crashed.
func (conn *connection) usablePages() []*page {
	conn.mu.Lock()
	defer conn.mu.Unlock()
	var all []*page
	for _, p := range conn.pages {
		if !p.isClosed() && !p.isCrashed() {
			all = append(all, p)
		}
	}
	return all
}

// device returns the device with the given name, and the name as Playwright spells it. Upper and
// lower case are the same. The error for an unknown name lists similar names.
func (conn *connection) device(name string) (string, *playwright.DeviceDescriptor, error) {
	var names []string
	for known, d := range conn.devices {
		if strings.EqualFold(known, name) {
			return known, d, nil
		}
		names = append(names, known)
	}
	slices.Sort(names)
	near := wire.MostSimilar(name, names, 5)
	return "", nil, wire.Errorf(wire.CodeBadInput, "unknown device %q; near are %s", name, strings.Join(near, ", ")).
		With("nearest", near).WithHint("abrowser set device %s", wire.ShellWord(near[0]))
}

// useDevice copies the settings of a device into e.
func (e *emulation) useDevice(name string, d *playwright.DeviceDescriptor) {
	e.Device, e.Scale, e.Mobile, e.Touch, e.UserAgent = name, d.DeviceScaleFactor, d.IsMobile, d.HasTouch, d.UserAgent
	if d.Viewport != nil {
		e.Width, e.Height = d.Viewport.Width, d.Viewport.Height
	}
}
