package wire

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Settings choose and configure a session's browser. Flags, environment variables and keys of
// configuration files are derived from the tags; see [Field]. If a field is zero, nothing is
// requested and the default applies.
type Settings struct {
	Headed         bool     `json:"headed,omitzero" env:"HEADED" help:"show the browser's window"`
	ExecutablePath string   `json:"executablePath,omitzero" env:"EXECUTABLE_PATH" file:"name" help:"the browser to run"`
	Args           []string `json:"args,omitzero" env:"ARGS" help:"more arguments for the browser, separated by commas"`
	Mode           string   `json:"mode,omitzero" env:"MODE" enum:"shared|incognito|persistent|attached" help:"shared, incognito, persistent or attached: which browser and logins are used, and what is kept"`
	Profile        string   `json:"profile,omitzero" env:"PROFILE" file:"name" help:"use a separate browser with this profile, which keeps logins: a name or (with a slash) a directory"`
	CDP            string   `json:"cdp,omitzero" env:"CDP" help:"attach to a running browser that abrowser did not start, by its port or URL"`
	IdleTimeout    string   `json:"idleTimeout,omitzero" env:"IDLE_TIMEOUT,IDLE_TIMEOUT_MS" is:"duration" live:"true" help:"end the session after this time without a command; its tabs stay open: 90s, 30m (the default), 12h; 0 is never"`
	BrowserIdle    string   `json:"browserIdleTimeout,omitzero" env:"BROWSER_IDLE_TIMEOUT" is:"duration" live:"true" help:"stop a browser after this time without tabs: 90s, 10m (the default), 12h; 0 is never"`
	ActionPolicy   string   `json:"actionPolicy,omitzero" env:"ACTION_POLICY,POLICY" file:"in" help:"a file that says which commands may be run; see help confirm"`
	AllowedDomains []string `json:"allowedDomains,omitzero" env:"ALLOWED_DOMAINS" help:"the only domains that pages can reach, separated by commas: example.com,*.example.org; implies incognito"`
	ConfirmActions []string `json:"confirmActions,omitzero" env:"CONFIRM_ACTIONS" help:"commands that have to be confirmed, separated by commas"`

	// Defaults are the names of the settings that come from a configuration file. They apply
	// only when a session or browser is started. A session or browser that already runs with
	// other values is used as it is.
	Defaults []string `json:"-"`
}

// Requested returns s without the settings in s.Defaults. It keeps those of them that can change
// while a session runs.
func (s Settings) Requested() Settings {
	v := reflect.ValueOf(&s).Elem()
	for _, f := range SettingFields() {
		if !f.Live && slices.Contains(s.Defaults, f.Name) {
			f.valueIn(v).SetZero()
		}
	}
	return s
}

// The modes of a session.
const (
	ModeShared     = "shared"     // the shared browser with its logins
	ModeIncognito  = "incognito"  // the shared browser without its logins; nothing is kept
	ModePersistent = "persistent" // a separate browser with its own profile
	ModeAttached   = "attached"   // an external browser
)

// External reports whether abrowser did not start the browser.
func (s Settings) External() bool { return s.CDP != "" }

// SessionMode returns the mode of a session with these settings: the requested mode, or else
// the mode that follows from the profile or CDP endpoint.
func (s Settings) SessionMode() string {
	switch {
	case s.Mode != "":
		return s.Mode
	case s.CDP != "":
		return ModeAttached
	case s.Profile != "":
		return ModePersistent
	}
	return ModeShared
}

// Location returns the settings that determine which browser contains a session's pages, whether
// they are in an incognito context of that browser, and what the session may do there. These
// settings cannot change while the session exists.
func (s Settings) Location() Settings {
	return Settings{
		Mode: s.Mode, Profile: s.Profile, CDP: s.CDP,
		AllowedDomains: s.AllowedDomains, ActionPolicy: s.ActionPolicy, ConfirmActions: s.ConfirmActions, Defaults: s.Defaults,
	}
}

