// Package patches multiplexes one browser's CDP connection among many clients, so
// that each client works as if it had a browser of its own.
//
// A [Mux] stands between the browser and the clients. A client belongs to a tenant,
// which is a session of abrowser and is known by its name. The Mux records which
// tenant owns each target, gives each client a browser-level CDP session, shows it
// the targets of its tenant only, and answers requests that would reach further. It
// rewrites message ids and maps the client's root to its CDP session; the ids of
// targets, frames and sessions never change. Of a message whose method has no rule,
// only id, method and sessionId are read.
//
// The package does no input or output, starts no goroutine and imports only its
// codec, package cdp. Bytes and times come in through methods, bytes go out through a
// [Transport]. All methods of a Mux are called from one goroutine, in launcher/broker.
//
// The invariant: no message that names a foreign target, context or CDP session
// passes from a client to the browser, or from the browser to a client.
//
// # Differences from a browser of one's own
//
// A client finds the following differences. Everything else is meant to be the same,
// which Playwright's page tests verify.
//
// The browser is shared:
//
//   - Browser.close closes the client's connection. Browser.crash and crashGpuProcess
//     succeed without an effect.
//   - Page.bringToFront, Target.activateTarget, Browser.setWindowBounds and
//     setContentsSize succeed without an effect. Pages of all sessions share windows,
//     and no task may take the focus of another or of a person. Pages are awake and
//     focused in whatever tab they are.
//   - Chromium 156 reads a folder that is given to a file input
//     (DOM.setFileInputFiles) for the front tab only. In a browser without windows the
//     input's tab is brought to the front first. In windows that a person sees it is
//     not, and the input stays empty until a person brings the tab to the front.
//   - Target.createTarget always opens in the background. Only the parameters for that
//     are dropped (focus, forTab, hidden, windowState, enableBeginFrameControl).
//   - Target.createTarget may be refused (POOL_FULL), or may close another tab of the
//     same tenant, as [Options.Admit] decides.
//   - A tab or window that a page opens by itself (a link, window.open, a click with
//     Control) comes to the front. In a browser with windows the first of them covers a
//     person's tab, and Chromium asks the window manager to raise its window. CDP
//     cannot prevent this; the window manager can ignore the request.
//   - Fetch, Security and Memory are refused on browser-level sessions, where they
//     affect every page. On a page's session they affect that page.
//   - Tracing.start (Playwright's browser.startTracing; not context.tracing, which
//     works) is refused on every session. The browser has one recording at a time. A
//     recording contained the URLs of other sessions' pages, even if it was started on
//     a page. SystemInfo.getProcessInfo is refused as well: it lists the processes of
//     all sessions.
//   - Target.getTargets and the discovery events report pages and service workers.
//     Frames of other sites and dedicated workers are reported on the session of their
//     page (Target.setAutoAttach there), as Playwright expects.
//   - Target.exposeDevToolsProtocol and sendMessageToTarget are refused, because the
//     messages that they carry would bypass the rules. Only flat sessions can be
//     attached.
//   - Pages of the browser itself (chrome:, devtools:, about: except about:blank) and
//     of extensions are not opened. One of them ends the browser; others list and close
//     the tabs of all sessions.
//   - The domains Extensions, PWA, Tethering, BackgroundService, BluetoothEmulation and
//     Cast, and all but the known methods of Browser and Target, do not exist. They
//     concern the person's browser.
//   - Methods whose effect covers all pages are refused on a page's session too: memory
//     pressure (Memory.setPressureNotificationsSuppressed, simulatePressureNotification,
//     getBrowserSamplingProfile), screens (Emulation.addScreen, updateScreen,
//     removeScreen, setPrimaryScreen) and Autofill.setAddresses. So is
//     Emulation.setDisplayFeaturesOverride without a feature, on which Chromium 156
//     crashes; use clearDisplayFeaturesOverride.
//
// In an incognito session the default browser context is the session's own.
// Permission grants are forwarded there, and the shared context does not exist for it.
//
// In an external browser, one that abrowser did not start, the Mux pauses nothing, so
// that a person's tab never waits. A client's init scripts and routes may therefore
// miss the first document of a popup. A tab that is opened by a click with Control,
// Shift or the middle button names no opener and counts as the person's.
//
// The default browser context is shared. All sessions share its cookies, storage and
// service workers on purpose, so that one login serves all; Storage.clearCookies also
// affects all. Beyond that:
//
//   - Browser.grantPermissions and setPermission are refused in the shared context: CDP
//     has no permission for a single page, so a grant would apply to all sessions.
//     Browser.resetPermissions has no effect there. In a browser context of the
//     client's own (newContext) these methods are forwarded. Geolocation, offline
//     state, headers, user agent, viewport and media are per page in CDP and do not
//     leak.
//   - Downloads go to a directory of the broker under names that no page chooses, in
//     the client's own contexts too. A complete file is copied to the directory that
//     the client set by Browser.setDownloadBehavior or Page.setDownloadBehavior, before
//     the client gets the event. If the copy fails, the client gets the state
//     "canceled". The directory has to be an absolute path. In the shared context
//     "deny" means that the client gets no files. Clients that asked for events get
//     those of their own session's pages, and Browser.cancelDownload accepts only
//     these downloads. In an external browser, files stay where that browser saves
//     them and are copied from there.
//   - Service workers of the shared context have no owner and are not announced. A
//     page's session is not attached to them: they, and with them the pages of all
//     sessions at that site, would wait for it. A page's own requests to them are
//     reported. ServiceWorker.workerVersionUpdated names only the client's own pages.
//     ServiceWorker.stopAllWorkers and setForceUpdateOnPageLoad are refused.
//   - Security.setIgnoreCertificateErrors, setOverrideCertificateErrors and
//     Storage.overrideQuotaForOrigin are refused on a page of the shared context,
//     because they affect pages of other sessions: a connection that one page accepts
//     also serves the next page. In a context of the client's own they are forwarded.
//
// A session can have several clients, for example its daemon and a program at the
// endpoint that `get cdp-url` prints:
//
//   - All clients get the session's pages, and a new page waits for all of them, for 3 s
//     at most. Only the newest client has the CDP session for which the page was
//     paused. In Chromium 156, commands that another client sends before a noopener
//     popup runs, init scripts included, take effect when its first document has
//     arrived.
//   - A dialog goes to the client that last acted on its page or on the page's opener,
//     because every client would answer it. If no client has acted, all of them get it.
//   - A browser context that a newer client creates is hidden from an older one, whose
//     Playwright would take its pages for pages of the shared context.
//   - Each client gets the isolated worlds that others create in pages, as from a
//     browser without a broker. Playwright ignores worlds that it did not create.
//   - Browser contexts outlive the connection that created them, even with
//     disposeOnDetach, so that a daemon that was killed finds its pages again. They end
//     when they are disposed or their session ends.
//
// A client's message over 90 MiB is refused, because Chromium stops reading its pipe
// at 100 MiB. A message with a rule (mostly of the domains Target, Browser and Storage)
// is refused over 8 MiB, because decoding it delays all clients. A message that is not
// strict JSON in UTF-8, repeats a member or escapes the name of its method is refused,
// because two readers could read it differently.
//
// The rules cannot separate renderers: pages of two sessions may share a renderer
// process if there are more pages than Chromium has processes. Only Chromium can stop
// a page that escapes from JavaScript, or DOM.describeNode on a node id in the same
// process.
package patches
