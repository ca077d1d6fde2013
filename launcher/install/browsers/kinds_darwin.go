package browsers

// Kinds returns the kinds of browsers on this system in order of preference.
func Kinds() []Kind {
	app := func(name, program string) []string {
		inside := "Applications/" + name + ".app/Contents/MacOS/" + program
		return []string{"/" + inside, "~/" + inside}
	}
	return []Kind{
		{Paths: app("Google Chrome", "Google Chrome")},
		{Paths: app("Chromium", "Chromium"), Commands: []string{"chromium"}},
		{Paths: app("Microsoft Edge", "Microsoft Edge")},
		{Paths: app("Brave Browser", "Brave Browser")},
		{Fetched: true, Paths: []string{
			"chromium-*/chrome-mac*/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
			"chromium-*/chrome-mac*/Chromium.app/Contents/MacOS/Chromium",
		}},
		{Headless: true, Commands: []string{"chrome-headless-shell"}},
	}
}
