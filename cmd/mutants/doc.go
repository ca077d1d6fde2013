// Command mutants shows that the tests notice when a guard is gone.
//
// A guard is a few lines of the product without which something goes wrong that
// must not: guards/*.txt lists them, each with the tests that are there for it. The
// command copies the tree to a temporary directory, takes out one guard after
// another, runs its tests and expects them to fail. It ends with a table and with
// status 1 where a mutant survives, does not compile, or where a guard's text is
// not in its file exactly once; arguments choose guards, by a part of their area,
// name, file or test.
//
// It knows nothing of what it takes out and imports nothing of ours. Whatever a
// mutant's tests leave running is ended, by the process tree and never by name. The
// tree itself is only read.
//
// A guards file holds blocks with an empty line between them:
//
//	guard  a foreign closeTarget is answered, not forwarded
//	file   patches/rules_target.go
//	-	if !s.client.owner.owns(id) {
//	+	if false {
//	test   ./patches TestVectors/foreign-close
//
// The - lines are whole consecutive lines of the file, the + lines, which may be
// none, take their place. A test is a package and a pattern for go test's -run; each
// has to fail. A line that begins with # is a remark.
package main
