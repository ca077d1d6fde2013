// Package har writes HTTP archives (HAR 1.2) of the requests of a session's pages.
//
// An entry is written to a journal on disk as soon as its request is over, so that a daemon
// that is killed loses only requests in progress. The archive is made from the journal.
// daemon/web makes the entries: it asks Playwright for the headers and bodies. This package
// needs no browser.
package har
