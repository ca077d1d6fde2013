package prompts

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// withPolicies returns the prompts of a session that has the given policies.
func withPolicies(t *testing.T, policies verbs.Policies) *Prompts {
	t.Helper()
	root := home.Root{Dir: t.TempDir()}
	state := daemon.OpenState(root, "s", nil)
	if err := state.Change(func(s *daemon.State) {
		s.Policies = policies
		s.Emulation.Geo = &daemon.Position{Latitude: 1}
	}); err != nil {
		t.Fatal(err)
	}
	return New(state, &daemon.Notices{})
}

func TestDecide(t *testing.T) {
	camera := Request{Kind: wire.KindPermission, Names: []string{"camera"}}
	both := Request{Kind: wire.KindPermission, Names: []string{"camera", "microphone"}}
	for _, tt := range []struct {
		name     string
		policies verbs.Policies
		request  Request
		want     string
	}{
		{"a permission without a policy", verbs.Policies{}, camera, doDeny},
		{"a permission that is allowed", verbs.Policies{Permission: verbs.PolicyAllow}, camera, doAllow},
		{"one that is denied by name", verbs.Policies{Permission: verbs.PolicyAllow, PerPermission: map[string]string{"camera": verbs.PolicyDeny}}, camera, doDeny},
		{"two of which one is denied", verbs.Policies{Permission: verbs.PolicyAllow, PerPermission: map[string]string{"microphone": verbs.PolicyDeny}}, both, doDeny},
		{"two that are allowed", verbs.Policies{Permission: verbs.PolicyAllow}, both, doAllow},
		{"one that browsers grant", verbs.Policies{}, Request{Kind: wire.KindPermission, Names: []string{"gyroscope"}}, doAllow},
		{"too many", verbs.Policies{Permission: verbs.PolicyAllow}, Request{Kind: wire.KindPermission, Names: make([]string, 5)}, doDeny},
		{"a notification without a policy", verbs.Policies{}, Request{Kind: wire.KindNotification}, doDeny},
		{"a notification that is allowed", verbs.Policies{Notification: verbs.PolicyAllow}, Request{Kind: wire.KindNotification}, doAllow},
		{"a file picker without a file", verbs.Policies{FilePicker: verbs.PolicyAllow}, Request{Kind: wire.KindFilePicker, API: verbs.PickerNames()[0]}, doDeny},
		{"an unknown file picker", verbs.Policies{}, Request{Kind: wire.KindFilePicker, API: "other"}, doDeny},
		{"a file that was not chosen", verbs.Policies{}, Request{Kind: "save", File: "f1"}, doDeny},
		{"an unknown request", verbs.Policies{}, Request{Kind: "other"}, doDeny},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := withPolicies(t, tt.policies).Decide(nil, "http://a.test", tt.request); got.Do != tt.want {
				t.Errorf("Decide() = %+v, want %s", got, tt.want)
			}
		})
	}
	p := withPolicies(t, verbs.Policies{Permission: verbs.PolicyAllow})
	if got := p.Decide(nil, "", Request{Kind: wire.KindPermission, Names: []string{"geolocation"}}); got.Position == nil || got.Position.Latitude != 1 {
		t.Errorf("geolocation = %+v", got)
	}
	if got := p.Decide(nil, "", Request{Kind: "query", Names: []string{"camera"}}); got.State != "granted" || p.NotificationPermission() != "granted" {
		t.Errorf("a query = %+v", got)
	}
}

func TestAskPerson(t *testing.T) {
	p := withPolicies(t, verbs.Policies{Permission: verbs.PolicyAskHuman})
	ask := func() string {
		t.Helper()
		v := p.Decide(nil, "http://a.test", Request{Kind: wire.KindPermission, Names: []string{"camera"}})
		if v.Wait == "" {
			t.Fatalf("Decide() = %+v, want that it waits", v)
		}
		return v.Wait
	}
	for _, allow := range []bool{true, false} {
		id := ask()
		if all := p.Pending(false); len(all) != 1 || all[0].ID != id || all[0].Origin != "http://a.test" {
			t.Errorf("Pending() = %+v", all)
		}
		if err := p.Answer(id, allow, nil); err != nil {
			t.Fatal(err)
		}
		if err := p.Answer(id, !allow, nil); !errors.Is(err, wire.CodeNotFound) || len(p.Pending(false)) != 0 {
			t.Errorf("a second answer = %v", err)
		}
		if got := p.Decide(nil, "", Request{Kind: "wait", Wait: id}); got.Do != map[bool]string{true: doAllow, false: doDeny}[allow] {
			t.Errorf("after the answer %t: %+v", allow, got)
		}
	}
	gone := make(chan struct{})
	close(gone)
	if got := p.Decide(gone, "", Request{Kind: "wait", Wait: ask()}); got.Do != doDeny {
		t.Errorf("on a connection that is lost: %+v", got)
	}
	for range maxPending - 1 {
		ask()
	}
	if got := p.Decide(nil, "", Request{Kind: wire.KindPermission, Names: []string{"camera"}}); got.Do != doDeny {
		t.Errorf("with too many questions: %+v", got)
	}
}

func TestPickFiles(t *testing.T) {
	p, dir := withPolicies(t, verbs.Policies{}), t.TempDir()
	path := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, in := range []verbs.PickerRespondIn{
		{API: "showOpenFilePicker", Paths: []string{"a.txt"}},
		{API: "showOpenFilePicker", Paths: []string{dir}},
		{API: "showOpenFilePicker", Files: []verbs.PickedFile{{}}},
		{API: "showSaveFilePicker", Paths: []string{"b.txt"}},
		{API: "showSaveFilePicker", Paths: []string{filepath.Join(dir, "none", "b.txt")}},
	} {
		if _, err := p.Respond(in); !errors.Is(err, wire.CodeBadInput) {
			t.Errorf("Respond(%+v) = %v, want %s", in, err, wire.CodeBadInput)
		}
	}
	if _, err := p.Respond(verbs.PickerRespondIn{API: "showOpenFilePicker", Paths: []string{path}}); err != nil {
		t.Fatal(err)
	}
	save := filepath.Join(dir, "b.txt")
	if _, err := p.Respond(verbs.PickerRespondIn{API: "showSaveFilePicker", Paths: []string{save}}); err != nil {
		t.Fatal(err)
	}
	if got := p.Queued(); !slices.Equal(got, []verbs.QueuedAnswer{{API: "showOpenFilePicker", Files: 1}, {API: "showSaveFilePicker", Files: 1}}) {
		t.Errorf("Queued() = %+v", got)
	}
	v := p.Decide(nil, "", Request{Kind: wire.KindFilePicker, API: "showOpenFilePicker"})
	if v.Do != doAllow || len(v.Files) != 1 || v.Files[0].Name != "a.txt" || string(v.Files[0].Data) != "text" {
		t.Errorf("the page is given %+v", v)
	}
	v = p.Decide(nil, "", Request{Kind: wire.KindFilePicker, API: "showSaveFilePicker"})
	if v.Do != doAllow || v.Name != "b.txt" || v.File == "" {
		t.Errorf("the page is given %+v", v)
	}
	p.Decide(nil, "", Request{Kind: "save", File: v.File, Data: []byte("one ")})
	p.Decide(nil, "", Request{Kind: "save", File: v.File, Data: []byte("two"), More: true})
	if raw, err := os.ReadFile(save); string(raw) != "one two" {
		t.Errorf("the file has %q, %v", raw, err)
	}
}
