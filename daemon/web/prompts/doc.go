// Package prompts decides about the requests of pages for permissions, notifications and files. A
// browser would prompt a person for these. The package applies the session's policies, adds its
// decisions to the notices, and stores the questions that a person answers with a command. It
// needs no page, because daemon/web passes it the requests of pages.
package prompts
