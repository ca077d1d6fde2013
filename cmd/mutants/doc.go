// Command mutants shows that the tests fail when a guard is removed.
//
// A guard is a short piece of the product that prevents a serious fault, such as a click
// that is done twice or a tab that another session can close. The file guards.txt lists
// the guards, each with the tests that must fail without it. A mutant is a file of the product
// from which the guard was removed. The command removes one guard after another, runs the tests
// of the guard and expects them to fail. It prints a table and exits with status 1 if a mutant
// survives (a test passes without the guard) or does not compile, if a test does not exist or
// fails with the guard in place, or if a guard's code does not occur exactly once in its file.
// Arguments choose guards by a part of their name, file or test.
//
// The tree is not changed: the go command reads the mutated file in place of the original
// (go help build, -overlay). Do not edit the tree during a run: the tests would run the edited
// code. The command kills the processes that a mutant's tests leave running. It finds them because
// they are its descendants, and not by name. It imports no other package of the project.
//
// In guards.txt an empty line ends a guard:
//
//	guard  closeTarget for another session's target is answered, not forwarded
//	file   patches/rules_target.go
//	-      if !m.owns(s.client.tenant, id)
//	+      if false
//	test   ./patches TestVectors/foreign-objects-do-not-exist
//
// The - lines are code that occurs once in the file, and the + lines replace it. The code
// may begin and end within a line. White space in it matches any white space, so that code
// may continue on the next line of the file. The + lines may be missing or empty. A test
// is a package and a pattern for go test -run. If a guard has several tests, each must fail. A
// line that begins with # is a comment.
package main
