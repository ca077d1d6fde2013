//go:build linux

package isolation_test

import (
	"bytes"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// fileSize is the size of a task's file. It is larger than any pipe or buffer through which the
// file passes.
const fileSize = 300_000

// filePath returns the path of a task's file on the site. The site sends half of it, waits until
// the task's gate is opened, and sends the rest slowly.
func filePath(task string) string {
	return "/file/" + task + "/report.txt?ms=20&gate=" + task + "&size=" + strconv.Itoa(fileSize)
}

// filesPage returns path with a query. The page of the site at the returned path has a link to the
// task's file.
func filesPage(path, task string) string { return path + "?to=" + url.QueryEscape(filePath(task)) }

// Two tasks download files of the same name at the same time, and each gets its own complete file.
// During the downloads, a third task begins, and one of the two tasks is closed.
func TestDownloadsOfTwoTasks(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewRacedHome(t)
	for _, task := range []string{"stays", "leaves"} {
		h.Text(t, task, "open", s.URL(filesPage("/files", task)))
	}
	dir := t.TempDir()
	cmd := h.Prepared(t.Context(), "stays", "download", "#save", "report.txt")
	cmd.Dir = dir
	staying, err := e2e.Start(cmd, cmd.Args[1:])
	if err != nil {
		t.Fatal(err)
	}
	out := e2e.Ask[verbs.ClickOut](t, h, "leaves", "click", "#save")
	if len(out.Downloads) != 1 || out.Downloads[0].SuggestedFilename != "report.txt" || out.Downloads[0].URL != s.URL(filePath("leaves")) {
		t.Errorf("the click reported the downloads %+v, want report.txt", out.Downloads)
	}
	if !e2e.Await(e2e.CommandDeadline, func() bool { return s.Requests("/file/stays/report.txt") > 0 }) {
		t.Fatal("the first task's download does not begin")
	}
	h.Text(t, "comes", "open", s.URL("/"))
	if e := h.Fails(t, wire.CodeTimeout, "comes", "wait", "--download", "--timeout", "300"); e.Hint == "" {
		t.Error("no download to wait for has no hint")
	}
	h.Text(t, "leaves", "close")
	if names := e2e.FilesBelow(dir); len(names) > 0 {
		t.Errorf("while the file is coming there is %q", names)
	}
	s.Open("leaves")
	s.Open("stays")
	if r := <-staying.Ended; r.Status != wire.ExitDone || r.Stdout != filepath.Join(dir, "report.txt")+"\n" {
		t.Errorf("%s", r)
	}
	wantFile(t, filepath.Join(dir, "report.txt"), "stays")
	other := t.TempDir()
	h.Text(t, "leaves", "wait", "--download", filepath.Join(other, "mine.txt"))
	wantFile(t, filepath.Join(other, "mine.txt"), "leaves")
	for task, dir := range map[string]string{"stays": dir, "leaves": other} {
		if names := e2e.FilesBelow(dir); len(names) != 1 {
			t.Errorf("%s has the files %q, want one", task, names)
		}
		h.Fails(t, wire.CodeTimeout, task, "wait", "--download", "--timeout", "300")
	}
	if left := kept(h); len(left) > 0 {
		t.Errorf("all files are fetched, but these are left: %q", left)
	}
}

// wantFile checks that a file has the content that the site sends for a task.
func wantFile(t *testing.T, path, task string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	} else if !bytes.Equal(got, site.FileContent(task, fileSize)) {
		t.Errorf("%s has %d bytes that begin with %.20q, want %d of %s", path, len(got), got, fileSize, task)
	}
}

// kept lists the files that the broker stores for downloads that no command has fetched yet.
func kept(h *e2e.Home) []string {
	var all []string
	dirs, _ := filepath.Glob(filepath.Join(h.Dir, "state", "downloads-*")) // the pattern is valid
	for _, dir := range dirs {
		all = append(all, e2e.FilesBelow(dir)...)
	}
	return all
}

// A download may begin in a nested frame, or in a tab that closes at once. Its file belongs to
// the task that clicked.
func TestDownloadsOfFramesAndTabs(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	s.Open("far")
	h := e2e.NewHome(t)
	h.Text(t, "near", "open", s.URL(filesPage("/files/frames", "far")))
	h.Text(t, "far", "open", s.URL(filesPage("/files/frames", "far")))
	dir := t.TempDir()
	tests := []struct {
		name, page, sel string // sel is a selector or, if frame is not 0, a link's name
		frame           int    // which of the links with this name is clicked, from 1; 0 for a selector
	}{
		{"frame", "/files/frames", "go", 1},
		{"frame of another site", "/files/frames", "go", 2},
		{"frame in a frame of another site", "/files/frames", "save", 3},
		{"tab", "/files", "#tab", 0},
		{"tab without an opener", "/files", "#noopener", 0},
		{"script", "/files", "#late", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h.Text(t, "far", "open", s.URL(filesPage(test.page, "far")))
			if test.frame > 0 {
				test.sel = link(t, h, "far", test.sel, test.frame)
			}
			out := e2e.Ask[verbs.DownloadOut](t, h, "far", "download", test.sel, dir)
			if out.SuggestedFilename != "report.txt" || out.Size != fileSize || filepath.Dir(out.Path) != dir {
				t.Errorf("the answer is %+v", out)
			}
			wantFile(t, out.Path, "far")
		})
	}
	if names := e2e.FilesBelow(dir); len(names) != len(tests) {
		t.Errorf("a directory to which %d files of one name were saved has %q", len(tests), names)
	}
	h.Fails(t, wire.CodeTimeout, "near", "wait", "--download", "--timeout", "300")
}

