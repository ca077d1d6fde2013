// Package cdp implements the daemon's direct connection to its session's CDP endpoint, beside
// Playwright's connection. Commands that Playwright would only pass on are sent directly, which
// saves the way through Playwright's driver.
//
// The package matches responses with commands. Which commands are sent to a page is decided by
// daemon/web. Events of the browser are ignored, since Playwright reports them.
package cdp