// At returns s with the parameter location in place of its own location.
func (s Settings) At(location Settings) Settings {
	s.Mode, s.Profile, s.CDP = location.Mode, location.Profile, location.CDP
	s.AllowedDomains, s.ActionPolicy, s.ConfirmActions = location.AllowedDomains, location.ActionPolicy, location.ConfirmActions
	return s
}

// ForBrowser returns s without the settings that concern only the session. The mode is one of these
// settings, since sessions of different modes can share a browser.
func (s Settings) ForBrowser() Settings {
	s.Mode, s.IdleTimeout, s.AllowedDomains, s.ActionPolicy, s.ConfirmActions = "", "", nil, "", nil
	return s
}

// WithLaunchOptions returns s, but with Headed, ExecutablePath and Args from the parameter
// browser. These are the options with which the browser was started.
func (s Settings) WithLaunchOptions(browser Settings) Settings {
	s.Headed, s.ExecutablePath, s.Args = browser.Headed, browser.ExecutablePath, browser.Args
	return s
}

// SettingFields returns the fields of [Settings].
func SettingFields() []Field { return fieldsOf(reflect.TypeFor[Settings]()) }

// Check returns [CodeBadInput] for values that the tags do not allow.
func (s Settings) Check() error {
	v := reflect.ValueOf(s)
	for _, f := range SettingFields() {
		if err := f.check(f.valueIn(v)); err != nil {
			return err
		}
	}
	return nil
}

// Diff returns the names of the settings that s requests and that have another value in the
// parameter running. The parameter running contains the settings of a running session or browser.
// Diff ignores settings that can change while a session runs. A zero field of s, or a field in
// s.Defaults, requests nothing.
func (s Settings) Diff(running Settings) []string {
	s = s.Requested()
	requested, current := reflect.ValueOf(s), reflect.ValueOf(running)
	if requested.IsZero() {
		return nil
	}
	var names []string
	for _, f := range SettingFields() {
		if f.Name == "mode" && s.Mode == running.SessionMode() {
			continue // running.Mode may be empty, since Profile or CDP implies the mode
		}
		if v := f.valueIn(requested); !f.Live && !v.IsZero() && !reflect.DeepEqual(v.Interface(), f.valueIn(current).Interface()) {
			names = append(names, f.Name)
		}
	}
	return names
}

// Environ returns the settings as ABROWSER_* variables for a process that is being started.
// Zero fields are omitted.
func (s Settings) Environ() []string {
	v := reflect.ValueOf(s)
	var env []string
	for _, f := range SettingFields() {
		field := f.valueIn(v)
		if field.IsZero() {
			continue
		}
		text := field.String()
		switch field.Kind() {
		case reflect.Bool:
			text = strconv.FormatBool(field.Bool())
		case reflect.Slice:
			text = joinList(stringsOf(field))
		}
		env = append(env, f.Variables()[0]+"="+text)
	}
	return env
}

// SettingsFrom reads the settings from environment variables, such as those of [Settings.Environ].
// It returns [CodeBadInput] for an invalid value. The parameter lookup is os.LookupEnv.
func SettingsFrom(lookup func(string) (string, bool)) (Settings, error) {
	var s Settings
	v := reflect.ValueOf(&s).Elem()
	for _, f := range SettingFields() {
		value, err := f.FromEnvironment(lookup)
		if err != nil {
			return Settings{}, err
		}
		if value != nil {
			f.valueIn(v).Set(reflect.ValueOf(value))
		}
	}
	return s, nil
}

// SplitList splits the value of a variable or flag that takes several values: at newlines if
// it contains any, else at commas. A single value that contains a comma, such as
// "--window-size=800,600", is given with a newline at its end.
func SplitList(text string) []string {
	separator := ","
	if strings.Contains(text, "\n") {
		separator = "\n"
	}
	var all []string
	for s := range strings.SplitSeq(text, separator) {
		if s = strings.TrimSpace(s); s != "" {
			all = append(all, s)
		}
	}
	return all
}

func joinList(all []string) string {
	if slices.ContainsFunc(all, func(s string) bool { return strings.Contains(s, ",") }) {
		return strings.Join(all, "\n") + "\n"
	}
	return strings.Join(all, ",")
}
