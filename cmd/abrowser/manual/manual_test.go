package manual

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/verbs"
)

func TestPage(t *testing.T) {
	page := Page("v1", verbs.All())
	for _, want := range []string{`.TH ABROWSER 1 "" "abrowser v1"`, `\fBclick SELECTOR [flags]\fR`, `Example: abrowser scroll down 500`, ".SH EXIT STATUS"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if strings.Contains(page, "broker") && strings.Contains(page, "broker claim") {
		t.Error("the page shows hidden verbs")
	}
	if got := text(".a-b\\"); got != `\&.a\-b\e` {
		t.Errorf("text = %q", got)
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Log("groff is not installed, so the page was not formatted")
		return
	}
	cmd := exec.CommandContext(t.Context(), groff, "-man", "-Tutf8", "-ww")
	var complaints strings.Builder
	cmd.Stdin, cmd.Stderr = strings.NewReader(page), &complaints
	if err := cmd.Run(); err != nil || complaints.Len() > 0 {
		t.Errorf("groff: %v: %s", err, &complaints)
	}
}
