package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// A command whose answer cannot be written fails with an error. Only Linux has /dev/full.
func TestStdoutThatCannotBeWritten(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer closing(t, full)
	var errs strings.Builder
	p := printer{out: full, err: &errs}
	if status := p.answer(verbs.SessionOut{Session: "a"}, nil); status != wire.ExitFailed || !strings.Contains(errs.String(), "no space left") {
		t.Errorf("status %d, %q", status, errs.String())
	}
}
