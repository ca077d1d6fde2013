package jar

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// fakeBrowser implements [Options].Call on cookies in memory.
type fakeBrowser struct {
	delay time.Duration // of each call

	mu      sync.Mutex // guards the fields below
	cookies map[string]cookie
	refuses string // the name of a cookie that cannot be set
	listed  int    // calls of Storage.getCookies
}

func newFake(cookies ...cookie) *fakeBrowser {
	f := &fakeBrowser{cookies: map[string]cookie{}}
	for _, c := range cookies {
		f.cookies[c.Name] = c
	}
	return f
}

func (f *fakeBrowser) call(ctx context.Context, method string, params, result any) error {
	select {
	case <-time.After(f.delay):
	case <-ctx.Done():
		return ctx.Err()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch method {
	case "Storage.getCookies":
		f.listed++
		var out struct {
			Cookies []cookie `json:"cookies"`
		}
		for _, c := range f.cookies {
			out.Cookies = append(out.Cookies, c)
		}
		raw, err := json.Marshal(out)
		*result.(*json.RawMessage) = raw
		return err
	case "Storage.setCookies":
		all := params.(map[string]any)["cookies"].([]param)
		for _, p := range all {
			if p.Name == f.refuses {
				return errors.New("invalid cookie fields")
			}
		}
		for _, p := range all {
			f.cookies[p.Name] = p.cookie
		}
		return nil
	}
	return errors.New("unknown method " + method)
}

func (f *fakeBrowser) set(c cookie) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cookies[c.Name] = c
}

func (f *fakeBrowser) value(name string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cookies[name].Value
}

func (f *fakeBrowser) calls() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.listed
}

// open returns a jar for a browser whose profile is in dir.
func open(dir string, f *fakeBrowser) *Jar {
	return Open(Options{File: filepath.Join(dir, "cookies.json"), Profile: dir, Call: f.call, Log: slog.New(slog.DiscardHandler)})
}

// saved reports whether the file in dir contains a text.
func saved(dir, text string) bool {
	raw, _ := os.ReadFile(filepath.Join(dir, "cookies.json"))
	return strings.Contains(string(raw), text)
}

func login(value string) cookie {
	return cookie{Name: "login", Value: value, Domain: "a.example", Path: "/", Expires: -1, Session: true}
}

// running calls the parameter test in a synctest bubble, with a jar j whose method Run is running.
func running(t *testing.T, test func(t *testing.T, dir string, f *fakeBrowser, j *Jar)) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		j := open(dir, f)
		ctx, cancel := context.WithCancel(t.Context())
		var run sync.WaitGroup
		run.Go(func() { j.Run(ctx) })
		time.Sleep(settleTime) // the first save
		synctest.Wait()
		test(t, dir, f, j)
		cancel()
		run.Wait()
	})
}

// The cookies are saved after a navigation has settled, and its redirects cause at most one more
// save. Without activity, no cookies are listed.
func TestSaveAfterNavigation(t *testing.T) {
	running(t, func(t *testing.T, dir string, f *fakeBrowser, j *Jar) {
		before := f.calls()
		time.Sleep(time.Minute)
		if got := f.calls(); got != before {
			t.Errorf("the cookies were listed %d times without any activity", got-before)
		}
		f.set(login("secret"))
		for range 5 { // redirects
			j.SaveSoon()
			time.Sleep(settleTime / 10)
		}
		synctest.Wait()
		if saved(dir, "secret") {
			t.Error("the cookies were saved before the navigation has settled")
		}
		time.Sleep(settleTime)
		synctest.Wait()
		if !saved(dir, "secret") {
			t.Error("the cookies were not saved after the navigation has settled")
		}
		time.Sleep(time.Minute)
		if got := f.calls() - before; got > 2 {
			t.Errorf("the cookies were listed %d times for one navigation", got)
		}
	})
}

// While messages are exchanged, cookies that scripts have set are saved too.
func TestSaveDuringActivity(t *testing.T) {
	running(t, func(t *testing.T, dir string, f *fakeBrowser, j *Jar) {
		f.set(login("secret"))
		j.Touch()
		time.Sleep(saveEvery)
		synctest.Wait()
		if !saved(dir, "secret") {
			t.Error("the cookies were not saved")
		}
	})
}

// The browser spends at most a twentieth of its time on listing many cookies.
func TestSlowBrowserRests(t *testing.T) {
	running(t, func(t *testing.T, _ string, f *fakeBrowser, j *Jar) {
		f.delay = 100 * time.Millisecond
		before := f.calls()
		for range 200 {
			j.SaveSoon()
			time.Sleep(100 * time.Millisecond)
		}
		if got := f.calls() - before; got < 5 || got > 20/2+1 {
			t.Errorf("in 20 s the cookies were listed %d times, want once in 2 s", got)
		}
	})
}

