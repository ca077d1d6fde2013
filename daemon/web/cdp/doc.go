// Package cdp implements the daemon's direct connection to its session's CDP endpoint. Playwright
// has a connection of its own to that endpoint. Commands that Playwright would only pass on are
// sent over the direct connection, which is faster than through Playwright's driver.
//
// The package matches responses with commands. The package daemon/web decides which commands are
// sent to a page. The package ignores the browser's events, because Playwright reports them. The
// only exceptions are the two events for which [Conn.Read] calls a function.
package cdp
