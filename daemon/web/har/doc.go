// Package har writes HTTP archives (HAR 1.2) of the requests of a session's pages.
//
// An entry is written to a journal on disk as soon as its request is over, so that a daemon
// that is killed loses only requests in progress. The archive is made from the journal. This
// package needs no browser, because daemon/web gets the headers and bodies from Playwright.
package har
