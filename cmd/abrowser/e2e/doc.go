// Package e2e contains the helpers of the end-to-end tests. The tests run the built command as a
// person or a task manager would, and observe it from outside: through /proc, the file system
// and the requests that the pages send. [Main] builds the command once, downloads Playwright's
// driver once, and fails the run if a process, socket or file is left after the tests.
//
// The packages that use e2e are cmd/abrowser (the commands themselves) and, below it,
// isolation (tasks do not affect each other), modes (attached, headed and incognito browsers,
// and policies), soak (answers compared with what the pages counted), faults (processes that
// are killed, frozen or restarted) and recovery (damaged files, and idle sessions).
package e2e
