// Package e2e is what the end-to-end tests have in common. They run the built
// command as a person or a task manager would, and look at what it does from outside:
// by /proc, the file system and the pages' own reports. [Main] builds it once,
// fetches the driver once, and fails the run when anything is left that was not
// there before.
//
// The packages that use it are cmd/abrowser (the commands themselves) and, below it,
// isolation (a task and the others), modes (attached, headed and incognito browsers, and
// policies), soak (answers compared with what the pages counted), faults (processes that
// are killed, frozen or restarted) and recovery (damaged files, and idle sessions).
package e2e
