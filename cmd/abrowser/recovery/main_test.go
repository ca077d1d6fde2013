//go:build linux

package recovery_test

import (
	"os"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
)

func TestMain(m *testing.M) { os.Exit(e2e.Main(m)) }
