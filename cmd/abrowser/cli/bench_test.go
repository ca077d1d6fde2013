package cli

import (
	"testing"

	"github.com/abrowser/abrowser/sockets/verbs"
)

// BenchmarkWarmCommand measures a command to a running daemon without the start of a process and
// without a page: parsing, resolving settings, one request, and printing.
func BenchmarkWarmCommand(b *testing.B) {
	bench := newBench(b)
	bench.serve("default", answers(verbs.GetURL, verbs.PageURL{URL: "about:blank"}))
	for b.Loop() {
		if _, stderr, status := bench.run("get", "url"); status != 0 {
			b.Fatal(stderr)
		}
	}
}
