//go:build linux

// Package answers_test checks what the commands answer: each to its example, to a command line that
// fails, and to hostile text.
package answers_test

import (
	"flag"
	"os"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
)

func TestMain(m *testing.M) {
	flag.Bool("update", false, "write the answers to testdata/answers.txt")
	os.Exit(e2e.Main(m))
}
