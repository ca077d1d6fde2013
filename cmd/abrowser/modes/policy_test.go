//go:build linux

package modes_test

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Every policy works in every mode of the browser, and applies only to the session that set it. A
// policy decides how a session answers the dialogs of its pages, and the pages' requests for
// permissions and files.
func TestPoliciesInAllModes(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	p := e2e.NewPerson(t, h, "")
	file := filepath.Join(h.Outer, "in.txt")
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	modes := map[string][]string{
		"shared": nil, "incognito": {"--mode", "incognito"}, "persistent": {"--profile", "work"}, "attached": {"--cdp", p.Port},
	}
	// steps runs commands of a session in one batch, and returns the records of all of them. A
	// record reports a dialog or request of a page, and how it was answered.
	steps := func(t *testing.T, session string, flags []string, commands ...string) []wire.Record {
		t.Helper()
		r := h.Try(session, append(append([]string{"--json"}, flags...), append([]string{"batch", "--bail"}, commands...)...)...)
		var results []verbs.StepResult
		if err := json.Unmarshal([]byte(r.Stdout), &results); err != nil || r.Status != wire.ExitDone {
			t.Fatalf("%v %s", err, r)
		}
		var records []wire.Record
		for _, one := range results {
			records = append(records, one.Records...)
		}
		return records
	}
	raised := []string{
		"open " + s.URL("/dialogs"), "click '#confirm'", "wait --text 'confirm false'",
		"open " + s.URL("/asks"), "click '#camera'", "wait --text 'camera: NotAllowedError'",
		"click '#notify'", "wait --text 'notify: error'", "click '#pick'", "wait --text 'pick: AbortError'",
	}
	// Each mode has its own session. The subtests run one after the other: parallel ones would
	// only wait for each other.
	for mode, flags := range modes {
		t.Run(mode, func(t *testing.T) {
			if got := steps(t, mode, flags, raised...); len(got) != 4 || !allRaised(got) {
				t.Errorf("with no policy set the records are %+v", got)
			}
			got := steps(t, mode, flags,
				"policy dialog accept", "policy permission allow camera", "policy notification allow", "policy file-picker allow", "policy respond showOpenFilePicker "+file,
				"click '#camera'", "wait --text 'camera: video'", "click '#notify'", "wait --text 'notify: shown true'",
				"click '#pick'", "wait --text 'pick: in.txt text'", "open "+s.URL("/dialogs"), "click '#confirm'", "wait --text 'confirm true'")
			if len(got) != 4 || wire.AnyUnhandled(got) {
				t.Errorf("with policies the records are %+v", got)
			}
			got = steps(t, mode, flags, "policy dialog accept-prompt-with Eve", "click '#prompt'", "wait --text 'prompt Eve'",
				"open "+s.URL("/asks"), "policy permission ask-human camera", "click '#camera'")
			// The page may make its request some time after the click.
			if !e2e.Await(20*time.Second, func() bool { return h.Try(mode, "policy", "answer", "q1", "allow").Status == wire.ExitDone }) {
				t.Errorf("no request waits for a person: %s", h.Text(t, mode, "policy", "status"))
			}
			got = append(got, steps(t, mode, flags, "wait --text 'camera: video'")...)
			if len(got) != 2 || wire.AnyUnhandled(got) || got[0].Handled != "accepted" || got[1].Handled != "asked" {
				t.Errorf("with a text and a person the records are %+v", got)
			}
			got = steps(t, mode, flags,
				"policy dialog dismiss", "policy permission deny", "policy notification deny", "policy file-picker deny",
				"open "+s.URL("/dialogs"), "click '#confirm'", "wait --text 'confirm false'", "open "+s.URL("/asks"), "click '#camera'", "wait --text 'camera: NotAllowedError'",
				"click '#notify'", "wait --text 'notify: error'", "click '#pick'", "wait --text 'pick: AbortError'")
			if len(got) != 4 || wire.AnyUnhandled(got) {
				t.Errorf("denied the records are %+v", got)
			}
			checkPermissions(t, func(commands ...string) []wire.Record { return steps(t, mode, flags, commands...) })
		})
	}
	// The policies of session "shared" do not apply to another session in the same browser
	// context.
	if got := steps(t, "other", nil, raised...); len(got) != 4 || !allRaised(got) {
		t.Errorf("another session's records are %+v", got)
	}
}

// checkPermissions sets one permission policy after another. Under each policy, it makes the page
// /asks, which must be open, request each permission in the list below. Under ask-human, the
// policy that asks a person, it answers the requests alternately with allow and deny.
func checkPermissions(t *testing.T, steps func(commands ...string) []wire.Record) {
	t.Helper()
	all := []struct{ button, allowed, denied, raised string }{
		{"camera", "video", "NotAllowedError", ""},
		{"call", "audio,video", "NotAllowedError", ""},
		{"place", "52.5 13.5", "code 1", ""},
		{"paste", "[]", "NotAllowedError", ""},
		{"midi", "0", "NotAllowedError", ""},
		{"ask", "granted granted", "denied denied", "denied default"},
		{"screen", "video", "NotAllowedError", ""},
	}
	for _, mode := range []string{verbs.PolicyRaise, verbs.PolicyDeny, verbs.PolicyAllow} {
		commands := []string{"set geo 52.5 13.5", "policy notification raise", "policy permission " + mode}
		for _, one := range all {
			told := map[string]string{verbs.PolicyAllow: one.allowed, verbs.PolicyDeny: one.denied, verbs.PolicyRaise: cmp.Or(one.raised, one.denied)}[mode]
			commands = append(commands, "click '#"+one.button+"'", "wait --text '"+one.button+": "+told+"'")
		}
		got := steps(commands...) // the button "call" makes two records, for camera and microphone
		if len(got) != len(all)+1 || allRaised(got) != (mode == verbs.PolicyRaise) || wire.AnyUnhandled(got) != (mode == verbs.PolicyRaise) {
			t.Errorf("%s: the records are %+v", mode, got)
		}
	}
	steps("policy permission ask-human")
	for i, one := range all {
		answer, told := verbs.PolicyAllow, one.allowed
		if i%2 == 1 {
			answer, told = verbs.PolicyDeny, cmp.Or(one.raised, one.denied)
		}
		got := steps("click '#" + one.button + "'")
		for range 200 { // the page may make its request some time after the click
			if len(got) > 0 {
				break
			}
			got = steps("wait 50")
		}
		if len(got) != 1 || got[0].Handled != "asked" {
			t.Errorf("%s: the records are %+v, want one request to a person", one.button, got)
			continue
		}
		id := strings.Fields(got[0].Hint)[3] // abrowser policy answer ID
		steps("policy answer "+id+" "+answer, "wait --text '"+one.button+": "+told+"'")
	}
}

// allRaised reports whether all records are marked as unhandled and have a hint.
func allRaised(all []wire.Record) bool {
	for _, r := range all {
		if !r.Unhandled || r.Hint == "" {
			return false
		}
	}
	return true
}
