package web_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/daemon/daemontest"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// said clicks a button of the page /asks. It returns the decision that the page got, and the
// records in the replies.
func said(t testing.TB, s *daemontest.Session, button string) (string, []wire.Record) {
	t.Helper()
	records := reply(t, s, verbs.Click, verbs.ClickIn{Element: element("#" + button)}).Records
	for end := time.Now().Add(patience); time.Now().Before(end); {
		r := reply(t, s, verbs.GetText, verbs.GetIn{Element: element("#out")})
		records = append(records, r.Records...)
		if text := string(r.Data); strings.Contains(text, button+": ") {
			_, rest, _ := strings.Cut(strings.TrimSuffix(text, `"}`), button+": ")
			rest, _, _ = strings.Cut(rest, `"`)
			return rest, records
		}
	}
	t.Fatalf("%s: the page was told nothing; the records are %+v", button, records)
	return "", nil
}

// A policy applies from the page's next request on. Without a policy a request is denied, and
// the reply says so. No request hangs.
func TestPermissionPolicy(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/asks"))
	for _, tt := range []struct {
		button, name          string
		raised, denied, allow string
	}{
		{"camera", "camera", "NotAllowedError", "NotAllowedError", "video"},
		{"place", "geolocation", "code 1", "code 1", "code 2"}, // allowed, but no position is set
		{"paste", "clipboard-read", "NotAllowedError", "NotAllowedError", "[]"},
		{"midi", "midi", "NotAllowedError", "NotAllowedError", "0"},
		{"ask", "notifications", "denied default", "denied denied", "granted granted"},
		{"screen", "display-capture", "NotAllowedError", "NotAllowedError", "video"},
	} {
		t.Run(tt.button, func(t *testing.T) {
			for _, mode := range []struct {
				mode, want, handled string
				raised              bool
			}{
				{"raise", tt.raised, "denied", true}, {"deny", tt.denied, "denied", false}, {"allow", tt.allow, "allowed", false},
			} {
				do(t, s, verbs.PolicyPermission, verbs.PermissionPolicyIn{Mode: mode.mode, Permissions: []string{tt.name}})
				got, records := said(t, s, tt.button)
				if got != mode.want {
					t.Errorf("%s: the page was told %q, want %q", mode.mode, got, mode.want)
				}
				if len(records) != 1 || records[0].Kind != wire.KindPermission || records[0].Name != tt.name || records[0].Handled != mode.handled ||
					records[0].Unhandled != mode.raised || (records[0].Hint != "") != mode.raised || records[0].Origin != strings.TrimSuffix(web.URL("/"), "/") {
					t.Errorf("%s: the records are %+v", mode.mode, records)
				}
			}
		})
	}
	t.Run("several at once", func(t *testing.T) {
		do(t, s, verbs.PolicyPermission, verbs.PermissionPolicyIn{Mode: "raise", PerPermission: map[string]string{"camera": "allow"}})
		if got, records := said(t, s, "call"); got != "NotAllowedError" || len(records) != 2 {
			t.Errorf("with the camera alone allowed: %q, %+v", got, records)
		}
		do(t, s, verbs.PolicyPermission, verbs.PermissionPolicyIn{Mode: "allow"})
		if got, _ := said(t, s, "call"); got != "audio,video" {
			t.Errorf("with all allowed: %q", got)
		}
	})
	t.Run("clipboard", func(t *testing.T) {
		other := home.Start(t)
		open(t, other, web.URL("/asks"))
		do(t, other, verbs.PolicyPermission, verbs.PermissionPolicyIn{Mode: "allow"})
		if got, records := said(t, s, "copy"); got != "ok" || len(records) != 1 {
			t.Errorf("copying: %q, %+v", got, records)
		}
		if got, _ := said(t, s, "paste"); got != "[copied]" {
			t.Errorf("pasting: %q", got)
		}
		if got, _ := said(t, other, "paste"); got != "[]" {
			t.Errorf("another session pastes %q", got)
		}
		do(t, other, verbs.PolicyPermission, verbs.PermissionPolicyIn{Mode: "raise"})
		if got, records := said(t, other, "copy"); got != "ok" || len(records) != 0 {
			t.Errorf("copying by a click needs no permission: %q, %+v", got, records)
		}
	})
	t.Run("a frame of another site", func(t *testing.T) {
		do(t, s, verbs.PolicyPermission, verbs.PermissionPolicyIn{Mode: "raise"})
		eval(t, s, "{ const f = document.createElement('iframe'); f.allow = 'geolocation *'; f.src = '"+web.CrossURL("/asks")+
			"'; const loaded = new Promise(done => f.onload = done); document.body.append(f); loaded.then(() => 1) }")
		r := reply(t, s, verbs.Snapshot, verbs.SnapshotIn{Interactive: true})
		_, ref, _ := strings.Cut(string(r.Data)[strings.LastIndex(string(r.Data), `\"place\"`):], "ref=")
		ref, _, _ = strings.Cut(ref, "]")
		records := reply(t, s, verbs.Click, verbs.ClickIn{Element: element(ref)}).Records
		for i := 0; len(records) == 0 && i < 100; i++ {
			records = reply(t, s, verbs.GetText, verbs.GetIn{Element: element("h1")}).Records
		}
		if len(records) != 1 || records[0].Origin != strings.TrimSuffix(web.CrossURL("/"), "/") || !records[0].Unhandled {
			t.Errorf("the records are %+v", records)
		}
	})
	fails(t, s, verbs.PolicyPermission, verbs.PermissionPolicyIn{Mode: "allow", Permissions: []string{"moon"}}, wire.CodeBadInput)
}

