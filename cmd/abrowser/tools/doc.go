// Package tools runs programs of others that speak CDP, unmodified and at pinned versions, in
// sessions of abrowser. Its tests show that `abrowser cdp` gives each of them what it finds in a
// browser of its own, and what the sessions of one browser share: its logins, and nothing else.
//
// The programs come from the npm registry. testdata/package-lock.json has the version and the hash of
// each of them and of all that they depend on. They are installed once, into the directory of [Dir].
package tools
