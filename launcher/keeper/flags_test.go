package keeper

import (
	"slices"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/wire"
)

func TestArguments(t *testing.T) {
	for _, tt := range []struct {
		name       string
		options    Options
		has, hasnt []string
	}{
		{"headless", Options{}, []string{"--headless=new", "--window-size=1280,807", "--user-data-dir=/p", "--remote-debugging-pipe"}, []string{"--no-sandbox", "--keep-alive-for-test"}},
		{"headed", Options{Settings: wire.Settings{Headed: true}}, []string{"--window-size=1280,807", "--keep-alive-for-test"}, []string{"--headless=new"}},
		{"headless by itself", Options{NoWindows: true}, []string{"--window-size=1280,720"}, []string{"--headless=new"}},
		{"without sandbox", Options{NoSandbox: "root"}, []string{"--no-sandbox", "--test-type"}, nil},
		{"more", Options{Settings: wire.Settings{Args: []string{"--lang=de"}}}, []string{"--lang=de"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := arguments(tt.options, "/p")
			for _, want := range tt.has {
				if !slices.Contains(got, want) {
					t.Errorf("no %s in %q", want, got)
				}
			}
			for _, no := range tt.hasnt {
				if slices.Contains(got, no) {
					t.Errorf("%s in %q", no, got)
				}
			}
			if got[len(got)-1] != "about:blank" {
				t.Errorf("the last argument is %s, want about:blank", got[len(got)-1])
			}
		})
	}
}

func TestFeaturesAreJoined(t *testing.T) {
	got := arguments(Options{Settings: wire.Settings{Args: []string{"--disable-features=Mine"}}}, "/p")
	n := 0
	for _, arg := range got {
		if strings.HasPrefix(arg, "--disable-features=") {
			n++
			if !strings.Contains(arg, "Prerender2") || !strings.HasSuffix(arg, ",Mine") {
				t.Errorf("the features are %s, want abrowser's and Mine", arg)
			}
		}
	}
	if n != 1 {
		t.Errorf("there are %d lists of disabled features, want one: Chromium uses the last only", n)
	}
}
