package commands

import (
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/args"
)

func TestPatience(t *testing.T) {
	tests := []struct {
		args string
		want time.Duration
	}{
		{"click a", defaultPatience},
		{"click a --timeout 300", 300 * time.Millisecond},
		{"open x --timeout 90000", 90 * time.Second},
		{"wait 60000", time.Minute},
		{"wait 10", defaultPatience},
		{"wait '#a' --timeout 40000", 40 * time.Second},
		{"wait 9223372036854775807", maxPatience},
	}
	for _, tt := range tests {
		words, err := args.Split(tt.args)
		if err != nil {
			t.Fatal(err)
		}
		l, err := args.Parse(words)
		if err != nil {
			t.Fatal(err)
		}
		if got := newCall(l.Verb, l.Params).patience(); got != tt.want {
			t.Errorf("%s: patience() = %v, want %v", tt.args, got, tt.want)
		}
	}
}
