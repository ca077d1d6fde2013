package web

import (
	"cmp"
	"context"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/direct"
	"github.com/abrowser/abrowser/daemon/web/settings"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// settingsCall is a command that changes the settings of the session's pages.
type settingsCall struct{ *call }

func (c settingsCall) setViewport(ctx context.Context, in verbs.ViewportIn) (verbs.ViewportOut, error) {
	e, err := c.changeEmulation(ctx, func(e *emulation) error {
		e.Width, e.Height, e.Scale = in.Width, in.Height, cmp.Or(in.Scale, e.Scale)
		return nil
	})
	return viewportOf(e), err
}

func (c settingsCall) setDevice(ctx context.Context, in verbs.DeviceIn) (verbs.ViewportOut, error) {
	e, err := c.changeEmulation(ctx, func(e *emulation) error { return c.useDevice(e, in.Device) })
	return viewportOf(e), err
}

func (c settingsCall) useDevice(e *emulation, name string) error {
	conn := c.current()
	if conn == nil {
		return daemon.ConnectionLostError()
	}
	known, d, err := conn.device(name)
	if err == nil {
		e.useDevice(known, d)
	}
	return err
}

func viewportOf(e emulation) verbs.ViewportOut {
	return verbs.ViewportOut{Device: e.Device, Width: e.Width, Height: e.Height, Scale: cmp.Or(e.Scale, 1), Mobile: e.Mobile}
}

func (c settingsCall) setGeo(ctx context.Context, in verbs.GeoIn) (verbs.GeoOut, error) {
	_, err := c.changeEmulation(ctx, func(e *emulation) error {
		e.Geo = &daemon.Position{Latitude: *in.Latitude, Longitude: *in.Longitude, Accuracy: in.Accuracy}
		return nil
	})
	if err == nil && c.prompts.Mode("geolocation", false) != verbs.PolicyAllow {
		c.Warn("pages get the position only if they are allowed to: abrowser policy permission allow geolocation")
	}
	return verbs.GeoOut{Latitude: *in.Latitude, Longitude: *in.Longitude}, err
}

func (c settingsCall) setOffline(ctx context.Context, in verbs.OfflineIn) (verbs.OfflineOut, error) {
	off := in.Offline == "on" || in.Offline == "true"
	_, err := c.changeEmulation(ctx, func(e *emulation) error { e.Offline = off; return nil })
	return verbs.OfflineOut{Offline: off}, err
}

func (c settingsCall) setHeaders(ctx context.Context, in verbs.HeadersIn) (verbs.SetOut, error) {
	_, err := c.changeEmulation(ctx, func(e *emulation) error {
		headers, err := verbs.ParseHeaders(in.Headers)
		e.Headers = headers
		return err
	})
	return verbs.SetOut{Set: true}, err
}

func (c settingsCall) setMedia(ctx context.Context, in verbs.MediaIn) (verbs.SetOut, error) {
	_, err := c.changeEmulation(ctx, func(e *emulation) error {
		e.Colours, e.Still = "", false
		for _, feature := range in.Features {
			if feature == "reduced-motion" {
				e.Still = true
			} else {
				e.Colours = feature
			}
		}
		return nil
	})
	return verbs.SetOut{Set: true}, err
}

func (c settingsCall) setReset(ctx context.Context, _ verbs.Empty) (verbs.SetOut, error) {
	_, err := c.changeEmulation(ctx, func(e *emulation) error { *e = emulation{}; return nil })
	if err == nil && c.State.Get().Credentials != nil {
		err = c.changeSettings(ctx, func(s *daemon.State) error { s.Credentials = nil; return nil })
	}
	return verbs.SetOut{Set: true}, err
}

// withSettings returns the handler of a verb that changes what the driver does for all pages of the
// session. The driver is called through a page, so the handler opens one if the session has none
// yet.
func withSettings[In, Out any](p *pages, v wire.Verb[In, Out], serve func(context.Context, *direct.Settings, In) (Out, error)) daemon.Handler {
	return queued(p, v, func(c *call, ctx context.Context, in In) (Out, error) {
		var none Out
		ctx, cancel, err := c.limit(ctx, verbs.TimeoutIn{}, readTime)
		if err != nil {
			return none, err
		}
		defer cancel()
		at, err := c.activePage(ctx)
		if err != nil {
			return none, err
		}
		return serve(ctx, &direct.Settings{Call: c.Call, URL: at.URL(), Change: func(change func(*daemon.State) error) error {
			return settingsCall{c}.changeSettings(ctx, change)
		}}, in)
	})
}

// changeSettings changes the settings of the session, and makes the driver apply them to all pages.
func (c settingsCall) changeSettings(ctx context.Context, change func(*daemon.State) error) error {
	after := c.State.Get()
	if err := change(&after); err != nil {
		return err
	}
	at, err := c.activePage(ctx)
	if err != nil {
		return err
	}
	c.Begun = true
	if err := c.watch(readTime, func() error { return at.applySettings(after) }); err != nil {
		return codeError(err)
	}
	return c.State.Change(func(s *daemon.State) { _ = change(s) }) // change has succeeded above, so the error is nil
}

// applySettings makes the driver apply settings to all pages of the session. If the driver refuses
// the settings, it changes nothing, and applySettings returns an error.
func (p *page) applySettings(s daemon.State) error {
	params, _ := settings.Params(s)
	params["target"] = p.target
	given, err := p.cdp.Send("Abrowser.settings", params)
	if err != nil {
		return err
	}
	answer, _ := given.(map[string]any)
	if invalid, ok := answer["invalid"].(map[string]any); ok {
		return wire.Errorf(wire.CodeBadInput, "the %v is invalid: %.300v", invalid["kind"], invalid["text"]).WithHint("abrowser help %s", hintOf(invalid["kind"]))
	}
	if answer["applied"] != true {
		return wire.Errorf(wire.CodePageClosed, "the page was closed").WithHint(daemon.HintTabs)
	}
	return nil
}

// hintOf returns the command that changes a kind of settings.
func hintOf(kind any) string {
	if kind == "script" {
		return verbs.AddInitScript.Name
	}
	return verbs.Route.Name
}

// restoreSettings applies the settings of the session to the pages of a new connection. Only the
// first page of the connection has to do this. restoreSettings waits up to installTime for busy
// pages.
func (conn *connection) restoreSettings(p *page) error {
	conn.restoring.Lock()
	defer conn.restoring.Unlock()
	state := conn.state.Get()
	if _, some := settings.Params(state); !some || conn.restored {
		return nil
	}
	err := conn.waitBriefly(installTime, func() error { return p.applySettings(state) })
	conn.restored = err == nil
	return err
}

// openCredentials is called when an open command opens a URL. If the session has a password without
// an origin, openCredentials restricts the password to the origin of this URL.
func (c settingsCall) openCredentials(ctx context.Context, to string) error {
	origin := settings.OriginOf(to)
	if held := c.State.Get().Credentials; held == nil || held.Origin != "" || origin == "" {
		return nil
	}
	return c.changeSettings(ctx, func(s *daemon.State) error {
		bound := *s.Credentials
		bound.Origin = origin
		s.Credentials = &bound
		return nil
	})
}

// openEmulated sets the emulation that an open command requests. It is called before the
// navigation.
func (c settingsCall) openEmulated(ctx context.Context, in verbs.OpenIn) error {
	if in.Device == "" && in.Viewport == "" {
		return nil
	}
	_, err := c.changeEmulation(ctx, func(e *emulation) error {
		if in.Device != "" {
			if err := c.useDevice(e, in.Device); err != nil {
				return err
			}
		}
		if in.Viewport == "" {
			return nil
		}
		var err error
		e.Width, e.Height, err = verbs.ParseSize(in.Viewport)
		return err
	})
	return err
}