// The response to a command waits for the save of few cookies, but not for the save of many
// cookies.
func TestSaveBeforeResponse(t *testing.T) {
	running(t, func(t *testing.T, dir string, f *fakeBrowser, j *Jar) {
		f.set(login("secret"))
		j.SaveBeforeResponse(t.Context())
		if !saved(dir, "secret") {
			t.Error("few cookies were not saved")
		}
		f.set(cookie{Name: "large", Value: strings.Repeat("x", smallSize), Domain: "a.example", Path: "/", Session: true})
		j.SaveBeforeResponse(t.Context()) // records that the browser's reply is large
		before := f.calls()
		f.set(login("changed"))
		j.SaveBeforeResponse(t.Context())
		if got := f.calls(); got != before {
			t.Error("the response waits for many cookies")
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if !saved(dir, "changed") {
			t.Error("many cookies were not saved a moment later")
		}
	})
}

// A killed browser loses session cookies and cookies that Chromium had not yet written; both are
// put back. A cookie that the browser refuses does not prevent the others from being put back.
func TestRestoreAfterKill(t *testing.T) {
	dir := t.TempDir()
	fresh := cookie{Name: "fresh", Value: "f", Domain: ".a.example", Path: "/", Expires: float64(time.Now().Add(time.Hour).Unix())}
	killed := newFake(login("s"), fresh, cookie{Name: "bad", Value: "b", Domain: "a.example", Path: "/", Session: true})
	j := open(dir, killed)
	j.SaveBeforeResponse(t.Context())

	next := newFake()
	next.refuses = "bad"
	err := open(dir, next).Restore(t.Context(), time.Now())
	if err == nil || !strings.Contains(err.Error(), "1 of 3") {
		t.Errorf("Restore() = %v, want an error for one cookie", err)
	}
	if next.value("login") != "s" || next.value("fresh") != "f" || next.value("bad") != "" {
		t.Errorf("after Restore() the browser has %+v", next.cookies)
	}
}

// A browser that was closed has written its own file, so a cookie that is missing there was
// deleted. Session cookies are still put back.
func TestRestoreAfterClose(t *testing.T) {
	dir := t.TempDir()
	fresh := cookie{Name: "fresh", Value: "f", Domain: ".a.example", Path: "/", Expires: float64(time.Now().Add(time.Hour).Unix())}
	open(dir, newFake(login("s"), fresh)).SaveLast(t.Context())
	next := newFake()
	if err := open(dir, next).Restore(t.Context(), time.Time{}); err != nil || next.value("login") != "s" || next.value("fresh") != "" {
		t.Errorf("Restore() = %v, and the browser has %+v", err, next.cookies)
	}
}

// If a user removes the profile, its cookies are not put back.
func TestRestoreIntoAnotherProfile(t *testing.T) {
	dir := t.TempDir()
	open(dir, newFake(login("s"))).SaveBeforeResponse(t.Context())
	if err := os.Remove(filepath.Join(dir, "abrowser.id")); err != nil {
		t.Fatal(err)
	}
	next := newFake()
	if err := open(dir, next).Restore(t.Context(), time.Time{}); err != nil || next.value("login") != "" {
		t.Errorf("Restore() = %v, and the browser has %+v", err, next.cookies)
	}
}

// The methods of a nil Jar do nothing.
func TestNilJar(t *testing.T) {
	var j *Jar
	j.Run(t.Context())
	j.Touch()
	j.SaveSoon()
	j.SaveBeforeResponse(t.Context())
	j.SaveLast(t.Context())
	if err := j.Restore(t.Context(), time.Time{}); err != nil {
		t.Error(err)
	}
}

func TestParam(t *testing.T) {
	for _, tt := range []struct {
		c    cookie
		want string
	}{
		{
			cookie{Name: "n", Value: "v", Domain: ".a.example", Path: "/p", Expires: 7.5, HTTPOnly: true, Partition: &partition{Site: "https://b.example"}},
			`{"name":"n","value":"v","path":"/p","httpOnly":true,"partitionKey":{"topLevelSite":"https://b.example","hasCrossSiteAncestor":false},"domain":".a.example","expires":7.5}`,
		},
		{
			cookie{Name: "n", Domain: "a.example", Path: "/p", Expires: -1, Session: true, Secure: true, SourcePort: 8443},
			`{"name":"n","value":"","path":"/p","secure":true,"sourcePort":8443,"url":"https://a.example:8443/p"}`,
		},
		{cookie{Name: "n", Domain: "::1", Path: "/", Expires: -1, Session: true}, `{"name":"n","value":"","path":"/","url":"http://[::1]/"}`},
	} {
		raw, err := json.Marshal(tt.c.param())
		if err != nil || string(raw) != tt.want {
			t.Errorf("param() = %s, %v, want %s", raw, err, tt.want)
		}
	}
}
