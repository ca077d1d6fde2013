// Package daemon serves one session. It decides which command runs and for which agent, and it
// recovers when the browser or a connection to it is lost. A [Backend], such as the one in
// daemon/web, drives the pages. This package contains no code for pages.
//
// One process serves one session. Commands that use a page run one after the other, in order of
// arrival. A few of these commands, such as get url, wait for their turn for at most 1 s. After
// that, the daemon answers them from its own data, if it has the data. Commands that do not use a
// page run at once.
//
// The daemon does not own the browser. Sessions share a browser through its broker. The broker
// is a process that serves a CDP endpoint for each session, and it alone decides which pages
// belong to which session. The daemon asks the launcher to start the browser and the broker, and
// connects to its session's endpoint. When the daemon ends, the pages stay open.
//
// Every command is sent by an agent, which is identified by a name or a secret id. A client that
// sends neither acts as the agent with the session's name. A session belongs to the first agent
// that changes something in it. Other agents may only read, with one exception: the agent with
// the session's name may also act, unless the owner is an agent with a secret id.
//
// The invariant: a command takes effect exactly once, on the page that it was meant for, or not
// at all. If the daemon cannot find out which of the two happened, the reply says so.
package daemon
