// Package verbs declares every verb of abrowser: its input, its output and its
// description.
//
// [All] lists them in the order of the help. A new verb is one declaration here, one
// handler in the daemon or the broker, and one transcript; flags, requests, MCP tools,
// help and README follow from the declaration. The package handles no verb and does no
// input or output.
package verbs
