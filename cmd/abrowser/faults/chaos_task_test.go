//go:build linux

package faults_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// hangTime is the time after which a command of a task counts as hanging, no matter which process
// was killed.
const hangTime = 75 * time.Second

// chaosTask is a task that runs commands and records what its page should contain, so that it can
// check each result.
type chaosTask struct {
	*chaos
	name string
	r    *rand.Rand
	done atomic.Int64 // the number of commands that succeeded

	n        int      // a counter that makes the task's URLs and texts unique
	url      string   // the URL of the first tab
	document string   // what reveal() returns in the first tab, a random value of the document
	typed    []string // the texts that the first tab's field may contain
	unsure   bool     // the document may have been replaced, so reveal() may return another value
	counted  int      // the calls of the site's counter by commands that succeeded
	perhaps  int      // further calls of the counter that failed commands may have made
	crashes  int64    // the value of chaos.killed when a page_crashed failure was last excused
	excused  int64    // chaos.faults at the last other failure; another failure before it grows is an error
	restarts int64    // the value of chaos.restarts when the page was last read
	crashed  bool     // a command found the page crashed, and the page was not reopened since
}

func newChaosTask(c *chaos, i int, seed uint64) *chaosTask {
	k := &chaosTask{chaos: c, name: fmt.Sprintf("task-%d", i), r: rand.New(rand.NewPCG(seed, uint64(i+1)))}
	k.open()
	return k
}

// work does random steps until the channel stop is closed. Each step checks its results.
func (k *chaosTask) work(stop <-chan struct{}) {
	steps := []func(){k.open, k.fill, k.fill, k.look, k.look, k.count, k.tab, k.me}
	for {
		select {
		case <-stop:
			return
		default:
		}
		steps[k.r.IntN(len(steps))]()
		// A task pauses between its commands, so that some faults hit the task's session while it
		// runs no command.
		time.Sleep(time.Duration(k.r.IntN(150)) * time.Millisecond)
	}
}

// run runs a command. It returns the command's data and whether the command succeeded. After a
// failure the caller has to find out what the page shows now.
func (k *chaosTask) run(args ...string) (string, bool) {
	text, code := k.try(args...)
	if code == "" {
		return text, true
	}
	k.crashed = k.crashed || code == wire.CodePageCrashed
	return "", false
}

// try runs a command and returns its data, or the code of its error. It counts an error of the
// product in each of these cases:
//
//   - the command hangs;
//   - its answer is not JSON;
//   - it fails with a code that no fault explains;
//   - it fails, and there was no new fault since the task's last failure.
func (k *chaosTask) try(args ...string) (string, wire.Code) {
	r := k.h.Try(k.name, append([]string{"--json"}, args...)...)
	k.mu.Lock()
	k.counts.commands++
	k.mu.Unlock()
	if r.Err != nil || r.Took > hangTime {
		k.see(&k.counts.hangs, "%s: %s", k.name, r)
	}
	var e e2e.Envelope
	if err := json.Unmarshal([]byte(r.Stdout), &e); err != nil {
		k.see(&k.counts.wrongCodes, "%s: no JSON: %s", k.name, r)
		return "", wire.CodeInternal
	}
	if e.Success {
		k.done.Add(1)
		return string(e.Data), ""
	}
	fault := k.faults.Load()
	switch {
	case e.Code == wire.CodeNotFound && args[0] == "tab":
		return "", e.Code // an interrupted 'tab close' was still closing that tab
	case !e2e.Allowed(e.Code):
		k.see(&k.counts.wrongCodes, "%s: %s", k.name, r)
	case e.Code == wire.CodePageCrashed && k.crashes < k.killed.Load():
		// A crash is noticed when a command uses the tab, which may be many faults later.
		k.crashes = k.killed.Load()
		k.mu.Lock()
		k.counts.failedOnce++
		k.mu.Unlock()
		return "", e.Code
	case k.excused == fault:
		k.see(&k.counts.failedAgain, "%s: no fault since the last failure: %s", k.name, r)
	default:
		k.mu.Lock()
		k.counts.failedOnce++
		k.mu.Unlock()
	}
	k.excused = fault
	return "", e.Code
}

