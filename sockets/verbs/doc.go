// Package verbs declares every verb of abrowser: its input, its output and its description.
// A verb is an operation such as click. Package wire defines this term and the terms session,
// daemon, broker, agent and policy.
//
// [All] lists the verbs in the order of the help. A new verb is one declaration here, one
// handler in the daemon, the broker or the command line, and one transcript. A transcript is a
// test of the command in cmd/abrowser/testdata/script. Flags, requests, MCP tools, help and the
// tables of README.md and COMMANDS.md are derived from the declaration. The package handles no
// verb. It reads and writes no file, but some checks of inputs look whether a file exists and
// how large it is.
//
// The declarations use these terms:
//
//   - A session is live while its daemon is connected to the broker. When the daemon has
//     ended, the session is released, and so are its tabs: they stay open for review, until
//     [TabPrune] or a person closes them.
//   - The extra tabs of a live session are all its tabs but the first. The agents of a browser
//     share a limited number of extra tabs, the pool; a slot in the pool is the permission to
//     open one.
//   - An external browser is a browser that abrowser attached to and did not start.
package verbs
