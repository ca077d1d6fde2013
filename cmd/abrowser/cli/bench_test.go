package cli

import (
	"testing"

	"github.com/abrowser/abrowser/sockets/verbs"
)

// What a warm command costs beside the process and the page: reading it, its
// settings, one exchange with the daemon, and printing.
func BenchmarkWarmCommand(b *testing.B) {
	bench := newBench(b)
	bench.serve("default", answers(verbs.GetURL, verbs.PageURL{URL: "about:blank"}))
	for b.Loop() {
		if _, stderr, status := bench.run("get", "url"); status != 0 {
			b.Fatal(stderr)
		}
	}
}
