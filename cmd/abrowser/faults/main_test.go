//go:build linux

package faults_test

import (
	"os"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
)

func TestMain(m *testing.M) {
	chaosFlags()
	os.Exit(e2e.Main(m))
}
