package daemon

import (
	"cmp"
	"context"

	"github.com/abrowser/abrowser/sockets/verbs"
)

func (t *turn) setViewport(ctx context.Context, in verbs.ViewportIn) (verbs.ViewportOut, error) {
	e, err := t.set(ctx, func(e *emulation) error {
		e.Width, e.Height, e.Scale = in.Width, in.Height, cmp.Or(in.Scale, e.Scale)
		return nil
	})
	return viewportOf(e), err
}

func (t *turn) setDevice(ctx context.Context, in verbs.DeviceIn) (verbs.ViewportOut, error) {
	e, err := t.set(ctx, func(e *emulation) error { return t.asDevice(e, in.Device) })
	return viewportOf(e), err
}

func (t *turn) asDevice(e *emulation, name string) error {
	_, l := t.known()
	if l == nil {
		return goneError()
	}
	known, d, err := l.device(name)
	if err == nil {
		e.as(known, d)
	}
	return err
}

func viewportOf(e emulation) verbs.ViewportOut {
	return verbs.ViewportOut{Device: e.Device, Width: e.Width, Height: e.Height, Scale: cmp.Or(e.Scale, 1), Mobile: e.Mobile}
}

func (t *turn) setGeo(ctx context.Context, in verbs.GeoIn) (verbs.GeoOut, error) {
	_, err := t.set(ctx, func(e *emulation) error {
		e.Geo = &position{Latitude: *in.Latitude, Longitude: *in.Longitude, Accuracy: in.Accuracy}
		return nil
	})
	if err == nil && t.asks.mode("geolocation", false) != verbs.PolicyAllow {
		t.call.Warn("a page is told when it is allowed to: abrowser policy permission allow geolocation")
	}
	return verbs.GeoOut{Latitude: *in.Latitude, Longitude: *in.Longitude}, err
}

func (t *turn) setOffline(ctx context.Context, in verbs.OfflineIn) (verbs.OfflineOut, error) {
	off := in.Offline == "on" || in.Offline == "true"
	_, err := t.set(ctx, func(e *emulation) error { e.Offline = off; return nil })
	return verbs.OfflineOut{Offline: off}, err
}

func (t *turn) setHeaders(ctx context.Context, in verbs.HeadersIn) (verbs.SetOut, error) {
	_, err := t.set(ctx, func(e *emulation) error {
		headers, err := verbs.ParseHeaders(in.Headers)
		e.Headers = headers
		return err
	})
	return verbs.SetOut{Set: true}, err
}

func (t *turn) setMedia(ctx context.Context, in verbs.MediaIn) (verbs.SetOut, error) {
	_, err := t.set(ctx, func(e *emulation) error {
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

func (t *turn) setReset(ctx context.Context, _ verbs.Nothing) (verbs.SetOut, error) {
	_, err := t.set(ctx, func(e *emulation) error { *e = emulation{}; return nil })
	return verbs.SetOut{Set: true}, err
}

// openAs sets what an open asks for beside the URL, before it goes there.
func (t *turn) openAs(ctx context.Context, in verbs.OpenIn) error {
	if in.Device == "" && in.Viewport == "" {
		return nil
	}
	_, err := t.set(ctx, func(e *emulation) error {
		if in.Device != "" {
			if err := t.asDevice(e, in.Device); err != nil {
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
