// Package aria reads the accessibility snapshots that Playwright makes of a page, and prints
// them as abrowser shows them: filtered, and with refs that are valid for a whole session. It
// needs no browser: daemon/web takes the snapshots and gives out the refs.
package aria
