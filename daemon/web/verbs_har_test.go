package web_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// harFile has the fields of a HAR that the tests check.
type harFile struct {
	Log struct {
		Entries []struct {
			Request  struct{ Method, URL string }
			Response struct {
				Status  int
				Content struct{ Text, Encoding string }
			}
		}
	}
}

func readHAR(t testing.TB, path string) (har harFile, urls string) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(raw, &har)
	}
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range har.Log.Entries {
		all = append(all, e.Request.URL)
	}
	return har, strings.Join(all, " ")
}

// A HAR contains the requests of the session, including those under an earlier daemon, and no
// requests of another session. It can be replayed without the server.
func TestHAR(t *testing.T) {
	t.Parallel()
	s, other, web := home.Start(t), home.Start(t), site.Start(t)
	path := filepath.Join(t.TempDir(), "a.har")
	do(t, s, verbs.Open, verbs.OpenIn{URL: web.URL("/page/one"), HAR: path})
	open(t, other, web.URL("/page/foreign"))
	eval(t, s, "fetch('/isolation/headers?a=1').then(r => r.text()).then(() => 1)")
	if err := fails(t, s, verbs.HARStart, verbs.HARStartIn{}, wire.CodeBadInput); !strings.Contains(err.Message, path) {
		t.Errorf("the error is %v", err)
	}
	s.End(t)
	s = home.Resume(t, s.Name)
	open(t, s, web.URL("/page/two"))
	out := do(t, s, verbs.HARStop, verbs.HARStopIn{})
	har, urls := readHAR(t, path)
	if out.Path != path || out.RequestCount != len(har.Log.Entries) || len(har.Log.Entries) < 3 {
		t.Errorf("stop answers %+v of %s", out, urls)
	}
	for _, want := range []string{"/page/one", "/isolation/headers?a=1", "/page/two"} {
		if !strings.Contains(urls, want) {
			t.Errorf("%s is not in %s", want, urls)
		}
	}
	if strings.Contains(urls, "foreign") {
		t.Errorf("another session's request is in %s", urls)
	}
	if first := har.Log.Entries[0]; first.Request.Method != "GET" || first.Response.Status != 200 || !strings.Contains(first.Response.Content.Text, "one") {
		t.Errorf("the first entry is %+v", first)
	}
	fails(t, s, verbs.HARStop, verbs.HARStopIn{}, wire.CodeBadInput)

	web.Close()
	again := home.Start(t)
	if got := do(t, again, verbs.Open, verbs.OpenIn{URL: web.URL("/page/one"), HARs: []string{path}}); got.Title != "one" {
		t.Errorf("replayed it is %+v", got)
	}
	again.End(t)
	again = home.Resume(t, again.Name)
	if got := do(t, again, verbs.Open, verbs.OpenIn{URL: web.URL("/page/two")}); got.Title != "two" {
		t.Errorf("under the next daemon it is %+v", got)
	}
	fails(t, again, verbs.Open, verbs.OpenIn{URL: web.URL("/page/none")}, wire.CodeNavigation)
	if err := fails(t, again, verbs.Open, verbs.OpenIn{HARs: []string{path + ".none"}}, wire.CodeBadInput); !strings.Contains(err.Message, "HAR replay file not found") {
		t.Errorf("the error is %v", err)
	}
}

// A file that is not a HAR, or that is too large for a driver that sessions share, is refused and
// changes nothing.
func TestReplayRefusesOtherFiles(t *testing.T) {
	t.Parallel()
	s, web, dir := home.Start(t), site.Start(t), t.TempDir()
	for name, text := range map[string]string{"text": "hello", "list": "[]", "object": "{}", "null": "null", "entries": `{"log":{"entries":7}}`, "archive.zip": "PK"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := fails(t, s, verbs.Open, verbs.OpenIn{URL: web.URL("/page/one"), HARs: []string{path}}, wire.CodeBadInput); !strings.Contains(err.Message, path) {
			t.Errorf("%s: %v", name, err)
		}
	}
	large := filepath.Join(dir, "large.har")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 200<<20); err != nil {
		t.Fatal(err)
	}
	fails(t, s, verbs.Open, verbs.OpenIn{HARs: []string{large}}, wire.CodeTooLarge)
	if got := do(t, s, verbs.Open, verbs.OpenIn{URL: web.URL("/page/two")}); got.Title != "two" {
		t.Errorf("afterwards the page is %+v", got)
	}
}

