package wire

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func lookupIn(environ []string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for _, e := range environ {
			if k, v, _ := strings.Cut(e, "="); k == name {
				return v, true
			}
		}
		return "", false
	}
}

func TestSettingsPassThroughTheEnvironment(t *testing.T) {
	for _, want := range []Settings{
		{},
		{Headed: true},
		{Headed: true, ExecutablePath: "/opt/a b/chrome", Profile: "work", Args: []string{"--no-sandbox", "--lang=de"}},
		{Args: []string{"--window-size=800,600"}},
		{Args: []string{"--window-size=800,600", "--lang=de"}},
		{Args: []string{"--lang=de=x"}},
	} {
		got, err := SettingsFrom(lookupIn(want.Environ()))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("SettingsFrom(%q) = %+v, %v, want %+v", want.Environ(), got, err, want)
		}
	}
	if env := (Settings{}).Environ(); len(env) != 0 {
		t.Errorf("Environ() of no settings = %q", env)
	}
}

func TestSettingsFrom(t *testing.T) {
	tests := []struct {
		environ []string
		want    Settings
	}{
		{nil, Settings{}},
		{[]string{"ABROWSER_HEADED=1"}, Settings{Headed: true}},
		{[]string{"AGENT_BROWSER_HEADED=true"}, Settings{Headed: true}},
		{[]string{"AGENT_BROWSER_HEADED=true", "ABROWSER_HEADED=false"}, Settings{}},
		{[]string{"ABROWSER_PROFILE="}, Settings{}},
		{[]string{"ABROWSER_ARGS= --a , --b,,"}, Settings{Args: []string{"--a", "--b"}}},
	}
	for _, tt := range tests {
		got, err := SettingsFrom(lookupIn(tt.environ))
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("SettingsFrom(%q) = %+v, %v, want %+v", tt.environ, got, err, tt.want)
		}
	}
	if _, err := SettingsFrom(lookupIn([]string{"ABROWSER_HEADED=maybe"})); !errors.Is(err, CodeBadInput) || !strings.Contains(err.Error(), "ABROWSER_HEADED") {
		t.Errorf("SettingsFrom(maybe) = %v, want %s that names the variable", err, CodeBadInput)
	}
}

func TestDiff(t *testing.T) {
	running := Settings{Headed: true, Profile: "work", Args: []string{"--a"}}
	tests := []struct {
		asked Settings
		want  string
	}{
		{Settings{}, ""},
		{running, ""},
		{Settings{Profile: "work"}, ""},
		{Settings{Profile: "home"}, "profile"},
		{Settings{ExecutablePath: "/x", Args: []string{"--b"}}, "executablePath,args"},
		{Settings{Mode: ModePersistent, Profile: "work"}, ""},
		{Settings{Mode: ModeIncognito}, "mode"},
		{Settings{CDP: "http://localhost:9222"}, "cdp"},
		{Settings{CDP: "http://localhost:9222", Mode: ModeIncognito, Defaults: []string{"cdp"}}, "mode"},
	}
	for _, tt := range tests {
		if got := strings.Join(tt.asked.Diff(running), ","); got != tt.want {
			t.Errorf("%+v.Diff() = %q, want %q", tt.asked, got, tt.want)
		}
	}
}

func TestSessionMode(t *testing.T) {
	for _, tt := range []struct {
		settings Settings
		want     string
	}{
		{Settings{}, ModeShared},
		{Settings{Mode: ModeShared}, ModeShared},
		{Settings{Mode: ModeIncognito}, ModeIncognito},
		{Settings{Profile: "work"}, ModePersistent},
		{Settings{CDP: "http://localhost:1"}, ModeAttached},
	} {
		if got := tt.settings.SessionMode(); got != tt.want {
			t.Errorf("%+v.SessionMode() = %s, want %s", tt.settings, got, tt.want)
		}
		if names := (Settings{Mode: tt.want}).Diff(tt.settings); len(names) > 0 {
			t.Errorf("%s differs from %+v by %q", tt.want, tt.settings, names)
		}
	}
	if names := (Settings{Mode: ModeShared}).Diff(Settings{Mode: ModeIncognito}); len(names) != 1 {
		t.Errorf("shared differs from incognito by %q, want the mode", names)
	}
}

func TestSettingFields(t *testing.T) {
	typ := reflect.TypeFor[Settings]()
	fields := SettingFields()
	if len(fields) != typ.NumField()-1 { // all but Defaults
		t.Fatalf("%d of %d fields are declared", len(fields), typ.NumField())
	}
	for i, f := range fields {
		name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		if f.Name != name || f.Env == "" || f.Help == "" {
			t.Errorf("field %d is %+v, want %q with env and help", i, f, name)
		}
	}
}
