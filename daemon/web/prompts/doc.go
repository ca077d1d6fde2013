// Package prompts decides about the requests for which a browser would prompt a person: pages
// request permissions, notifications and files. The package applies the session's policies, adds
// its decisions to the notices, and keeps the questions that a person answers by a command. It
// needs no page, because daemon/web passes it the requests of pages.
package prompts
