package keeper

import (
	"strconv"
	"strings"

	"github.com/abrowser/abrowser/launcher/handover"
)

// barsHeight is the height, in pixels, of the tab strip and the address bar together. If a browser
// has another height, the broker corrects the size of the window after the start.
const barsHeight = 87

// arguments returns the browser's arguments.
func arguments(o Options, profile string) []string {
	height := handover.InsideHeight
	args := append(switches(), "--user-data-dir="+profile, "--remote-debugging-pipe")
	switch {
	case o.NoWindows:
	case o.Settings.Headed:
		height += barsHeight
		// When a session closes the last tab, the window closes too. With this switch the
		// browser keeps running without a window. The tab about:blank below is not enough to
		// keep the browser running, since the first session gets this tab and may close it.
		args = append(args, "--keep-alive-for-test")
	default:
		args = append(args, "--headless=new")
		height += barsHeight
	}
	if o.NoSandbox != "" {
		// test-type hides a warning bar, which would make the page smaller.
		args = append(args, "--no-sandbox", "--test-type")
	}
	args = append(args, "--window-size="+strconv.Itoa(handover.InsideWidth)+","+strconv.Itoa(height))
	args = withFeatures(args, o.Settings.Args)
	// The argument about:blank opens a tab at the start, before any session exists. In a headless
	// browser no session gets this tab. It stays open, because the browser would end when its
	// last tab closes.
	return append(args, "about:blank")
}

// switches returns the switches with which Playwright starts Chromium, except those that
// disable extensions, followed by abrowser's own. Playwright's switches are needed because
// Playwright drives this browser too.
func switches() []string {
	return []string{
		"--allow-pre-commit-input",
		"--disable-back-forward-cache",
		"--disable-background-networking",
		"--disable-background-timer-throttling",
		"--disable-backgrounding-occluded-windows",
		"--disable-breakpad",
		"--disable-client-side-phishing-detection",
		"--disable-component-extensions-with-background-pages",
		"--disable-component-update",
		"--disable-default-apps",
		"--disable-dev-shm-usage",
		"--disable-edgeupdater",
		"--disable-field-trial-config",
		"--disable-hang-monitor",
		"--disable-infobars",
		"--disable-ipc-flooding-protection",
		"--disable-popup-blocking",
		"--disable-prompt-on-repost",
		"--disable-renderer-backgrounding",
		"--disable-search-engine-choice-screen",
		"--disable-sync",
		"--edge-skip-compat-layer-relaunch",
		"--export-tagged-pdf",
		"--force-color-profile=srgb",
		"--metrics-recording-only",
		"--no-default-browser-check",
		"--no-first-run",
		"--no-service-autorun",
		"--password-store=basic",
		"--unsafely-disable-devtools-self-xss-warnings",
		"--use-mock-keychain",
		"--hide-crash-restore-bubble", // from here on abrowser's own
		"--propagate-iph-for-testing",
		// Without DisableProcessReuse, frames of one site in the pages of two sessions would
		// share a process, and a busy frame of one session would block the other frame.
		"--enable-features=CDPScreenshotNewSurface,DisableProcessReuse",
		"--disable-features=" + strings.Join(disabledFeatures(), ","),
	}
}

func disabledFeatures() []string {
	return []string{
		"AutoDeElevate",
		"AvoidUnnecessaryBeforeUnloadCheckSync",
		"BoundaryEventDispatchTracksNodeRemoval",
		"DestroyProfileOnBrowserClose",
		"DialMediaRouteProvider",
		"GlobalMediaControls",
		"HttpsUpgrades",
		"LensOverlay",
		"MediaRouter",
		"OptimizationHints",
		"PaintHolding",
		"RenderDocument",
		"ThirdPartyStoragePartitioning",
		"Translate",
		"msEdgeUpdateLaunchServicesPreferredVersion",
		"msForceBrowserSignIn",
		// From here on, the features are abrowser's own choice. With the next two features, a
		// prerendered page would replace the target of the page that navigates to it.
		"Prerender2",
		"SpeculationRulesPrerender2",
		// With these features, two sessions' pages of one site would share a process.
		"ProcessPerSiteForDSE",
		"ProcessPerSiteUpToMainFrameThreshold",
		// With this feature, the tasks that a page adds to its event loop while it handles a click
		// wait for the next frame. That delays the end of the click command by 8 ms on average.
		"DeferRendererTasksAfterInput",
		// With this feature, the pages of tabs in the background have a lower priority than the page in
		// front, despite --disable-renderer-backgrounding.
		"PMProcessPriorityPolicy",
		// These features discard tabs, and a discarded tab does not answer.
		"HighEfficiencyModeAvailable",
		"MemorySaverModeAggressiveness",
		// With these features, the address bar's popups would be targets that no session owns.
		"AiModeOmniboxEntryPoint",
		"WebUIOmniboxAimPopup",
		"WebUIOmniboxFullPopup",
		"WebUIOmniboxPopup",
	}
}

// withFeatures adds the user's arguments. If a list of features is given twice, Chromium uses
// only the last list, so the user's lists are joined to abrowser's.
func withFeatures(args, more []string) []string {
	for _, arg := range more {
		joined := false
		for _, list := range []string{"--disable-features=", "--enable-features="} {
			for i := range args {
				if strings.HasPrefix(arg, list) && strings.HasPrefix(args[i], list) {
					args[i] += "," + strings.TrimPrefix(arg, list)
					joined = true
				}
			}
		}
		if !joined {
			args = append(args, arg)
		}
	}
	return args
}
