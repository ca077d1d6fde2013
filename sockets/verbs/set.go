package verbs

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// StringOrObject is a string field that also accepts a JSON object. The field then contains the
// JSON text of the object.
type StringOrObject string

// UnmarshalJSON decodes a string or an object.
func (l *StringOrObject) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '{' {
		*l = StringOrObject(raw)
		return nil
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return err
	}
	*l = StringOrObject(text)
	return nil
}

// MaxSide is the largest width and height of a viewport, in CSS pixels.
const MaxSide = 10_000

// ParseSize parses the size of a viewport: 800x600, or an object with width and height.
func ParseSize(text StringOrObject) (width, height int, err error) {
	var size struct{ Width, Height int }
	if strings.HasPrefix(string(text), "{") {
		err = json.Unmarshal([]byte(text), &size)
	} else if n, scanned := fmt.Sscanf(string(text), "%dx%d", &size.Width, &size.Height); n != 2 || string(text) != fmt.Sprintf("%dx%d", size.Width, size.Height) {
		err = fmt.Errorf("not a size: %w", scanned)
	}
	if err != nil || size.Width < 1 || size.Height < 1 || size.Width > MaxSide || size.Height > MaxSide {
		return 0, 0, wire.Errorf(wire.CodeBadInput, "viewport is %q; it takes a width and a height from 1 to %d, as 800x600", string(text), MaxSide).
			WithHint("abrowser open --viewport 800x600 https://example.com")
	}
	return size.Width, size.Height, nil
}

// ViewportIn is the input of [SetViewport].
type ViewportIn struct {
	Width  int     `json:"width" arg:"0" required:"true" min:"1" help:"width in CSS pixels"`
	Height int     `json:"height" arg:"1" required:"true" min:"1" help:"height in CSS pixels"`
	Scale  float64 `json:"scale,omitzero" arg:"2" help:"device pixels per CSS pixel"`
}

// Check returns an error for a size or scale that browsers do not support.
func (in ViewportIn) Check() error {
	if in.Width < 1 || in.Height < 1 || in.Width > MaxSide || in.Height > MaxSide || in.Scale < 0 || in.Scale > 10 {
		return wire.Errorf(wire.CodeBadInput, "viewport is %dx%d at scale %v; it takes sides from 1 to %d and a scale up to 10", in.Width, in.Height, in.Scale, MaxSide).
			WithHint("abrowser set viewport 800 600")
	}
	return nil
}

// ViewportOut is the output of [SetViewport] and [SetDevice].
type ViewportOut struct {
	Device string  `json:"device,omitzero"`
	Width  int     `json:"width"`
	Height int     `json:"height"`
	Scale  float64 `json:"deviceScaleFactor"`
	Mobile bool    `json:"mobile"`
}

// SetViewport changes the size of the session's pages.
var SetViewport = wire.Verb[ViewportIn, ViewportOut]{Spec: wire.Spec{
	Name: "set viewport", Group: groupPolicy, Short: "Set the size of the session's pages", Example: "abrowser set viewport 800 600",
	Long: "Other properties of an emulated device do not change. Like other settings, the size applies to the session's pages until the session is closed.",
}}

// DeviceIn is the input of [SetDevice].
type DeviceIn struct {
	Device string `json:"device" arg:"0..." required:"true" help:"the name of a device in Playwright's list: iPhone 15, Pixel 7, Desktop Chrome"`
}

// SetDevice emulates a device in the session's pages.
var SetDevice = wire.Verb[DeviceIn, ViewportOut]{Spec: wire.Spec{
	Name: "set device", Group: groupPolicy, Short: "Emulate the viewport, scale, touch and user agent of a device", Example: `abrowser set device "iPhone 15"`,
}}

// GeoIn is the input of [SetGeo].
type GeoIn struct {
	Latitude  *float64 `json:"latitude" arg:"0" required:"true" help:"degrees from -90 to 90"`
	Longitude *float64 `json:"longitude" arg:"1" required:"true" help:"degrees from -180 to 180"`
	Accuracy  float64  `json:"accuracy,omitzero" help:"metres"`
}

// Check returns an error for coordinates outside of their range.
func (in GeoIn) Check() error {
	if in.Latitude == nil || in.Longitude == nil || *in.Latitude < -90 || *in.Latitude > 90 || *in.Longitude < -180 || *in.Longitude > 180 || in.Accuracy < 0 {
		return wire.Errorf(wire.CodeBadInput, "the latitude must be from -90 to 90, the longitude from -180 to 180").WithHint("abrowser set geo 52.52 13.405")
	}
	return nil
}

// GeoOut is the output of [SetGeo].
type GeoOut struct {
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
}

// SetGeo sets the location of the session's pages.
var SetGeo = wire.Verb[GeoIn, GeoOut]{Spec: wire.Spec{
	Name: "set geo", Aliases: []string{"set geolocation"}, Group: groupPolicy, Short: "Set the location that the session's pages get",
	Long: "Pages get the location if policy permission allows geolocation.", Example: "abrowser set geo 52.52 13.405",
}}

// OfflineIn is the input of [SetOffline].
type OfflineIn struct {
	Offline string `json:"offline,omitzero" arg:"0" default:"on" enum:"on|off|true|false" help:"on or off"`
}

