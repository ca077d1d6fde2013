// Package e2e contains what the end-to-end tests share. The tests run the built command as a person or
// a task manager would, and observe it from outside: by /proc, the file system and the reports
// of the pages. [Main] builds the command once, fetches the driver once, and fails the run if
// it leaves a process, socket or file.
//
// The packages that use it are cmd/abrowser (the commands themselves) and, below it,
// isolation (a task and the others), modes (attached, headed and incognito browsers, and
// policies), soak (answers compared with what the pages counted), faults (processes that
// are killed, frozen or restarted) and recovery (damaged files, and idle sessions).
package e2e
