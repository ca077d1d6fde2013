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

// hangTime is longer than any command of a task may take, whatever was killed.
const hangTime = 75 * time.Second

// chaosTask is a task that knows what its page has to show.
type chaosTask struct {
	*chaos
	name string
	r    *rand.Rand
	done atomic.Int64 // commands that succeeded

	n        int
	url      string   // of the first tab
	document string   // what only this very document of it knows
	typed    []string // what may be in its field
	unsure   bool     // a command that changes the page failed: it may have been done
	counted  int      // times that the page has called the site, for sure
	perhaps  int      // and perhaps
	crashes  int64    // killed renderers that a failure was put down to, of this task or another
	excused  int64    // the newest fault that a failure was put down to
	restarts int64    // kills of the browser whose consequences were seen
	crashed  bool
}

func newChaosTask(c *chaos, i int, seed uint64) *chaosTask {
	k := &chaosTask{chaos: c, name: fmt.Sprintf("task-%d", i), r: rand.New(rand.NewPCG(seed, uint64(i+1)))}
	k.open()
	return k
}

// work does steps until stop, each checked.
func (k *chaosTask) work(stop <-chan struct{}) {
	steps := []func(){k.open, k.fill, k.fill, k.look, k.look, k.count, k.tab, k.me}
	for {
		select {
		case <-stop:
			return
		default:
		}
		steps[k.r.IntN(len(steps))]()
		time.Sleep(time.Duration(k.r.IntN(150)) * time.Millisecond) // a task pauses between commands, so that faults also hit sessions at rest
	}
}

// run runs a command and reports whether it succeeded. One that fails may do so once
// for a fault, with a code that says why; then what the page shows is found out anew.
func (k *chaosTask) run(args ...string) (string, bool) {
	text, code := k.try(args...)
	if code == "" {
		return text, true
	}
	k.crashed = k.crashed || code == wire.CodePageCrashed
	return "", false
}

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
		return "", e.Code // it was being closed, by a command that did not see the end of it
	case !e2e.Allowed(e.Code):
		k.see(&k.counts.wrongCodes, "%s: %s", k.name, r)
	case e.Code == wire.CodePageCrashed && k.crashes < k.killed.Load():
		k.crashes = k.killed.Load() // a tab may have crashed long before anybody looks at it
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

// member is a member of a command's data.
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

// open goes to another page.
func (k *chaosTask) open() {
	k.n++
	to := k.s.URL(fmt.Sprintf("/secret?name=%s&n=%d", k.name, k.n))
	if _, ok := k.run("open", to); !ok {
		k.unsure = true
		k.again(k.url, to)
		return
	}
	k.crashed = false
	k.url, k.typed, k.unsure = to, []string{""}, true // its document is not known yet
	k.look()
}

// fill types something new.
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

// count has the page call the site.
func (k *chaosTask) count() {
	script := fmt.Sprintf("fetch('/count/%s', {method: 'POST'}).then(r => r.status)", k.name)
	if _, ok := k.run("eval", script); ok {
		k.counted++
		return
	}
	k.perhaps++
	k.again(k.url)
}

// look checks that the page is the very document that it was.
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

// same compares what was read with what is known. What the browser held is gone with
// it; so is what a page held that crashed. What was read while a browser was killed is
// of two browsers, and says nothing of either.
func (k *chaosTask) same(document, typed string, restarts int64) {
	now := k.chaos.restarts.Load()
	fresh, torn := document != k.document, restarts != now
	switch {
	case fresh && !k.unsure && k.restarts == now:
		k.see(&k.counts.lostContents, "%s: the document is another one", k.name)
	case !fresh && !torn && !slices.Contains(k.typed, typed):
		k.see(&k.counts.lostContents, "%s: the field holds %q, want one of %q", k.name, typed, k.typed)
	}
	k.document, k.unsure = document, torn
	k.typed = []string{typed}
	k.restarts = max(k.restarts, restarts)
}

// isAt checks where the page is. Another task's page is the worst that can be.
func (k *chaosTask) isAt(url string, any ...string) {
	switch {
	case slices.Contains(any, url):
	case strings.Contains(url, "name=task-") && !strings.Contains(url, "name="+k.name+"&"), strings.Contains(url, "/page/task-") && !strings.Contains(url, "/page/"+k.name+"-"):
		k.see(&k.counts.wrongPages, "%s is at %s", k.name, url)
	default:
		k.see(&k.counts.lostTabs, "%s is at %s, want %q", k.name, url, any)
	}
}

// again is what a task does whose command failed: it looks where its page is, and
// goes on from there. A page that crashed is opened again, as the error's hint says.
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

// reopen opens the page's address once more. Where another fault stops it, a page that
// has crashed is not there yet.
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

// tab opens a tab beside the first and closes it.
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

// clear closes all tabs but the first, which it finds by its address.
func (k *chaosTask) clear() {
	for range 8 {
		data, ok := k.run("tab", "list")
		if !ok {
			continue
		}
		var list verbs.TabsOut
		_ = json.Unmarshal([]byte(data), &list) // an empty one is seen below
		first, other := "", ""
		for _, tab := range list.Tabs {
			if tab.URL == k.url {
				first = tab.TabID
				continue
			}
			other = tab.TabID
			k.isAt(tab.URL, k.s.URL("/me"), k.ownTab(tab.URL), "about:blank") // that one was just being made
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
	k.see(&k.counts.failedAgain, "%s does not get rid of its other tabs", k.name)
}

// ownTab is the address where it is one of the task's own other tabs, else none.
func (k *chaosTask) ownTab(url string) string {
	if strings.HasPrefix(url, k.s.URL("/page/"+k.name+"-")) || strings.HasPrefix(url, k.s.URL("/secret?name="+k.name+"&")) {
		return url
	}
	return ""
}

// me looks whether the login is still there, in a tab of its own.
func (k *chaosTask) me() {
	if _, ok := k.run("tab", "new", k.s.URL("/me")); ok {
		if who, ok := k.run("get", "text", "#who"); ok && member(who, "text") != "ada" {
			k.see(&k.counts.lostContents, "%s is logged in as %q", k.name, member(who, "text"))
		}
	}
	k.clear()
}

// last checks once more, when no fault comes any more.
func (k *chaosTask) last() {
	k.look()
	if seen := k.s.Count(k.name); seen < k.counted || seen > k.counted+k.perhaps {
		k.see(&k.counts.wrongPages, "%s called the site %d times; it was told so %d times, and %d times that it may have", k.name, seen, k.counted, k.perhaps)
	}
	var list verbs.TabsOut
	if data, ok := k.run("tab", "list"); ok {
		_ = json.Unmarshal([]byte(data), &list)
	}
	if len(list.Tabs) != 1 {
		k.see(&k.counts.lostTabs, "%s ends with the tabs %+v", k.name, list.Tabs)
	}
}