func TestNotificationPolicy(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/asks"))
	for _, tt := range []struct {
		mode, want, handled, permission string
		raised                          bool
	}{
		{"raise", "error", "denied", "default", true}, {"allow", "shown true", "allowed", "granted", false}, {"deny", "error", "denied", "denied", false},
	} {
		do(t, s, verbs.PolicyNotification, verbs.NotificationPolicyIn{Mode: tt.mode})
		got, records := said(t, s, "notify")
		if got != tt.want || len(records) != 1 || records[0].Message != "Hello" || records[0].Handled != tt.handled || records[0].Unhandled != tt.raised {
			t.Errorf("%s: %q, %+v", tt.mode, got, records)
		}
		if got := eval(t, s, "Notification.permission"); got != `"`+tt.permission+`"` {
			t.Errorf("%s: the permission is %s, want %s", tt.mode, got, tt.permission)
		}
		do(t, s, verbs.Reload, verbs.StepIn{})
		if got := eval(t, s, "Notification.permission"); got != `"`+tt.permission+`"` {
			t.Errorf("%s: in the next document the permission is %s, want %s", tt.mode, got, tt.permission)
		}
	}
}

func TestFilePickerPolicy(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/asks"))
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.txt"), filepath.Join(dir, "out.txt")
	if err := os.WriteFile(in, []byte("from disk"), 0o600); err != nil {
		t.Fatal(err)
	}
	expect := func(button, want, handled string, raised bool) {
		t.Helper()
		got, records := said(t, s, button)
		if got != want || len(records) != 1 || records[0].Kind != wire.KindFilePicker || records[0].Handled != handled || records[0].Unhandled != raised {
			t.Errorf("%s: %q, %+v; want %q", button, got, records, want)
		}
	}
	expect("pick", "AbortError", "denied", true)
	contents := "given"
	do(t, s, verbs.PolicyRespond, verbs.PickerRespondIn{API: "showOpenFilePicker", Paths: []string{in}})
	do(t, s, verbs.PolicyRespond, verbs.PickerRespondIn{API: "showOpenFilePicker", Files: []verbs.PickedFile{{Name: "a.txt", Contents: &contents}}})
	do(t, s, verbs.PolicyRespond, verbs.PickerRespondIn{API: "showSaveFilePicker", Paths: []string{out}})
	do(t, s, verbs.PolicyRespond, verbs.PickerRespondIn{API: "showDirectoryPicker", Paths: []string{in}})
	if q := do(t, s, verbs.PolicyStatus, verbs.Empty{}).Queued; len(q) != 4 {
		t.Errorf("queued is %+v", q)
	}
	expect("save", "out.txt", "allowed", false)
	if got, err := os.ReadFile(out); string(got) != "one two" || err != nil {
		t.Errorf("the page saved %q, %v", got, err)
	}
	expect("pick", "in.txt from disk", "allowed", false)
	expect("pick", "a.txt given", "allowed", false)
	expect("folder", "in.txt", "allowed", false)
	do(t, s, verbs.PolicyFilePicker, verbs.FilePickerPolicyIn{Mode: "allow"})
	expect("pick", "AbortError", "denied", true) // no file is queued any more
	do(t, s, verbs.PolicyFilePicker, verbs.FilePickerPolicyIn{Mode: "deny", APIs: []string{"showOpenFilePicker"}})
	do(t, s, verbs.PolicyRespond, verbs.PickerRespondIn{API: "showOpenFilePicker", Paths: []string{in}})
	expect("pick", "AbortError", "denied", false)
	fails(t, s, verbs.PolicyRespond, verbs.PickerRespondIn{API: "showOpenFilePicker", Paths: []string{filepath.Join(dir, "none")}}, wire.CodeBadInput)
	fails(t, s, verbs.PolicyRespond, verbs.PickerRespondIn{API: "showOpenFilePicker", Paths: []string{"in.txt"}}, wire.CodeBadInput)
	fails(t, s, verbs.PolicyRespond, verbs.PickerRespondIn{API: "showSaveFilePicker"}, wire.CodeBadInput)
}

