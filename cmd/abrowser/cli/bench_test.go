package cli

import (
	"testing"

	"github.com/abrowser/abrowser/sockets/verbs"
)

// BenchmarkWarmCommand measures parsing, resolving settings, one request to a running daemon, and
// printing. It starts no process for the command, and the daemon answers without a page.
func BenchmarkWarmCommand(b *testing.B) {
	bench := newBench(b)
	bench.serve("default", answers(verbs.GetURL, verbs.PageURL{URL: "about:blank"}))
	for b.Loop() {
		if _, stderr, status := bench.run("get", "url"); status != 0 {
			b.Fatal(stderr)
		}
	}
}