// member returns, as text, the member with the given name of a command's JSON data. It returns an
// empty string if the data has no such member.
func member(data, name string) string {
	var all map[string]any
	if json.Unmarshal([]byte(data), &all) != nil {
		return ""
	}
	switch v := all[name].(type) {
	case string:
		return v
	case nil:
		return ""
	default:
		return fmt.Sprint(v)
	}
}

// open opens a page whose URL the task has not used before.
func (k *chaosTask) open() {
	k.n++
	to := k.s.URL(fmt.Sprintf("/secret?name=%s&n=%d", k.name, k.n))
	if _, ok := k.run("open", to); !ok {
		k.unsure = true
		k.again(k.url, to)
		return
	}
	k.crashed = false
	k.url, k.typed, k.unsure = to, []string{""}, true // the document's value is unknown
	k.look()
}

// fill types a new text into the page's field.
func (k *chaosTask) fill() {
	k.n++
	text := fmt.Sprintf("%s %d", k.name, k.n)
	if _, ok := k.run("fill", "#kept", text); ok {
		k.typed = []string{text}
		return
	}
	k.typed = append(k.typed, text)
	k.again(k.url)
}

// count makes the page call the site's counter.
func (k *chaosTask) count() {
	script := fmt.Sprintf("fetch('/count/%s', {method: 'POST'}).then(r => r.status)", k.name)
	if _, ok := k.run("eval", script); ok {
		k.counted++
		return
	}
	k.perhaps++
	k.again(k.url)
}

// look checks that the page is still the same document, with the same text in its field.
func (k *chaosTask) look() {
	restarts := k.chaos.restarts.Load()
	at, ok := k.run("get", "url")
	if !ok {
		k.again(k.url)
		return
	}
	k.isAt(member(at, "url"), k.url)
	document, ok := k.run("eval", "reveal()")
	if !ok {
		k.again(k.url)
		return
	}
	typed, ok := k.run("get", "value", "#kept")
	if !ok {
		k.again(k.url)
		return
	}
	k.same(member(document, "result"), member(typed, "value"), restarts)
}

// same compares what look has read with what the task expects. The parameter document is the value
// of reveal(), and typed is the text of the field. A new document is an error, unless the browser
// was killed since the last reading or the page was reopened. The parameter restarts is the number
// of kills of the browser before this reading. If the browser was killed during this reading, the
// two values may come from different browsers, and same does not report an error.
func (k *chaosTask) same(document, typed string, restarts int64) {
	now := k.chaos.restarts.Load()
	fresh, torn := document != k.document, restarts != now
	switch {
	case fresh && !k.unsure && k.restarts == now:
		k.see(&k.counts.lostContents, "%s: the page is a new document", k.name)
	case !fresh && !torn && !slices.Contains(k.typed, typed):
		k.see(&k.counts.lostContents, "%s: the field holds %q, want one of %q", k.name, typed, k.typed)
	}
	k.document, k.unsure = document, torn
	k.typed = []string{typed}
	k.restarts = max(k.restarts, restarts)
}

// isAt counts an error unless url is one of the allowed URLs. The error is a wrong page if url
// contains the name of another task, and a lost tab otherwise.
func (k *chaosTask) isAt(url string, allowed ...string) {
	switch {
	case slices.Contains(allowed, url):
	case strings.Contains(url, "name=task-") && !strings.Contains(url, "name="+k.name+"&"), strings.Contains(url, "/page/task-") && !strings.Contains(url, "/page/"+k.name+"-"):
		k.see(&k.counts.wrongPages, "%s is at %s", k.name, url)
	default:
		k.see(&k.counts.lostTabs, "%s is at %s, want %q", k.name, url, allowed)
	}
}

