package patches

// What a client of a [Board] finds otherwise than in a browser of its own, and
// why. All else is meant to be the same; Playwright's page tests show it.
//
// The browser is not one client's:
//
//   - Browser.close ends the client's connection. Browser.crash and crashGpuProcess
//     are answered and do nothing.
//   - Page.bringToFront, Target.activateTarget, Browser.setWindowBounds and
//     setContentsSize are answered and do nothing: pages of all sessions share
//     windows, and no task may take the focus of another or of a person. Pages are
//     awake and focused in whatever tab they are.
//   - A folder that is given to a field (DOM.setFileInputFiles) is read by Chromium 156 for
//     the tab in front only. In a browser without windows its tab is brought there first;
//     in windows that a person sees it is not, and the field stays empty until
//     somebody brings the tab to the front by hand.
//   - Target.createTarget always opens behind the others. Only the members that
//     bear on that are dropped (focus, forTab, hidden, windowState).
//   - Target.createTarget may be refused (POOL_FULL), or one of the owner's own tabs be
//     closed for the new one, where [Options.Admit] says so.
//   - A tab or window that a page itself opens (a link, window.open, a click with
//     Control) comes to the front as Chromium wants it: in a browser with windows the
//     first of them is in front of a person's tab, and Chromium asks the window manager
//     for its window to be raised. CDP has nothing against it; that the window is not
//     raised is the window manager's decision, and without one it is.
//   - Fetch, Security and Memory at the browser are refused: there they
//     reach every page. On a page's session they are its own.
//   - Tracing.start (Playwright's browser.startTracing; not context.tracing, which
//     works) is refused on every session: the browser has one recording at a time,
//     and it was seen to hold the URLs of other sessions' pages, also when it was
//     started on a page. SystemInfo.getProcessInfo lists the processes of all.
//   - Target.getTargets and the discovery events tell of pages and of service workers;
//     frames of other sites and dedicated workers are told of on the session of the
//     page that has them (Target.setAutoAttach there), as Playwright wants them.
//   - Target.exposeDevToolsProtocol and sendMessageToTarget are refused: what they
//     carry would come past the rules. Only flat sessions can be attached to.
//   - Pages of the browser itself (chrome:, devtools:, about: but for about:blank) and of
//     extensions are not opened: one of them ends the browser, others list and close
//     the tabs of all.
//   - The domains Extensions, PWA, Tethering, BackgroundService, BluetoothEmulation and
//     Cast, and all but the known methods of Browser and Target are not there: they are
//     about the person's browser.
//   - On a page's session, too, these are refused since they hold for all pages: memory
//     pressure (Memory.setPressureNotificationsSuppressed, simulatePressureNotification,
//     getBrowserSamplingProfile), screens (Emulation.addScreen, updateScreen,
//     removeScreen, setPrimaryScreen) and Autofill.setAddresses. And
//     Emulation.setDisplayFeaturesOverride without a feature, at which Chromium 156 dies;
//     clearDisplayFeaturesOverride does the same.
//
// In an incognito session the browser's default context is one of the session's
// own: there grants are passed on, and nothing of the shared one is known.
//
// In a browser that somebody else started (its broker is attached to it) nothing is
// ever paused, so that a person's tab never waits for us. So init scripts and routes
// of a client may miss the first document of a popup, and a tab that a click with
// Control, Shift or the middle button opens is taken for the person's: it names no
// opener.
//
// The shared browser context is not one session's either. Cookies, storage and
// service workers are shared on purpose, so that a login is there for all; so is
// what a request to Storage.clearCookies takes away. Beyond that:
//
//   - Browser.grantPermissions and setPermission are refused in it: CDP has no
//     permission of a single page, and a grant would hold for all sessions.
//     Browser.resetPermissions does nothing. In a browser context of the client's
//     own (newContext) they are passed on. Geolocation, offline, headers, user
//     agent, viewport and media are per page in CDP, and so do not leak.
//   - Downloads go into a directory of the broker's, under names that are nobody's
//     choice, and from there to where the client's Browser.setDownloadBehavior or
//     Page.setDownloadBehavior wants them, when they are whole and before the client
//     hears so; in a context of the client's own, too. What cannot be put there is told
//     as canceled. The directory has to be an absolute path. In the shared context
//     "deny" means that the client gets no files. The events are told to the session's
//     clients that asked for them, and of its own pages' downloads only.
//     Browser.cancelDownload knows no others. In a browser that somebody else started
//     files stay where that browser puts them, and are copied from there.
//   - Service workers of it are not announced, since they have no owner, nor is a page's
//     session attached to them: they would wait for it, and with them the pages of all
//     sessions at that site. A page's own requests to them are told. What is told of
//     them (ServiceWorker.workerVersionUpdated) names the client's own pages only.
//     ServiceWorker.stopAllWorkers and setForceUpdateOnPageLoad are refused.
//   - Refused on a page of it, since they hold for pages of other sessions, and passed
//     on in a context of the client's own: Security.setIgnoreCertificateErrors and
//     setOverrideCertificateErrors (a connection that one page lets pass serves the
//     next one, too) and Storage.overrideQuotaForOrigin.
//
// Several clients of one session (the session's daemon, and a program at the
// endpoint that `get cdp-url` prints):
//
//   - All are told of the session's pages, and a new page waits for all of them, 3 s
//     at most. Only the newest client has the session that the page was paused for:
//     what another one sends before a noopener popup runs is heard when its first
//     document has come, init scripts included (Chromium 156 does so).
//   - A dialog is told to the one of them that last acted on its page (or on the
//     opener of it), since each would answer it. Where none did, to all.
//   - Browser contexts that a newer client makes are not shown to an older one:
//     Playwright takes pages of a context that it did not make for pages of the
//     shared one.
//   - Each is told of the isolated worlds that the others make in pages, as by a
//     browser without a broker; Playwright takes no notice of worlds that it did not
//     make.
//   - Browser contexts outlive the connection that made them, disposeOnDetach or
//     not: a daemon that is killed finds its pages again. They go when they are
//     disposed of or their session ends.
//
// Messages: a client's message of more than 90 MiB is refused, for Chromium stops
// to read its pipe at 100 MiB; one that a rule looks into (the domains Target, Browser
// and Storage, mostly) of more than 8 MiB, so that looking holds up nobody. What is not
// strict JSON in UTF-8, names a member twice or escapes a method's name is refused,
// since two readers could read it differently.
//
// What the rules cannot give: pages of two sessions may be in one renderer process
// when there are more pages than Chromium has processes for. A page that breaks out
// of JavaScript, and DOM.describeNode of a node id in the same process, are held
// back by Chromium or not at all.
