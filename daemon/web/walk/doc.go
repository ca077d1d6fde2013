// Package walk has no code of its own. Its tests walk through real web apps. They compare the refs
// of each app's snapshot with what the browser reports about the page's elements, and click every
// ref.
package walk