// link returns the ref of the nth link with the given name on the session's page, including the
// page's frames. The parameter n counts from 1. There must be exactly three links with this name.
func link(t *testing.T, h *e2e.Home, session, name string, n int) string {
	t.Helper()
	var found []string
	for line := range strings.Lines(h.Text(t, session, "snapshot", "-i")) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "- link \""+name+"\" [ref="); ok {
			found = append(found, strings.TrimSuffix(rest, "]"))
		}
	}
	if len(found) != 3 {
		t.Fatalf("the page has the links %q of the name %s, want 3", found, name)
	}
	return found[n-1]
}

// A download continues after its broker is killed, and still belongs to the same task.
func TestDownloadSurvivesBroker(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	for _, task := range []string{"one", "two"} {
		h.Text(t, task, "open", s.URL(filesPage("/files", task)))
		h.Text(t, task, "click", "#go")
	}
	waiting := h.Begin(t, "one", "wait", "--download", filepath.Join(h.Outer, "one.txt"))
	for _, p := range h.Of(e2e.KindBroker) {
		if err := syscall.Kill(p.PID, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	s.Open("one") // while no broker is connected to the browser
	// The first file may be complete before the next broker starts. The second file may be
	// complete during the start of that broker, or after it. Nothing reports the moments of that start,
	// so the files are sent at two moments.
	time.Sleep(50 * time.Millisecond)
	s.Open("two")
	if r := <-waiting.Ended; r.Status != wire.ExitDone {
		t.Errorf("%s", r)
	}
	h.Text(t, "two", "wait", "--download", filepath.Join(h.Outer, "two.txt"))
	for _, task := range []string{"one", "two"} {
		wantFile(t, filepath.Join(h.Outer, task+".txt"), task)
	}
}

// If a command's download fails or does not arrive in time, the command reports this and leaves no
// partial file. Files that no command fetches are deleted when their session's pages are closed.
func TestDownloadsThatFail(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "kept.txt")
	if err := os.WriteFile(file, []byte("as it was"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.Text(t, "task", "open", s.URL("/files?to="+url.QueryEscape("/file/x/broken.txt?break=1&size=200000")))
	if e := h.Fails(t, wire.CodeDownload, "task", "download", "#go", file); e.Error == nil || e.Hint == "" {
		t.Errorf("the error is %+v", e)
	}
	h.Fails(t, wire.CodeTimeout, "task", "download", "h1", file, "--timeout", "2000")
	h.Fails(t, wire.CodeBadInput, "task", "download", "#go", filepath.Join(dir, "none", "x.txt"))
	h.Fails(t, wire.CodeNavigation, "task", "open", s.URL("/file/x/page.txt"))
	h.Text(t, "task", "wait", "--download", filepath.Join(dir, "page.txt"))
	h.Text(t, "task", "open", s.URL(filesPage("/files", "slow")))
	h.Fails(t, wire.CodeTimeout, "task", "download", "#go", file, "--timeout", "2000")
	if content, err := os.ReadFile(file); err != nil || string(content) != "as it was" {
		t.Errorf("after failed downloads the file has %.20q (%v)", content, err)
	}
	s.Open("slow") // the download has continued after the command's timeout
	h.Text(t, "task", "wait", "--download", file)
	wantFile(t, file, "slow")
	if names := e2e.FilesBelow(dir); len(names) != 2 {
		t.Errorf("the directory has %q, want two files", names)
	}
	// Files that no command fetches are deleted with their session, complete or not.
	h.Text(t, "task", "click", "#made")
	h.Text(t, "task", "open", s.URL(filesPage("/files", "never")))
	h.Text(t, "task", "click", "#go")
	if !e2e.Await(e2e.CommandDeadline, func() bool { return len(kept(h)) == 2 }) {
		t.Errorf("kept is %q, want two files", kept(h))
	}
	h.Text(t, "task", "close", "--page")
	if !e2e.Await(e2e.CommandDeadline, func() bool { return len(kept(h)) == 0 }) {
		t.Errorf("after close --page the files %q are left", kept(h))
	}
}
