// Package prompts decides about what pages ask a person for: permissions, notifications and
// files. It applies the session's policies, adds each decision to the notices, and keeps the
// questions that a person answers by a command. It needs no page: daemon/web passes the
// requests of pages on.
package prompts