// OfflineOut is the output of [SetOffline].
type OfflineOut struct {
	Offline bool `json:"offline"`
}

// SetOffline disconnects the session's pages from the network, or reconnects them.
var SetOffline = wire.Verb[OfflineIn, OfflineOut]{Spec: wire.Spec{
	Name: "set offline", Group: groupPolicy, Short: "Disconnect the session's pages from the network, or reconnect them", Example: "abrowser set offline on",
}}

// HeadersIn is the input of [SetHeaders].
type HeadersIn struct {
	Headers StringOrObject `json:"headers" arg:"0" required:"true" help:"a JSON object of names and values; {} removes all headers"`
}

// ParseHeaders parses the JSON object of [HeadersIn].
func ParseHeaders(text StringOrObject) (map[string]string, error) {
	var headers map[string]string
	err := json.Unmarshal([]byte(text), &headers)
	bad := err != nil || headers == nil
	for name, value := range headers {
		bad = bad || name == "" || strings.ContainsAny(name, " \t\r\n:()<>@,;\\\"/[]?={}") || strings.ContainsAny(value, "\r\n\x00")
	}
	if bad { // the error does not contain the values, which may be secret
		return nil, wire.Errorf(wire.CodeBadInput, "headers takes a JSON object whose values are strings").WithHint(`abrowser set headers '{"X-Test":"yes"}'`)
	}
	return headers, nil
}

// Check returns an error for invalid headers.
func (in HeadersIn) Check() error {
	_, err := ParseHeaders(in.Headers)
	return err
}

// SetOut is the output of [SetHeaders], [SetMedia] and [SetReset].
type SetOut struct {
	Set bool `json:"set"`
}

// SetHeaders sends headers with every request of the session's pages.
var SetHeaders = wire.Verb[HeadersIn, SetOut]{Spec: wire.Spec{
	Name: "set headers", Group: groupPolicy, Short: "Send headers with every request of the session's pages", Example: `abrowser set headers '{"X-Test":"yes"}'`,
}}

// MediaIn is the input of [SetMedia].
type MediaIn struct {
	Features []string `json:"features,omitzero" arg:"0..." enum:"dark|light|reduced-motion" help:"the user's preferences; without arguments they are reset"`
}

// SetMedia sets the preferences for colours and motion that pages get.
var SetMedia = wire.Verb[MediaIn, SetOut]{Spec: wire.Spec{
	Name: "set media", Group: groupPolicy, Short: "Set the preferred colours and motion that pages get", Example: "abrowser set media dark reduced-motion",
}}

// SetReset resets everything that the other set verbs have set.
var SetReset = wire.Verb[Empty, SetOut]{Spec: wire.Spec{
	Name: "set reset", Group: groupPolicy, Short: "Reset device, viewport, location, offline, headers, credentials and media", Example: "abrowser set reset",
}}

// CredentialsIn is the input of [SetCredentials].
type CredentialsIn struct {
	Username string `json:"username" arg:"0" required:"true" help:"the user name"`
	Password string `json:"password,omitzero" arg:"1" help:"the password, which other users may see in the list of processes"`
	// PasswordFile is read by the session's daemon.
	PasswordFile string `json:"passwordFile,omitzero" file:"in" help:"read the password from a file"`
	Origin       string `json:"origin,omitzero" help:"the only origin that gets the password; without it that of the page or, if there is none, of the next page"`
}

// Check returns an error for credentials that HTTP cannot transfer, and for an invalid origin. The
// error does not contain the credentials.
func (in CredentialsIn) Check() error {
	const hint = "abrowser set credentials USER --password-file FILE --origin https://example.com"
	switch u, err := url.Parse(in.Origin); {
	case (in.Password == "") == (in.PasswordFile == ""):
		return wire.Errorf(wire.CodeBadInput, "set credentials needs a password or --password-file FILE").WithHint(hint)
	case strings.ContainsAny(in.Username, ":\r\n\x00") || strings.ContainsAny(in.Password, "\r\n\x00") || len(in.Username)+len(in.Password) > 4096:
		return wire.Errorf(wire.CodeBadInput, "the user name or the password contains a character that HTTP cannot transfer, or is too long").WithHint(hint)
	case in.Origin != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil):
		return wire.Errorf(wire.CodeBadInput, "the origin is not an http or https URL").WithHint(hint)
	}
	return nil
}

// CredentialsOut is the output of [SetCredentials].
type CredentialsOut struct {
	Set    bool   `json:"set"`
	Origin string `json:"origin,omitzero"` // the origin that gets the password; empty until a page is opened
}

// Text returns the origin that gets the password.
func (o CredentialsOut) Text() string {
	if o.Origin == "" {
		return "for the origin of the next page"
	}
	return "for " + o.Origin
}

// SetCredentials sends a user name and a password to one origin.
var SetCredentials = wire.Verb[CredentialsIn, CredentialsOut]{Spec: wire.Spec{
	Name: "set credentials", Aliases: []string{"set auth"}, Group: groupPolicy, Short: "Send a user name and a password to one origin by HTTP Basic",
	Long: "Every request of the session's pages to the origin has the password, and no other request does: not after a redirect, and not from other sessions. " +
		"It ends with the session or with set reset.",
	Example: "abrowser set credentials me --password-file password.txt --origin https://example.com",
}}
