//go:build linux

package main_test

import (
	"fmt"
	"testing"

	"github.com/abrowser/abrowser/daemon/daemontest/site"
)

// What a task waits for, from the start of the command to its end.

func BenchmarkGetTitle(b *testing.B) {
	h := newHome(b)
	h.text(b, "task", "open", site.Start(b).URL("/"))
	for b.Loop() {
		h.text(b, "task", "get", "title")
	}
}

func BenchmarkClick(b *testing.B) {
	h := newHome(b)
	h.text(b, "task", "open", site.Start(b).URL("/"))
	for b.Loop() {
		h.text(b, "task", "click", "#button")
	}
}

func BenchmarkOpen(b *testing.B) {
	h := newHome(b)
	s := site.Start(b)
	h.text(b, "task", "open", s.URL("/"))
	for b.Loop() {
		h.text(b, "task", "open", s.URL("/page/one"))
	}
}

// A task's first command where the browser runs already, as it does for all tasks
// but the first.
func BenchmarkFirstCommand(b *testing.B) {
	h := newHome(b)
	s := site.Start(b)
	h.text(b, "first", "open", s.URL("/"))
	number := 0
	for b.Loop() {
		number++
		h.text(b, fmt.Sprintf("task_%d", number), "open", s.URL("/page/one"))
		b.StopTimer()
		h.text(b, fmt.Sprintf("task_%d", number), "close", "--page")
		b.StartTimer()
	}
}

// The very first command: nothing runs.
func BenchmarkColdStart(b *testing.B) {
	s := site.Start(b)
	h := newHome(b)
	for b.Loop() {
		h.text(b, "task", "open", s.URL("/page/one"))
		b.StopTimer()
		h.text(b, "task", "close", "--all")
		h.text(b, "task", "browser", "stop")
		b.StartTimer()
	}
}