// Closing the session writes what was recorded, including requests without a response.
func TestHARAtClose(t *testing.T) {
	s, web := home.Start(t), site.Start(t)
	path := filepath.Join(t.TempDir(), "b.har")
	do(t, s, verbs.HARStart, verbs.HARStartIn{Path: path, Content: "none"})
	open(t, s, web.URL("/page/one"))
	eval(t, s, "1") // makes the direct connection to the page
	driver := sharedDriver(t)
	if err := syscall.Kill(driver, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	goOn := func() { _ = syscall.Kill(driver, syscall.SIGCONT) }
	defer goOn()
	eval(t, s, "fetch('/never'), 1")
	awaitRequest(t, web, "/never")
	time.AfterFunc(200*time.Millisecond, goOn) // Playwright reports the request after this
	out := do(t, s, verbs.Close, verbs.CloseIn{})
	har, urls := readHAR(t, path)
	if out.HAR != path || !strings.Contains(urls, "/page/one") || !strings.Contains(urls, "/never") {
		t.Errorf("close answers %+v; the file has %s", out, urls)
	}
	if har.Log.Entries[0].Response.Content.Text != "" {
		t.Error("a body was kept")
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode is %v, %v", info.Mode(), err)
	}
	left, _ := filepath.Glob(home.Root.JournalFile(s.Name) + "*")
	if len(left) > 0 {
		t.Errorf("left over: %s", left)
	}
}

// awaitRequest waits until the site has got a request, without a command: on a busy machine any
// command may need the driver.
func awaitRequest(t testing.TB, web *site.Site, path string) {
	t.Helper()
	for end := time.Now().Add(patience); web.Requests(path) == 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the page does not request %s", path)
		}
	}
}

// If the driver ends during a recording, a request that has no response yet is in the HAR, and the
// next reply says that the recording has a gap.
func TestHARWhoseDriverEnds(t *testing.T) {
	s, web := home.Start(t), site.Start(t)
	path := filepath.Join(t.TempDir(), "a.har")
	do(t, s, verbs.HARStart, verbs.HARStartIn{Path: path, Content: "none"})
	open(t, s, web.URL("/page/one"))
	eval(t, s, "fetch('/never'), 1")
	awaitRequest(t, web, "/never")
	open(t, s, web.URL("/page/one#again")) // Playwright answers this after it has reported the request
	if err := syscall.Kill(sharedDriver(t), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	var told []string
	for end := time.Now().Add(patience); len(told) == 0 && time.Now().Before(end); {
		_, told, _ = ask(t, s, verbs.Open, verbs.OpenIn{URL: web.URL("/page/two")}) // fails if the driver ends meanwhile
	}
	if len(told) != 1 || !strings.Contains(told[0], "the recording of requests has a gap") {
		t.Errorf("after the driver's end, the warnings are %q", told)
	}
	out, warnings, err := ask(t, s, verbs.HARStop, verbs.HARStopIn{})
	if err != nil || len(warnings) != 0 {
		t.Errorf("stop answers %+v, %q, %v", out, warnings, err)
	}
	if _, urls := readHAR(t, path); strings.Count(urls, "/never") != 1 || !strings.Contains(urls, "/page/two") {
		t.Errorf("the file has %s", urls)
	}
}

// If the HAR cannot be written at the session's end, the recording is not lost, and the reply
// does not say that the HAR was written.
func TestHARThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	dir := filepath.Join(t.TempDir(), "none")
	do(t, s, verbs.HARStart, verbs.HARStartIn{Path: filepath.Join(dir, "a.har"), Content: "none"})
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // a file, so that the directory cannot be made
		t.Fatal(err)
	}
	open(t, s, web.URL("/page/one"))
	fails(t, s, verbs.HARStop, verbs.HARStopIn{}, wire.CodePermission)
	out, warnings, err := ask(t, s, verbs.Close, verbs.CloseIn{})
	if err != nil || out.HAR != "" || len(warnings) != 1 || !strings.Contains(warnings[0], "the HAR is not written") || !strings.Contains(warnings[0], "not a directory") {
		t.Fatalf("close answers %+v, %q, %v", out, warnings, err)
	}
	_, where, _ := strings.Cut(warnings[0], "what was recorded is in ")
	where, _, _ = strings.Cut(where, ",")
	if raw, err := os.ReadFile(where); !strings.Contains(string(raw), "/page/one") {
		t.Errorf("%q has %q, %v", where, raw, err)
	}
	s.End(t)
	if left, _ := filepath.Glob(home.Root.JournalFile(s.Name) + "*"); len(left) != 1 || left[0] != where {
		t.Errorf("beside it are %s", left)
	}
}

