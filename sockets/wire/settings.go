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
	Profile        string   `json:"profile,omitzero" env:"PROFILE" file:"name" help:"the profile, a name or a directory, that keeps cookies and logins"`
}

// SettingFields are the fields of [Settings].
func SettingFields() []Field { return fieldsOf(reflect.TypeFor[Settings]()) }

// Differ lists the names of what s asks for and running has otherwise. What s
// leaves at zero differs from nothing.
func (s Settings) Differ(running Settings) []string {
	a, r := reflect.ValueOf(s), reflect.ValueOf(running)
	var names []string
	for i, f := range SettingFields() {
		if !a.Field(i).IsZero() && !reflect.DeepEqual(a.Field(i).Interface(), r.Field(i).Interface()) {
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
		text, ok := lookup("ABROWSER_" + f.Env)
		if !ok {
			text, ok = lookup("AGENT_BROWSER_" + f.Env)
		}
		if !ok || text == "" {
			continue
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
