package keeper

import (
	"strconv"
	"strings"

	"github.com/abrowser/abrowser/launcher/handover"
)

// barsHeight is the height of the tab strip and the address bar. The broker corrects a
// difference after the start.
const barsHeight = 87

// arguments returns the browser's arguments.
func arguments(o Options, profile string) []string {
	height := handover.InsideHeight
	args := append(switches(), "--user-data-dir="+profile, "--remote-debugging-pipe")
	switch {
	case o.NoWindows:
	case o.Settings.Headed:
		height += barsHeight
		// The first session gets the empty tab below. When the last tab closes, so does its
		// window, and the browser has to keep running.
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
	// A tab that no session owns. Without windows it stays: closing the last tab would end
	// the browser.
	return append(args, "about:blank")
}

// switches returns the switches with which Playwright starts its own Chromium, since it
// drives this one too, without those that disable extensions. At the end are abrowser's own.
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
		// DisableProcessReuse: frames of one site in the pages of two sessions would share a
		// process, and a busy frame of one session would block that of the other.
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
		// abrowser's own from here on. A prerendered page replaces the target of the page that
		// navigates to it.
		"Prerender2",
		"SpeculationRulesPrerender2",
		// With these, two sessions' pages of one site would share a process.
		"ProcessPerSiteForDSE",
		"ProcessPerSiteUpToMainFrameThreshold",
		// With this, tasks that a page defers in a click wait for the next frame, 8 ms on
		// average, and so does the end of the click command.
		"DeferRendererTasksAfterInput",
		// These discard tabs, which then do not answer.
		"HighEfficiencyModeAvailable",
		"MemorySaverModeAggressiveness",
		// These create targets that belong to no session: popups of the address bar.
		"AiModeOmniboxEntryPoint",
		"WebUIOmniboxAimPopup",
		"WebUIOmniboxFullPopup",
		"WebUIOmniboxPopup",
	}
}

// withFeatures adds the user's arguments. If a list of features is given twice, Chromium uses
// the last only, so the user's lists are joined to abrowser's.
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
