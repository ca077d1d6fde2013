//go:build linux

package main_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	navigations = 20
	rounds      = 20
	tasks       = 10
)

// Two tasks started in the same instant: the site answers none of a round's two
// requests before it has both, so neither task can be ahead, and each must see its
// own page every time. Somebody who watches the browser itself sees two new pages.
func TestTwoTasksSideBySide(t *testing.T) {
	s := site.Start(t)
	h := newRacedHome(t)
	watch := observe(t, h)
	h.text(t, "first", "open", s.URL("/page/first"))
	before := watch.pages(t)

	var together sync.WaitGroup
	for _, task := range []string{"left", "right"} {
		together.Go(func() {
			for round := range navigations {
				if err := navigate(h, s, task, round); err != nil {
					t.Errorf("task %s, navigation %d: %v", task, round, err)
					return
				}
			}
		})
	}
	together.Wait()

	after := watch.pages(t)
	maps.DeleteFunc(after, func(id, _ string) bool { return before[id] != "" })
	if len(after) != 2 {
		t.Errorf("the browser has %d new pages, want 2: %v", len(after), after)
	}
}

func navigate(h *home, s *site.Site, task string, round int) error {
	address := s.URL(fmt.Sprintf("/meet/%d/%s", round, task))
	want := fmt.Sprintf("%s in round %d", task, round)
	opened, err := tryAsk[wire.OpenOut](h, task, "open", address)
	if err != nil {
		return err
	}
	if opened.URL != address || opened.Title != want {
		return fmt.Errorf("open answered %q at %s, want %q at %s", opened.Title, opened.URL, want, address)
	}
	shown, err := tryAsk[wire.GetTextOut](h, task, "get", "text", "h1")
	if err == nil && shown.Value != want {
		err = fmt.Errorf("the page says %q, want %q", shown.Value, want)
	}
	return err
}

// Ten tasks, three first commands at once in each, nothing running, and what a
// crash leaves lying about: one daemon a task, one broker, one browser, a page
// each, and no command fails.
func TestTenTasksColdAtOnce(t *testing.T) {
	n := rounds
	if testing.Short() {
		n = 2
	}
	s := site.Start(t)
	for round := range n {
		t.Run(fmt.Sprint(round), func(t *testing.T) { tenTasksCold(t, s) })
	}
}

func tenTasksCold(t *testing.T, s *site.Site) {
	h := newHome(t)
	names := make([]string, tasks)
	for i := range names {
		names[i] = fmt.Sprintf("task_%d", i)
	}
	leaveRubbish(t, h, names)

	var together sync.WaitGroup
	gate := make(chan struct{})
	for _, name := range names {
		for _, args := range [][]string{{"open", s.URL("/page/" + name)}, {"eval", "1 + 1"}, {"snapshot"}} {
			together.Go(func() {
				<-gate
				if r := h.try(name, args...); r.status != wire.ExitDone {
					t.Errorf("session %s: %s", name, r)
				}
			})
		}
	}
	close(gate)
	together.Wait()

	for kind, want := range map[string]int{kindDaemon: tasks, kindKeeper: 1, kindBroker: 1, kindBrowser: 1} {
		if found := h.of(kind); len(found) != want {
			t.Errorf("%d processes of kind %s, want %d: %v", len(found), kind, want, found)
		}
	}
	owners := map[string]int{}
	for _, tab := range ask[wire.TabsOut](t, h, "task_0", "tab", "list", "--all").Tabs {
		owners[tab.SessionID]++
		if want := s.URL("/page/" + tab.SessionID); tab.URL != want {
			t.Errorf("session %s is at %s, want %s", tab.SessionID, tab.URL, want)
		}
	}
	for _, name := range names {
		if owners[name] != 1 {
			t.Errorf("session %s has %d tabs, want 1", name, owners[name])
		}
	}
	if len(owners) != tasks {
		t.Errorf("tabs of %d sessions, want %d: %v", len(owners), tasks, owners)
	}
}

// leaveRubbish leaves what killed processes leave: socket files on which nobody
// listens, and lock files that nobody holds.
func leaveRubbish(t *testing.T, h *home, names []string) {
	t.Helper()
	root := sockets.Root{Dir: h.dir}
	if err := root.Make(); err != nil {
		t.Fatal(err)
	}
	var places []sockets.Place
	for _, name := range names {
		p, err := root.Session(name)
		if err != nil {
			t.Fatal(err)
		}
		places = append(places, p)
	}
	browser, err := root.Browser("default")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range append(places, browser) {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: p.Socket, Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		l.SetUnlinkOnClose(false)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{p.Lock, p.Start} {
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte("4194304\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// observer looks at a browser from beside the product, through a debugging port
// that the test's own wrapper around the browser opens.
type observer struct{ profile string }

// observe makes the home's browser one that can be watched. It must be called
// before the browser starts.
func observe(t *testing.T, h *home) observer {
	t.Helper()
	wrapper := filepath.Join(h.outer, "browser")
	script := fmt.Sprintf("#!/bin/sh\nexec %s --remote-debugging-port=0 \"$@\"\n", browserPath(t))
	if err := os.WriteFile(wrapper, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	h.env = append(h.env, "ABROWSER_EXECUTABLE_PATH="+wrapper)
	return observer{profile: filepath.Join(h.dir, "profiles", "default")}
}

// browserPath is the browser that the product finds by itself.
func browserPath(t *testing.T) string {
	t.Helper()
	h := &home{binary: os.Getenv(envBinary), outer: t.TempDir()}
	h.dir, h.cwd = filepath.Join(h.outer, "r"), h.outer
	h.env = []string{"ABROWSER_DRIVER_PATH=" + os.Getenv(envDriver)}
	for _, part := range ask[wire.PartsOut](t, h, "", "doctor").Parts {
		if part.Name != "browser" {
			continue
		}
		for _, word := range strings.Fields(part.Detail) {
			if word = strings.Trim(word, ",;:()"); strings.HasPrefix(word, "/") {
				return word
			}
		}
	}
	t.Fatal("doctor names no browser")
	return ""
}

// pages are the browser's pages, URLs by target id.
func (o observer) pages(t *testing.T) map[string]string {
	t.Helper()
	var targets []struct{ ID, Type, URL string }
	if err := json.Unmarshal(o.get(t, "/json/list"), &targets); err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, target := range targets {
		if target.Type == "page" {
			found[target.ID] = target.URL
		}
	}
	return found
}

// close closes a page as a person does with its tab.
func (o observer) close(t *testing.T, target string) {
	t.Helper()
	o.get(t, "/json/close/"+target)
	if !await(20*time.Second, func() bool { return o.pages(t)[target] == "" }) {
		t.Fatalf("the browser did not close page %s", target)
	}
}

func (o observer) get(t *testing.T, path string) []byte {
	t.Helper()
	var port string
	if !await(20*time.Second, func() bool {
		raw, err := os.ReadFile(filepath.Join(o.profile, "DevToolsActivePort"))
		port, _, _ = strings.Cut(string(raw), "\n")
		return err == nil && port != ""
	}) {
		t.Fatalf("the browser wrote no DevToolsActivePort below %s", o.profile)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:"+port+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&http.Client{Timeout: 20 * time.Second}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %s %v: %s", path, resp.Status, err, body)
	}
	return body
}
