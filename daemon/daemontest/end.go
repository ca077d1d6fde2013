package daemontest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// end stops the browser, and returns an error if a process, a socket or a temporary file is left.
func (h *Home) end() error {
	place, err := h.Root.BrowserOf(wire.Settings{})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	c := client.Client{Endpoint: place}.KeepAlive()
	_, _, err = client.Do(ctx, c, verbs.BrowserStop, verbs.BrowserStopIn{})
	if errors.Is(err, wire.CodeNotRunning) || errors.Is(err, wire.CodeResultUnknown) {
		err = nil
	}
	err = errors.Join(err, c.Close())
	for _, left := range h.leftovers(ctx) {
		err = errors.Join(err, fmt.Errorf("left over: %.200s", left))
	}
	if err != nil {
		err = errors.Join(err, h.logs())
		h.kill()
	}
	return errors.Join(err, os.RemoveAll(filepath.Dir(h.Root.Dir)))
}

// logs returns an error whose text contains the end of each log file, such as the broker's log.
func (h *Home) logs() error {
	const most = 8000
	var all error
	files, _ := filepath.Glob(h.Root.Path("log", "*")) // the pattern is valid
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil {
			all = errors.Join(all, fmt.Errorf("%s:\n%s", filepath.Base(file), text[max(0, len(text)-most):]))
		}
	}
	return all
}

// kill kills the processes that [Home.Processes] lists.
func (h *Home) kill() {
	for range 5 {
		for _, p := range h.Processes() {
			var pid int
			if _, err := fmt.Sscan(p, &pid); err == nil {
				_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
			}
		}
	}
}

// leftovers waits until no process, socket or temporary file is left. If ctx ends before that,
// leftovers returns the ones that still exist.
func (h *Home) leftovers(ctx context.Context) []string {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		left := h.Processes()
		for _, pattern := range []string{"run/*/*.sock", "state/tmp/*"} {
			found, _ := filepath.Glob(filepath.Join(h.Root.Dir, pattern)) // the pattern is valid
			left = append(left, found...)
		}
		if len(left) == 0 {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return left
		}
	}
}

// Processes lists the processes that have the home's directory in their command line or
// environment, except this process. Without /proc it lists none.
func (h *Home) Processes() []string {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	dir := []byte(filepath.Dir(h.Root.Dir) + "/")
	var found []string
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		// If these files cannot be read, the process has ended or belongs to another user.
		command, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		environ, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		if bytes.Contains(slices.Concat(command, environ), dir) {
			found = append(found, fmt.Sprintf("%d %s", pid, bytes.ReplaceAll(command, []byte{0}, []byte{' '})))
		}
	}
	return found
}
