// Package web is the daemon's backend for Chromium. It controls a session's pages through
// Playwright and CDP, and serves the verbs that need a page. It is the only package that
// imports playwright-go.
//
// A page is reached in two ways. Playwright's driver, which is a Node process, waits for
// elements, loads documents and reports events. The fast path sends CDP commands over a direct
// connection, which leads from the daemon to the session's endpoint without the driver. It
// runs scripts, reads values, and clicks or fills an element that is ready at once. If the fast
// path cannot perform an action, it refuses before it has done anything, and the driver
// performs the action.
//
// The comments use these terms:
//
//   - A verb is an operation, such as click. A command is a call of a verb.
//   - The broker is the process through which sessions share one browser. It serves a CDP
//     endpoint for each session, which shows only the session's pages.
//   - Commands that use a page run one at a time. They wait in a queue, and a command whose turn
//     has come has a ticket. Deferred work is work of a command that is done after its reply,
//     and before the next command's turn.
//   - A navigation is committed when the new document has replaced the old one in the page. The
//     new document need not be parsed yet. Each page counts its commits.
//   - A capture is a snapshot by Playwright. A ref, such as e3, is a name that a snapshot gives
//     to an element. Playwright has refs of its own, which are valid until the next capture.
//
// The packages below need no page: cdp is the direct connection, aria reads snapshots, refs
// numbers their elements, har writes recordings of requests, address completes URLs, dialogs
// answers dialogs, downloads knows the session's downloads, cookiefile reads copied cookies, and prompts decides about a page's
// requests for permissions, notifications and files. Package cookies sends CDP commands to a page, and
// packages console and traffic ask the driver.
package web
