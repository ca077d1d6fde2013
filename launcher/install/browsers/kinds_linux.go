package browsers

// Kinds returns the kinds of browsers on this system in order of preference.
func Kinds() []Kind {
	return []Kind{
		{Paths: []string{"/opt/google/chrome/chrome"}, Commands: []string{"google-chrome-stable", "google-chrome", "chrome"}},
		{
			Paths:    []string{"/usr/bin/chromium", "/usr/lib/chromium/chromium", "/usr/lib64/chromium-browser/chromium-browser"},
			Commands: []string{"chromium", "chromium-browser"},
		},
		{Paths: []string{"/opt/microsoft/msedge/msedge"}, Commands: []string{"microsoft-edge-stable", "microsoft-edge"}},
		{Paths: []string{"/opt/brave.com/brave/brave"}, Commands: []string{"brave-browser-stable", "brave-browser", "brave"}},
		{Paths: []string{"chromium-*/chrome-linux*/chrome"}, Fetched: true},
		{
			Paths:    []string{"/usr/lib/chromium/chromium-headless-shell"},
			Commands: []string{"chromium-headless-shell", "chrome-headless-shell"}, Headless: true,
		},
	}
}
