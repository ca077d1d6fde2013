// Package web is the daemon's backend for Chromium: it drives a session's pages by Playwright
// and by CDP, and serves the verbs that need a page. It is the only package that imports
// playwright-go.
//
// A page is reached in two ways. Playwright, through its driver, waits for elements, loads
// documents and reports events. The session's own CDP connection asks the page directly what
// takes one question: scripts, getters, and a click or a fill on an element that is ready at
// once. This fast path refuses what it cannot do before it has done anything, and then
// Playwright does it.
//
// The packages below need neither a page nor Playwright: cdp is the connection, aria reads
// snapshots, har writes recordings of requests, prompts decides what a page may.
package web
