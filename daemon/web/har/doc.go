// Package har writes HTTP archives (HAR 1.2) of the requests of a session's pages.
//
// An entry is in a journal on disk as soon as its request is over, so that a daemon that
// is killed loses none. The archive is made of the journal. daemon/web makes the entries:
// it asks Playwright for the headers and bodies, and this package knows no browser.
package har
