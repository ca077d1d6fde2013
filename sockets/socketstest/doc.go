// Package socketstest runs parts of a test in other processes, and makes tests fail that
// leave goroutines behind.
//
// The tests of sockets and of the packages around it use it. It imports no package of the
// project, so that each of them can import it.
package socketstest
