package args

import (
	"slices"
	"testing"
)

func TestSplit(t *testing.T) {
	tests := []struct {
		command string
		want    []string
	}{
		{`get text h1`, []string{"get", "text", "h1"}},
		{`  a   b `, []string{"a", "b"}},
		{`fill '#a' "x \"y\" \n"`, []string{"fill", "#a", `x "y" \n`}},
		{`a 'b'"c"d`, []string{"a", "bcd"}},
		{`a '' ""`, []string{"a", "", ""}},
		{`a\ b \'`, []string{"a b", "'"}},
		{`'\'`, []string{`\`}},
		{"ä\tö", []string{"ä", "ö"}},
		{``, nil},
	}
	for _, tt := range tests {
		if got, err := Split(tt.command); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("Split(%q) = %q, %v, want %q", tt.command, got, err, tt.want)
		}
	}
	for _, bad := range []string{`'a`, `"a`, `a\`} {
		if got, err := Split(bad); err == nil {
			t.Errorf("Split(%q) = %q, want an error", bad, got)
		}
	}
}