// With the mode ask-human, the page waits until a person has decided. Other commands run during
// this wait.
func TestAskHuman(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/asks"))
	do(t, s, verbs.PolicyPermission, verbs.PermissionPolicyIn{Mode: "ask-human"})
	for _, tt := range []struct{ answer, want string }{{"allow", "video"}, {"deny", "NotAllowedError"}} {
		do(t, s, verbs.Click, verbs.ClickIn{Element: element("#camera")})
		var pending []verbs.PendingQuestion
		for end := time.Now().Add(patience); len(pending) == 0 && time.Now().Before(end); {
			pending = do(t, s, verbs.PolicyStatus, verbs.Empty{}).Pending
		}
		if len(pending) != 1 || pending[0].Name != "camera" {
			t.Fatalf("pending is %+v", pending)
		}
		if r := reply(t, s, verbs.GetText, verbs.GetIn{Element: element("#out")}); strings.Contains(string(r.Data), "camera:") ||
			len(r.Records) == 1 && (r.Records[0].Handled != "asked" || !strings.Contains(r.Records[0].Hint, pending[0].ID)) {
			t.Errorf("before the answer: %s, %+v", r.Data, r.Records)
		}
		do(t, s, verbs.PolicyAnswer, verbs.PolicyAnswerIn{ID: pending[0].ID, Answer: tt.answer})
		do(t, s, verbs.Wait, verbs.WaitIn{Text: "camera: " + tt.want})
		fails(t, s, verbs.PolicyAnswer, verbs.PolicyAnswerIn{ID: pending[0].ID, Answer: "allow"}, wire.CodeNotFound)
	}
}

// The session's next daemon decides about the requests of the pages that it adopts. When the
// session is closed, its page gets the browser's own functions back.
func TestPromptsOfNextDaemon(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/asks"))
	do(t, s, verbs.PolicyPermission, verbs.PermissionPolicyIn{Mode: "allow"})
	s.End(t)
	s = home.Resume(t, s.Name)
	if got, records := said(t, s, "camera"); got != "video" || len(records) != 1 {
		t.Errorf("under the next daemon: %q, %+v", got, records)
	}
	const native = "[navigator.mediaDevices.getUserMedia, Notification, navigator.geolocation.getCurrentPosition].every(f => String(f).includes('[native code]'))"
	if got := eval(t, s, native); got != "false" {
		t.Errorf("while the session lasts the functions are the browser's own")
	}
	const ours = "Reflect.ownKeys(globalThis).map(String).filter(name => /abrowser|playwright/i.test(name)).join()"
	look := onlooker(t, s)
	if look(ours) == `""` {
		t.Error("while the session lasts the page has nothing of ours, so the next check shows nothing")
	}
	do(t, s, verbs.Close, verbs.CloseIn{})
	s.End(t)
	if got := look("[" + native + ", " + ours + "].join()"); got != `"true,"` {
		t.Errorf("after release the page still has ours: %s", got)
	}
	// The functions of the page were restored. The next daemon replaces them again.
	s = home.Resume(t, s.Name)
	do(t, s, verbs.PolicyPermission, verbs.PermissionPolicyIn{Mode: "allow"})
	if got, records := said(t, s, "camera"); got != "video" || len(records) != 1 {
		t.Errorf("when the session comes again: %q, %+v", got, records)
	}
}

