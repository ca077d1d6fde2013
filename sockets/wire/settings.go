package wire

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
)

// Settings choose how a session's browser runs. They are declared once: flags,
// variables and configuration keys come from the tags (see [Field]). Zero means
// the default.
type Settings struct {
	Headed         bool     `json:"headed,omitzero" env:"HEADED" help:"show the browser's window"`
	ExecutablePath string   `json:"executablePath,omitzero" env:"EXECUTABLE_PATH" file:"name" help:"the browser to run"`
	Args           []string `json:"args,omitzero" env:"ARGS" help:"more arguments for the browser, separated by commas"`
	Mode           string   `json:"mode,omitzero" env:"MODE" enum:"shared|incognito|persistent|attached" help:"shared, incognito, persistent or attached: whose browser and logins, and what is kept"`
	Profile        string   `json:"profile,omitzero" env:"PROFILE" file:"name" help:"a browser of its own with this profile, a name or (with a slash) a directory, which keeps logins"`
	CDP            string   `json:"cdp,omitzero" env:"CDP" help:"attach to a browser that somebody else started, by its port or URL"`
	IdleTimeout    string   `json:"idleTimeout,omitzero" env:"IDLE_TIMEOUT,IDLE_TIMEOUT_MS" is:"duration" live:"true" help:"time after which a session that does nothing ends, its tabs stay: 90s, 30m (the default), 12h; 0 is never"`
	BrowserIdle    string   `json:"browserIdleTimeout,omitzero" env:"BROWSER_IDLE_TIMEOUT" is:"duration" live:"true" help:"time after which a browser without tabs is stopped: 90s, 10m (the default), 12h; 0 is never"`
}

// The modes of a session.
const (
	ModeShared     = "shared"     // the shared browser and its logins
	ModeIncognito  = "incognito"  // the shared browser, none of its logins, nothing kept
	ModePersistent = "persistent" // a profile's own browser
	ModeAttached   = "attached"   // a browser that somebody else started
)

// External reports whether the browser was not started by abrowser.
func (s Settings) External() bool { return s.CDP != "" }

// SessionMode is the mode of a session with these settings: the one asked for,
// else the one that profile or CDP endpoint imply.
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

// Location returns those of the settings that say in which browser a session's pages
// are, and in which part of it. They hold for as long as the session lasts.
func (s Settings) Location() Settings { return Settings{Mode: s.Mode, Profile: s.Profile, CDP: s.CDP} }

// ForBrowser returns those of the settings that the browser runs with: sessions of
// several modes may be in one browser.
func (s Settings) ForBrowser() Settings {
	s.Mode, s.IdleTimeout = "", ""
	return s
}

// WithLaunchOptions returns s with what the browser was started with.
func (s Settings) WithLaunchOptions(browser Settings) Settings {
	s.Headed, s.ExecutablePath, s.Args = browser.Headed, browser.ExecutablePath, browser.Args
	return s
}

// SettingFields are the fields of [Settings].
func SettingFields() []Field { return fieldsOf(reflect.TypeFor[Settings]()) }

// Check refuses values that no setting takes.
func (s Settings) Check() error { return checkValues(reflect.ValueOf(s), SettingFields()) }

// Diff lists the names of what s asks for and running has otherwise, and cannot
// take over. What s leaves at zero differs from nothing.
func (s Settings) Diff(running Settings) []string {
	a, r := reflect.ValueOf(s), reflect.ValueOf(running)
	if a.IsZero() {
		return nil
	}
	var names []string
	for i, f := range SettingFields() {
		if f.Name == "mode" && s.Mode == running.SessionMode() {
			continue // asked for by its name, or implied
		}
		if !f.Live && !a.Field(i).IsZero() && !reflect.DeepEqual(a.Field(i).Interface(), r.Field(i).Interface()) {
			names = append(names, f.Name)
		}
	}
	return names
}

// Environ returns the settings as ABROWSER_* variables for a process that is
// being started, those at zero left out.
func (s Settings) Environ() []string {
	v := reflect.ValueOf(s)
	var env []string
	for i, f := range SettingFields() {
		if v.Field(i).IsZero() {
			continue
		}
		var text string
		switch field := v.Field(i); field.Kind() {
		case reflect.Bool:
			text = strconv.FormatBool(field.Bool())
		case reflect.Slice:
			text = joinList(stringsOf(field))
		default:
			text = field.String()
		}
		env = append(env, "ABROWSER_"+f.Env+"="+text)
	}
	return env
}

// SettingsFrom reads the variables of a process that was started with
// [Settings.Environ]; lookup is os.LookupEnv. A value that cannot be read is
// [CodeBadInput].
func SettingsFrom(lookup func(string) (string, bool)) (Settings, error) {
	given := map[string]any{}
	for _, f := range SettingFields() {
		text := ""
		for _, name := range f.Variables() {
			if value, ok := lookup(name); ok {
				text = value
				break
			}
		}
		if text == "" {
			continue
		}
		if f.Duration {
			if _, err := ParseDuration("ABROWSER_"+f.Env, text); err != nil {
				return Settings{}, err
			}
		}
		switch f.Type.Kind() {
		case reflect.Bool:
			on, err := strconv.ParseBool(text)
			if err != nil {
				return Settings{}, Errorf(CodeBadInput, "ABROWSER_%s is %q; it takes true or false", f.Env, text)
			}
			given[f.Name] = on
		case reflect.Slice:
			given[f.Name] = SplitList(text)
		default:
			given[f.Name] = text
		}
	}
	raw, err := json.Marshal(given)
	if err != nil {
		return Settings{}, err
	}
	var s Settings
	return s, json.Unmarshal(raw, &s)
}

// SplitList reads the value of a variable or flag that takes several: one a line
// where it has lines, else separated by commas. So a value with a comma in it
// ("--window-size=800,600") is given with a newline behind it.
func SplitList(text string) []string {
	separator := ","
	if strings.Contains(text, "\n") {
		separator = "\n"
	}
	var all []string
	for _, s := range strings.Split(text, separator) {
		if s = strings.TrimSpace(s); s != "" {
			all = append(all, s)
		}
	}
	return all
}

func joinList(all []string) string {
	for _, s := range all {
		if strings.Contains(s, ",") {
			return strings.Join(all, "\n") + "\n"
		}
	}
	return strings.Join(all, ",")
}