// again finds out what the page shows after a failed command. The page must be at one of urls,
// which then becomes the URL that the task expects. Any other URL counts as an error. If the page
// has crashed, or its URL cannot be read, again reopens the page instead, as the hint of a
// page_crashed error advises.
func (k *chaosTask) again(urls ...string) {
	if k.crashed {
		k.reopen()
		return
	}
	at, ok := k.run("get", "url")
	if !ok {
		k.reopen()
		return
	}
	url := member(at, "url")
	k.isAt(url, urls...)
	if slices.Contains(urls, url) {
		k.url = url
	}
}

// reopen opens the page's URL again. If that fails and the page had crashed, the page may still be
// crashed, so reopen excuses one more page_crashed failure.
func (k *chaosTask) reopen() {
	crashed := k.crashed
	k.crashed = false
	k.unsure, k.typed = true, append(k.typed, "")
	if _, ok := k.run("open", k.url); ok {
		k.typed = []string{""}
	} else if crashed {
		k.crashes = k.killed.Load() - 1
	}
}

// tab opens another tab, checks its URL and closes it.
func (k *chaosTask) tab() {
	k.n++
	to := k.s.URL(fmt.Sprintf("/page/%s-%d", k.name, k.n))
	if _, ok := k.run("tab", "new", to); ok {
		at, ok := k.run("get", "url")
		if ok {
			k.isAt(member(at, "url"), to)
		}
	}
	k.clear()
}

// clear closes all tabs except the first tab, which it recognizes by its URL, and selects the
// first tab.
func (k *chaosTask) clear() {
	for range 8 {
		data, ok := k.run("tab", "list")
		if !ok {
			continue
		}
		var list verbs.TabsOut
		_ = json.Unmarshal([]byte(data), &list) // an empty list is handled below
		first, other := "", ""
		for _, tab := range list.Tabs {
			if tab.URL == k.url {
				first = tab.TabID
				continue
			}
			other = tab.TabID
			// A tab that was just created is still at about:blank.
			k.isAt(tab.URL, k.s.URL("/me"), k.ownTab(tab.URL), "about:blank")
		}
		switch {
		case first == "":
			k.see(&k.counts.lostTabs, "%s: the tab at %s is not among %+v", k.name, k.url, list.Tabs)
			k.reopen()
			return
		case other != "":
			k.run("tab", "close", other)
		default:
			if _, ok := k.run("tab", first); ok {
				k.crashed = false
				return
			}
			if k.crashed {
				k.reopen()
				return
			}
		}
	}
	k.see(&k.counts.failedAgain, "%s cannot close its other tabs", k.name)
}

// ownTab returns url if it is a URL of this task's own pages, which contains the task's name.
// Otherwise it returns an empty string.
func (k *chaosTask) ownTab(url string) string {
	if strings.HasPrefix(url, k.s.URL("/page/"+k.name+"-")) || strings.HasPrefix(url, k.s.URL("/secret?name="+k.name+"&")) {
		return url
	}
	return ""
}

// me checks in a new tab that the login still exists, and closes the tab.
func (k *chaosTask) me() {
	if _, ok := k.run("tab", "new", k.s.URL("/me")); ok {
		if who, ok := k.run("get", "text", "#who"); ok && member(who, "text") != "ada" {
			k.see(&k.counts.lostContents, "%s is logged in as %q", k.name, member(who, "text"))
		}
	}
	k.clear()
}

// last checks the task after the last fault: its page, how often the page has called the site, and
// that one tab is left.
func (k *chaosTask) last() {
	k.look()
	if seen := k.s.Count(k.name); seen < k.counted || seen > k.counted+k.perhaps {
		k.see(&k.counts.wrongPages, "%s called the site %d times, want %d and at most %d more", k.name, seen, k.counted, k.perhaps)
	}
	var list verbs.TabsOut
	if data, ok := k.run("tab", "list"); ok {
		_ = json.Unmarshal([]byte(data), &list)
	}
	if len(list.Tabs) != 1 {
		k.see(&k.counts.lostTabs, "%s ends with the tabs %+v", k.name, list.Tabs)
	}
}