// The policies apply to a document that was loaded while the session had no daemon.
func TestPromptsOfDocumentLoadedMeanwhile(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/asks"))
	do(t, s, verbs.PolicyPermission, verbs.PermissionPolicyIn{Mode: "allow"})
	look := onlooker(t, s)
	s.End(t)
	look("globalThis.earlier = true; location.reload()")
	const loaded = "!globalThis.earlier && document.readyState === 'complete'"
	for end := time.Now().Add(patience); look(loaded) != "true"; {
		if time.Now().After(end) {
			t.Fatal("the page was not loaded again")
		}
	}
	s = home.Resume(t, s.Name)
	if got, records := said(t, s, "camera"); got != "video" || len(records) != 1 {
		t.Errorf("under the next daemon: %q, %+v", got, records)
	}
}

// A page and its frames get the browser's own functions back when the daemon ends without
// restoring them. The next daemon replaces them again.
func TestPromptsAfterDaemon(t *testing.T) {
	t.Parallel()
	web, neighbour := site.Start(t), site.Start(t)
	agent := wire.NewAgent(4711)
	const (
		native = "String(navigator.geolocation.getCurrentPosition).includes('[native code]')"
		// The expression all evaluates native in the page and in its frames.
		all = "Promise.all(Array.from(frames, f => new Promise(done => { addEventListener('message', function hear(e) { if (e.source === f) done(e.data), removeEventListener('message', hear) }); f.postMessage('', '*') })))" +
			".then(theirs => [" + native + ", ...theirs].join())"
	)
	agentLeaves := func(s *daemontest.Session) {
		broker := client.Client{Endpoint: s.Home.Broker(t), Session: s.Name, Agent: agent}.KeepAlive()
		t.Cleanup(func() { _ = broker.Close() })
		do(t, &daemontest.Session{Client: broker}, verbs.BrokerEndAgent, verbs.Empty{})
		s.End(t)
	}
	for _, tt := range []struct {
		name  string
		leave func(s *daemontest.Session)
	}{
		{"the daemon ends", func(s *daemontest.Session) { s.End(t) }},
		{"its agent leaves", agentLeaves},
		{"its agent leaves a busy page", func(s *daemontest.Session) {
			eval(t, as(t, s, agent), "setTimeout(() => { const end = performance.now() + 4000; while (performance.now() < end); }, 100); 1")
			time.Sleep(200 * time.Millisecond)
			agentLeaves(s)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := home.Start(t)
			mine := as(t, s, agent)
			open(t, mine, web.URL("/asks"))
			for _, url := range []string{web.URL("/asks"), neighbour.URL("/asks"), web.CrossURL("/asks")} { // the last in another process
				eval(t, mine, "new Promise(done => { const f = document.createElement('iframe'); f.src = '"+url+"'; f.onload = () => done(1); document.body.append(f) })")
			}
			if got := eval(t, mine, all); got != `"false,false,false,false"` {
				t.Fatalf("while the session lasts the functions are the browser's own: %s", got)
			}
			// The title is read without a CDP connection, which would count as the session's
			// next client.
			eval(t, mine, "{ let n = 0; setInterval(() => { n++; "+all+".then(said => document.title = said + ' ' + n) }, 100); 1 }")
			tt.leave(s)
			broker := client.Client{Endpoint: home.Broker(t), Session: s.Name}.KeepAlive()
			t.Cleanup(func() { _ = broker.Close() })
			// No event announces that the functions are restored.
			for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
				tabs := do(t, &daemontest.Session{Client: broker}, verbs.BrokerTabs, verbs.TabsIn{Session: s.Name}).Tabs
				if len(tabs) == 1 && tabs[0].State == "released" && strings.HasPrefix(tabs[0].Title, "true,true,true,true ") {
					break
				}
				if time.Now().After(end) {
					t.Fatalf("the page still has ours: %+v", tabs)
				}
			}
			next := as(t, home.Resume(t, s.Name), agent)
			// A daemon does not wait longer than installTime for busy pages.
			got := eval(t, next, all)
			for end := time.Now().Add(patience); got != `"false,false,false,false"`; got = eval(t, next, all) {
				if time.Now().After(end) {
					t.Fatalf("under the next daemon the functions are the browser's own: %s", got)
				}
				time.Sleep(50 * time.Millisecond)
			}
		})
	}
}
