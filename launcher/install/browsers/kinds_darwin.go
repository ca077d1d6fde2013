package browsers

// Kinds returns the kinds of browsers on this system in order of preference.
func Kinds() []Kind {
	app := func(name, program string) []string {
		inside := "Applications/" + name + ".app/Contents/MacOS/" + program
		return []string{"/" + inside, "~/" + inside}
	}
	return []Kind{
		{Name: "Chrome", Paths: app("Google Chrome", "Google Chrome")},
		{Name: "Chromium", Paths: app("Chromium", "Chromium"), Commands: []string{"chromium"}},
		{Name: "Edge", Paths: app("Microsoft Edge", "Microsoft Edge")},
		{Name: "Brave", Paths: app("Brave Browser", "Brave Browser")},
		{Name: "Chromium", Fetched: true, Paths: []string{
			"chromium-*/chrome-mac*/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
			"chromium-*/chrome-mac*/Chromium.app/Contents/MacOS/Chromium",
		}},
		{Name: "Chromium headless shell", Headless: true, Commands: []string{"chrome-headless-shell"}},
	}
}
