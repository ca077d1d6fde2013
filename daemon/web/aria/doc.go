// Package aria reads the accessibility snapshots that Playwright makes of a page, and prints
// them as abrowser shows them: filtered, and with refs that are valid for a whole session. The
// package needs no browser, because daemon/web takes the snapshots and assigns the refs.
package aria
