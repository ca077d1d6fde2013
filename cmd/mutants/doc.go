// Command mutants shows that the tests fail when a guard is removed.
//
// A guard is a short piece of the product's code that prevents a serious fault, such as a click
// that is done twice or a tab that another session can close. The file guards.txt lists the guards,
// each with the tests that must fail without it. A mutant is a file of the product from which the
// guard was removed. The command removes one guard after another, runs the guard's tests and
// expects them to fail. It prints a table. It exits with status 1 in any of these cases:
//
//   - A mutant survives: a test passes without the guard.
//   - A mutant does not compile.
//   - A test does not exist, or fails with the guard in place.
//   - A guard's code does not occur exactly once in its file.
//
// Arguments choose guards by a part of their name, file or test.
//
// The source tree is not changed: the go command reads the mutated file in place of the original
// (see -overlay in go help build). Do not edit the source tree during a run, because the tests
// would run the edited code. After a test, the command kills the processes that the test has left
// running. It finds them as its descendants, and not by their names. It imports no other package of
// the project.
//
// In guards.txt an empty line ends a guard:
//
//	guard  closeTarget for another session's target is answered, not forwarded
//	file   patches/rules_target.go
//	-      if !m.owns(s.client.tenant, id)
//	+      if false
//	test   ./patches TestVectors/foreign-objects-do-not-exist
//
// The - lines are code that occurs once in the file, and the + lines replace this code. The code
// may begin and end within a line. White space in the - lines matches any white space, so the code
// may continue on the next line of the file. The + lines may be missing or empty. A test is a
// package and a pattern for go test -run. If a guard has several tests, each of them must fail. A
// line that begins with # is a comment.
package main
