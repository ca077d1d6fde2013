package install

import "os"

func thisWorld() *world {
	app := func(name, program string) []string {
		inside := "Applications/" + name + ".app/Contents/MacOS/" + program
		return []string{"/" + inside, "~/" + inside}
	}
	return &world{
		driver: driverPack(), node: nodePack, root: os.Geteuid() == 0, stall: stallTimeout,
		browsers: []family{
			{name: "Chrome", places: app("Google Chrome", "Google Chrome")},
			{name: "Chromium", places: app("Chromium", "Chromium"), commands: []string{"chromium"}},
			{name: "Edge", places: app("Microsoft Edge", "Microsoft Edge")},
			{name: "Brave", places: app("Brave Browser", "Brave Browser")},
			{name: "Chromium", fetched: true, places: []string{
				"chromium-*/chrome-mac*/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
				"chromium-*/chrome-mac*/Chromium.app/Contents/MacOS/Chromium",
			}},
			{name: "Chromium headless shell", headless: true, commands: []string{"chrome-headless-shell"}},
		},
	}
}
