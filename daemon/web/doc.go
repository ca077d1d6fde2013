// Package web is the daemon's backend for Chromium: it drives a session's pages by Playwright
// and by CDP, and serves the verbs that need a page. It is the only package that imports
// playwright-go.
//
// A page is reached in two ways. Playwright, through its driver, a Node process, waits for
// elements, loads documents and reports events. The fast path sends CDP commands over the
// daemon's own connection to the session's endpoint: it runs scripts, reads values, and clicks
// or fills an element that is ready at once. If the fast path cannot perform an action, it
// refuses before it has done anything, and Playwright performs the action.
//
// The packages below need neither a page nor Playwright: cdp is the direct connection, aria
// reads snapshots, har writes recordings of requests, and prompts decides about a page's
// requests for permissions, notifications and files.
package web
