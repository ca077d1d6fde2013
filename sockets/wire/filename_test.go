package wire

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFileName(t *testing.T) {
	for _, test := range []struct{ suggested, want string }{
		{"report.txt", "report.txt"},
		{"Übersicht 2026 (final).pdf", "Übersicht 2026 (final).pdf"},
		{"../../etc/passwd", "passwd"},
		{`C:\Users\me\x.txt`, "x.txt"},
		{"..", "download"},
		{".", "download"},
		{"", "download"},
		{"  ", "download"},
		{".bashrc", "_bashrc"},
		{"-rf", "_rf"},
		{"a\x00b\nc\x1b[31m.txt", "a_b_c_[31m.txt"},
		{"what?.txt ", "what_.txt"},
		{"trailing/", "download"},
		{"\xff\xfe.bin", "_.bin"},
	} {
		if got := FileName(test.suggested); got != test.want {
			t.Errorf("FileName(%q) = %q, want %q", test.suggested, got, test.want)
		}
	}
	long := FileName(strings.Repeat("ü", 400) + ".tar.gz")
	if len(long) > maxFileName || !strings.HasSuffix(long, ".gz") || !utf8.ValidString(long) {
		t.Errorf("a long name becomes %q of %d bytes", long, len(long))
	}
}

func TestNumberedName(t *testing.T) {
	for n, want := range []string{"report.txt", "report (1).txt", "report (2).txt"} {
		if got := NumberedName("report.txt", n); got != want {
			t.Errorf("NumberedName(%d) = %q, want %q", n, got, want)
		}
	}
}
