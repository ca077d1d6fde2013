// Package tools runs programs of other projects that speak CDP, unmodified and at pinned versions,
// in sessions of abrowser. Its tests show that each program works with `abrowser cdp` as it does
// with a browser of its own, and that the sessions of one browser share its logins and nothing
// else. [Work] makes a program do many steps in any browser, for the measurements of cmd/bench.
//
// The programs come from the npm registry. testdata/package-lock.json has the versions and hashes
// of the programs and of all their dependencies. They are installed once, into the directory of
// [Dir].
package tools
