package wire

import (
	"strings"
	"testing"
	"time"
)

// Errors shorten a long text of a caller or a page in the middle.
func TestLongTextInErrors(t *testing.T) {
	long := strings.Repeat("é", 1<<19)
	e := Errorf(CodeBadInput, "opening %s: not found", long).WithHint("ls -l %s", long)
	for _, text := range []string{e.Message, e.Hint, AsError(Errorf(CodeBusy, "x")).Message} {
		if len(text) > maxText+10 || strings.Contains(text, "\ufffd") {
			t.Errorf("the text has %d bytes: %.40q", len(text), text)
		}
	}
	if !strings.HasPrefix(e.Message, "opening é") || !strings.HasSuffix(e.Message, "é: not found") {
		t.Errorf("the message is %.40q ... %q", e.Message, e.Message[len(e.Message)-40:])
	}
}

// The choices for a mistyped text are found as fast for a text of a megabyte.
func TestNearestOfALongText(t *testing.T) {
	took := func(letters int) time.Duration {
		text := "chromium" + strings.Repeat("m", letters)
		began := time.Now()
		for range 100 {
			MostSimilar(text, []string{"chromium", "chrome"}, 1)
		}
		return time.Since(began)
	}
	short := took(1000)
	if long := took(1 << 20); long > 20*short+time.Second {
		t.Errorf("100 searches took %v, and %v for a text of 1,000 letters", long, short)
	}
}

func TestImpossiblePaths(t *testing.T) {
	for path, want := range map[string]bool{
		"": true, "/a/b": true, strings.Repeat("a", 255): true, strings.Repeat("a", 256): false,
		strings.Repeat("a/", 2047): true, strings.Repeat("a/", 2048): false, "a\x00b": false,
	} {
		if got := isPath(path); got != want {
			t.Errorf("isPath(%.20q of %d bytes) = %v, want %v", path, len(path), got, want)
		}
	}
}
