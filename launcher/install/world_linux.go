package install

import "os"

func thisWorld() *world {
	return &world{
		driver: driverPack(), node: nodePack, osRelease: "/etc/os-release", root: os.Geteuid() == 0, packages: "/run/abrowser-packages.lock", stall: stallTimeout,
		browsers: []family{
			{
				name: "Chrome", places: []string{"/opt/google/chrome/chrome"},
				commands: []string{"google-chrome-stable", "google-chrome", "chrome"},
			},
			{
				name: "Chromium", places: []string{"/usr/bin/chromium", "/usr/lib/chromium/chromium", "/usr/lib64/chromium-browser/chromium-browser"},
				commands: []string{"chromium", "chromium-browser"},
			},
			{
				name: "Edge", places: []string{"/opt/microsoft/msedge/msedge"},
				commands: []string{"microsoft-edge-stable", "microsoft-edge"},
			},
			{
				name: "Brave", places: []string{"/opt/brave.com/brave/brave"},
				commands: []string{"brave-browser-stable", "brave-browser", "brave"},
			},
			{name: "Chromium", places: []string{"chromium-*/chrome-linux*/chrome"}, fetched: true},
			{
				name: "Chromium headless shell", headless: true,
				places:   []string{"/usr/lib/chromium/chromium-headless-shell"},
				commands: []string{"chromium-headless-shell", "chrome-headless-shell"},
			},
		},
	}
}
