// Package socketstest lets the tests of sockets and of what is below it play other
// processes, and fails them where a goroutine is left.
//
// It imports nothing of ours, so that each of those packages can import it.
package socketstest
