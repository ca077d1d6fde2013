// Package apps serves real web apps from the npm registry, for tests and measurements of what an
// agent reads and uses. The packages have pinned versions and hashes. They are downloaded once,
// into the directory of [Dir], for all users of this Go package. The pages are small: they give
// each app a fixed content. A page loads nothing from any other server.
//
// [Start] is for tests. [Serve] is for programs without a [testing.TB].
package apps
