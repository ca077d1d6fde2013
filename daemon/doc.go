// Package daemon is one session: its pages, its refs, its dialogs, and the
// handlers of every verb that a session answers. It is the only package that
// drives Playwright.
//
// One process runs one session. Page verbs run one after the other, in order of
// arrival; control verbs never wait for a page. The daemon owns no browser: it
// asks for one to be made to run, connects to the session's own endpoint at the
// browser's broker, and leaves its pages behind when it ends. Which pages are the
// session's is the broker's knowledge and never guessed here.
//
// Two ways lead to a page. Playwright's, through its driver, knows how to wait and how to
// load, and tells of what happens. Our own connection asks the page itself what is one
// question: scripts, getters, and a click or a fill on an element that is ready. What it
// cannot do is left to Playwright, and nothing was done then.
//
// The invariant: what a command was to do is done once, on the page it was meant
// for, or not at all, and where that cannot be known the answer says so.
package daemon
