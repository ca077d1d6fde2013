//go:build linux

package web_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// Sessions that have ended leave nothing behind, neither in the processes that serve all sessions
// nor in this process, which runs their daemons. The sessions run one after the other, since
// playwright-go cannot start two drivers at a time in one process.
func TestSessionsLeaveNothing(t *testing.T) {
	const warm = 5
	rounds := 20
	if os.Getenv("ABROWSER_TEST_LONG") != "" {
		rounds = 200
	}
	web := site.Start(t)
	stays := startWithSecret(t, web)
	cycles := func(n int) {
		for range n {
			s := home.Start(t)
			open(t, s, web.URL("/secret"))
			do(t, s, verbs.Close, verbs.CloseIn{Page: true})
			s.End(t)
		}
	}
	cycles(warm) // creates the resources that are created only once
	brokerGoroutines := goroutinesOfBroker(t)
	cycles(warm) // creates the resources that the new broker creates only once
	before := holdings(t)
	cycles(rounds)
	after, more := before, []string(nil)
	// No event announces that the resources are released.
	for end := time.Now().Add(15 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		after = holdings(t)
		if more = after.beyond(before); len(more) == 0 {
			break
		}
	}
	t.Logf("before %v\nafter %v", before, after)
	for _, what := range more {
		t.Error(what)
	}
	if t.Failed() {
		var all strings.Builder
		_ = pprof.Lookup("goroutine").WriteTo(&all, 1) // a strings.Builder returns no error
		t.Logf("our goroutines:\n%.8000s", all.String())
	}
	if now := goroutinesOfBroker(t); now > brokerGoroutines+5 { // connections of clients come and go
		t.Errorf("the broker has %d goroutines, had %d", now, brokerGoroutines)
	} else {
		t.Logf("the broker has %d goroutines, had %d", now, brokerGoroutines)
	}
	stays.check(t)
}

// held counts the resources that processes hold, by kind.
type held map[string]int

// holdings counts the resources of this process and of the processes that serve all sessions.
func holdings(t *testing.T) held {
	t.Helper()
	runtime.GC()
	h := held{"goroutines": runtime.NumGoroutine(), "processes": len(home.Processes())}
	status := brokerStatus(t)
	for name, pid := range map[string]int{"daemons": os.Getpid(), "keeper": status.KeeperPID, "broker": status.BrokerPID, "driver": sharedDriver(t)} {
		h[name+" descriptors"], h[name+" KB"] = descriptors(t, pid), memory(t, pid)
	}
	return h
}

// beyond describes the counts that are larger than before by more than their usual variation.
func (h held) beyond(before held) []string {
	// The process of a daemon ends with its session, so its memory does not matter here.
	slack := map[string]int{
		"goroutines": 10, "processes": 2, "daemons descriptors": 10, "keeper descriptors": 0, "broker descriptors": 4, "driver descriptors": 4,
		"daemons KB": 1 << 30, "keeper KB": 4 << 10, "broker KB": 16 << 10, "driver KB": 48 << 10,
	}
	var more []string
	for _, what := range slices.Sorted(maps.Keys(h)) {
		if h[what] > before[what]+slack[what] {
			more = append(more, fmt.Sprintf("%s: %d, were %d", what, h[what], before[what]))
		}
	}
	return more
}

func memory(t *testing.T, pid int) (kb int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, size, _ := strings.Cut(string(status), "VmRSS:")
	if kb, err = strconv.Atoi(strings.Fields(size)[0]); err != nil {
		t.Fatal(err)
	}
	return kb
}

func brokerStatus(t *testing.T) verbs.BrowserStatusOut {
	t.Helper()
	c := client.Client{Endpoint: home.Broker(t)}.KeepAlive()
	defer func() { _ = c.Close() }() // nothing was written through it
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	status, _, err := client.Do(ctx, c, verbs.BrowserStatus, verbs.Empty{})
	if err != nil {
		t.Fatal(err)
	}
	return status
}

// goroutinesOfBroker ends the broker by a signal on which it prints its goroutines, and returns
// their number. The keeper, which watches the broker, starts a new one.
func goroutinesOfBroker(t *testing.T) int {
	t.Helper()
	log := home.Broker(t).Log
	length := func() int64 {
		info, err := os.Stat(log)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	from := length()
	pid := brokerStatus(t).BrokerPID
	if err := syscall.Kill(pid, syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	// No event announces the end of the broker.
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join("/proc", strconv.Itoa(pid))); err != nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the broker does not end")
		}
	}
	said, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	n := bytes.Count(said[from:], []byte("\ngoroutine "))
	if n == 0 {
		t.Fatalf("the broker did not print its goroutines:\n%s", said[from:])
	}
	return n
}