// If the disk is full, the recording lacks entries. The session's next reply says so, once.
func TestHAROnAFullDisk(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	path, journal := filepath.Join(t.TempDir(), "c.har"), home.Root.JournalFile(s.Name)
	do(t, s, verbs.HARStart, verbs.HARStartIn{Path: path, Content: "none"})
	open(t, s, web.URL("/page/one"))
	kept := journal + ".kept"
	// An entry is written when the request begins, and again after the response has come.
	for end := time.Now().Add(patience); time.Now().Before(end); eval(t, s, "1") {
		if raw, err := os.ReadFile(journal); err == nil && bytes.Count(raw, []byte("\n")) == 2 {
			break
		}
	}
	if err := errors.Join(os.Rename(journal, kept), os.Symlink("/dev/full", journal)); err != nil {
		t.Fatal(err)
	}
	_, told, err := ask(t, s, verbs.Open, verbs.OpenIn{URL: web.URL("/page/two")})
	for end := time.Now().Add(patience); err == nil && len(told) == 0 && time.Now().Before(end); {
		_, told, err = ask(t, s, verbs.Eval, verbs.EvalIn{Script: "1"})
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(told) != 1 || !strings.HasPrefix(told[0], "the recording of requests lacks 1: ") || !strings.Contains(told[0], "no space left") {
		t.Errorf("the warnings are %q", told)
	}
	if err := errors.Join(os.Remove(journal), os.Rename(kept, journal)); err != nil {
		t.Fatal(err)
	}
	out, warnings, err := ask(t, s, verbs.HARStop, verbs.HARStopIn{})
	if err != nil || out.RequestCount != 1 || len(warnings) != 0 {
		t.Errorf("stop answers %+v, %q, %v", out, warnings, err)
	}
	if _, urls := readHAR(t, path); !strings.Contains(urls, "/page/one") {
		t.Errorf("the file has %s", urls)
	}
}

// After the session is closed, requests are answered by the server again, and not from HAR files.
// This is so when a person uses the page, and when the session is used again.
func TestReplayEndsWithTheSession(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	path := filepath.Join(t.TempDir(), "d.har")
	do(t, s, verbs.Open, verbs.OpenIn{URL: web.URL("/page/one"), HAR: path})
	do(t, s, verbs.HARStop, verbs.HARStopIn{})
	do(t, s, verbs.Open, verbs.OpenIn{URL: web.URL("/page/two"), HARs: []string{path}})
	const fetches = "fetch('/page/one').then(r => r.status)"
	before := web.Requests("/page/one")
	eval(t, s, fetches)
	if got := web.Requests("/page/one"); got != before {
		t.Errorf("while it is replayed the server is asked %d times", got-before)
	}
	look := onlooker(t, s)
	do(t, s, verbs.Close, verbs.CloseIn{})
	s.End(t)
	look(fetches)
	s = home.Resume(t, s.Name)
	eval(t, s, fetches)
	if got := web.Requests("/page/one"); got != before+2 {
		t.Errorf("after release the server is asked %d times, want 2", got-before)
	}
}
