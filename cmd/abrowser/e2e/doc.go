// Package e2e is what the end-to-end tests have in common. They run the built
// command as a person or a task manager would, and look at what it does from outside:
// by /proc, the file system and the pages' own reports. [Main] builds it once,
// fetches the driver once, and fails the run when anything is left that was not
// there before.
//
// The tests are those of cmd/abrowser (the commands themselves), isolation (a task
// and the others), soak (answers compared with what the pages counted) and survival
// (what is killed, frozen, damaged or at rest).
package e2e
