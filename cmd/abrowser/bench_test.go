//go:build linux

package main_test

import (
	"fmt"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
)

// The benchmarks measure the time from the start of a command's process to its end.

func BenchmarkGetTitle(b *testing.B) {
	h := e2e.NewHome(b)
	h.Text(b, "task", "open", site.Start(b).URL("/"))
	for b.Loop() {
		h.Text(b, "task", "get", "title")
	}
}

func BenchmarkClick(b *testing.B) {
	h := e2e.NewHome(b)
	h.Text(b, "task", "open", site.Start(b).URL("/"))
	for b.Loop() {
		h.Text(b, "task", "click", "#button")
	}
}

func BenchmarkOpen(b *testing.B) {
	h := e2e.NewHome(b)
	s := site.Start(b)
	h.Text(b, "task", "open", s.URL("/"))
	for b.Loop() {
		h.Text(b, "task", "open", s.URL("/page/one"))
	}
}

// BenchmarkFirstCommand measures the first command of a task while the browser runs already.
func BenchmarkFirstCommand(b *testing.B) {
	h := e2e.NewHome(b)
	s := site.Start(b)
	h.Text(b, "first", "open", s.URL("/"))
	number := 0
	for b.Loop() {
		number++
		h.Text(b, fmt.Sprintf("task_%d", number), "open", s.URL("/page/one"))
		b.StopTimer()
		h.Text(b, fmt.Sprintf("task_%d", number), "close", "--page")
		b.StartTimer()
	}
}

// BenchmarkColdStart measures the first command of a task while no browser and no daemon runs.
func BenchmarkColdStart(b *testing.B) {
	s := site.Start(b)
	h := e2e.NewHome(b)
	for b.Loop() {
		h.Text(b, "task", "open", s.URL("/page/one"))
		b.StopTimer()
		h.Text(b, "task", "close", "--all")
		h.Text(b, "task", "browser", "stop")
		b.StartTimer()
	}
}
