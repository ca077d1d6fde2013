// Package socketstest runs parts of a test in other processes, and fails a test run that
// leaves goroutines running.
//
// A part that runs in another process is called a role. Package socketstest imports no
// package of the project, so that the tests of every package can import it.
package socketstest
