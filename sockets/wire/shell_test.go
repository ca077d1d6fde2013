package wire

import "testing"

func TestShellWord(t *testing.T) {
	for s, want := range map[string]string{
		"":                         "''",
		"/tmp/a-b_c.d":             "/tmp/a-b_c.d",
		"http://127.0.0.1:9222":    "http://127.0.0.1:9222",
		"my browser":               "'my browser'",
		"it's":                     `'it'\''s'`,
		"http://x/?token=a&b=$(c)": "'http://x/?token=a&b=$(c)'",
	} {
		if got := ShellWord(s); got != want {
			t.Errorf("ShellWord(%q) = %s, want %s", s, got, want)
		}
	}
}
