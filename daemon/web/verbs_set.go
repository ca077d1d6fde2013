package web

import (
	"cmp"
	"context"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/verbs"
)

func (c *call) setViewport(ctx context.Context, in verbs.ViewportIn) (verbs.ViewportOut, error) {
	e, err := c.changeEmulation(ctx, func(e *emulation) error {
		e.Width, e.Height, e.Scale = in.Width, in.Height, cmp.Or(in.Scale, e.Scale)
		return nil
	})
	return viewportOf(e), err
}

func (c *call) setDevice(ctx context.Context, in verbs.DeviceIn) (verbs.ViewportOut, error) {
	e, err := c.changeEmulation(ctx, func(e *emulation) error { return c.useDevice(e, in.Device) })
	return viewportOf(e), err
}

func (c *call) useDevice(e *emulation, name string) error {
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

func (c *call) setGeo(ctx context.Context, in verbs.GeoIn) (verbs.GeoOut, error) {
	_, err := c.changeEmulation(ctx, func(e *emulation) error {
		e.Geo = &daemon.Position{Latitude: *in.Latitude, Longitude: *in.Longitude, Accuracy: in.Accuracy}
		return nil
	})
	if err == nil && c.prompts.Mode("geolocation", false) != verbs.PolicyAllow {
		c.Warn("pages get the position only if they are allowed to: abrowser policy permission allow geolocation")
	}
	return verbs.GeoOut{Latitude: *in.Latitude, Longitude: *in.Longitude}, err
}

func (c *call) setOffline(ctx context.Context, in verbs.OfflineIn) (verbs.OfflineOut, error) {
	off := in.Offline == "on" || in.Offline == "true"
	_, err := c.changeEmulation(ctx, func(e *emulation) error { e.Offline = off; return nil })
	return verbs.OfflineOut{Offline: off}, err
}

func (c *call) setHeaders(ctx context.Context, in verbs.HeadersIn) (verbs.SetOut, error) {
	_, err := c.changeEmulation(ctx, func(e *emulation) error {
		headers, err := verbs.ParseHeaders(in.Headers)
		e.Headers = headers
		return err
	})
	return verbs.SetOut{Set: true}, err
}

func (c *call) setMedia(ctx context.Context, in verbs.MediaIn) (verbs.SetOut, error) {
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

func (c *call) setReset(ctx context.Context, _ verbs.Empty) (verbs.SetOut, error) {
	_, err := c.changeEmulation(ctx, func(e *emulation) error { *e = emulation{}; return nil })
	return verbs.SetOut{Set: true}, err
}

// openEmulated sets the emulation that an open command asks for. It is called before the
// navigation.
func (c *call) openEmulated(ctx context.Context, in verbs.OpenIn) error {
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
