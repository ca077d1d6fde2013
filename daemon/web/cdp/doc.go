// Package cdp is the daemon's own connection to its session's CDP endpoint, beside
// Playwright's. A question that Playwright would only pass on is sent over it directly,
// which saves the way through Playwright's driver.
//
// The package knows messages and their responses: daemon/web, which uses it, knows pages
// and what to ask them. Events are ignored, since Playwright reports them.
package cdp
