// Package review serves the page on which a person looks at the tabs of all tasks, takes them over,
// answers what tasks ask, and closes tabs.
//
// The server is a client like any other: whatever it shows and does goes through verbs of the
// daemons and brokers. It stores nothing but which tabs are about to be closed.
//
// Package loopback keeps web pages, other users and other machines out. In addition, the page needs
// a cookie, which a browser gets once for the link that the command prints. The cookie is bound to
// the server's random path, because servers on other ports of 127.0.0.1 would get it otherwise.
//
// The invariant: text of pages and tasks reaches the page as data and is shown as text, never as
// markup.
package review
