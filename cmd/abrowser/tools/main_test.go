//go:build linux

package tools

import (
	"os"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
)

func TestMain(m *testing.M) { os.Exit(e2e.Main(m)) }
