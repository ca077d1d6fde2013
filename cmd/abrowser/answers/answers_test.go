//go:build linux

package answers_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/args"
	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// withoutExample returns the verbs whose example is not run, each with the reason.
func withoutExample() map[string]string {
	return map[string]string{
		verbs.Connect.Name:       "it needs a browser at this port; TestAttachedConnect runs the command",
		verbs.Inspect.Name:       "it serves until its input ends; the transcript inspect-page runs the command",
		verbs.Confirm.Name:       "its argument is different each time; the transcript policy-actions runs the command",
		verbs.Deny.Name:          "its argument is different each time; the transcript policy-actions runs the command",
		verbs.ReactTree.Name:     "it needs a page with React; TestReact runs the command",
		verbs.ReactInspect.Name:  "it needs a page with React; TestReact runs the command",
		verbs.ReactSuspense.Name: "it needs a page with React; TestReact runs the command",
		verbs.TabShow.Name:       "it serves until it is interrupted; TestWindowShowsASessionsPage runs the command",
		verbs.Login.Name:         "it waits for a person; TestLogin runs the command",
		verbs.Review.Name:        "it serves until it is interrupted; TestReview runs the command",
		verbs.AskPerson.Name:     "it waits for a person; the transcript ask-person runs the command",
		verbs.AnswerPerson.Name:  "its argument is different each time; the transcript ask-person runs the command",
		verbs.CDP.Name:           "npx would download the program; the transcript cdp-endpoint and others run the command",
		verbs.Tabs.Name:          "it shows the commands that were reported until then; the transcript tabs-table runs the command",
		verbs.Events.Name:        "it tells what the other commands did; the transcript events-stream runs the command",
		verbs.SessionLog.Name:    "it tells how long commands took; the transcript session-log runs the command",
		verbs.SessionExport.Name: "its files depend on what the session has shown; the transcript session-log and TestExport run the command",
		verbs.RequestDetail.Name: "its argument is different each time; the transcript network-requests runs the command",
		verbs.Install.Name:       "--with-deps changes the machine; TestTamperedArchiveIsRefused and others run install",
		verbs.Doctor.Name:        "its exit status depends on the machine; TestDoctorMendsTheDriver and others run it",
	}
}

const saveLogin = "auth save shop --url https://example.com --username me --password-file password.txt"

// before returns the commands that must run before a verb's example.
func before() map[string][]string {
	return map[string][]string{
		verbs.Back.Name:             {"open https://example.com/second"},
		verbs.Forward.Name:          {"open https://example.com/second", "back"},
		verbs.TabSwitch.Name:        {"tab new https://example.com", "tab t1"},
		verbs.KeyboardInsert.Name:   {"focus #name"},
		verbs.TabClose.Name:         {"tab new"},
		verbs.HandBack.Name:         {"take-over"},
		verbs.PolicyAnswer.Name:     {"policy permission ask-human geolocation", "eval navigator.geolocation.getCurrentPosition(()=>{});1"},
		verbs.PolicyRespond.Name:    {"policy file-picker allow"},
		verbs.DiffSnapshot.Name:     {"snapshot"},
		verbs.DiffScreenshot.Name:   {"screenshot before.png"},
		verbs.SetReset.Name:         {"set viewport 800 600"},
		verbs.ClipboardCopy.Name:    {"fill #name Ada", "press Control+a"},
		verbs.ClipboardPaste.Name:   {"clipboard write Hello", "focus #name"},
		verbs.StateLoad.Name:        {"state save login"},
		verbs.StateShow.Name:        {"state save login"},
		verbs.StateClear.Name:       {"state save login"},
		verbs.StateRename.Name:      {"state save login"},
		verbs.AuthLogin.Name:        {saveLogin},
		verbs.AuthShow.Name:         {saveLogin},
		verbs.AuthDelete.Name:       {saveLogin},
		verbs.HARStop.Name:          {"network har start trace.har"},
		verbs.TraceStop.Name:        {"trace start"},
		verbs.RecordRestart.Name:    {"record start film.webm"},
		verbs.RecordStop.Name:       {"record start film.webm"},
		verbs.ProfilerStop.Name:     {"profiler start"},
		verbs.ReactRendersStop.Name: {"react renders start"},
		verbs.RemoveInitScript.Name: {"addinitscript window.test=true"},
	}
}

// after returns the commands that must run after a verb's example. They restore the state that the
// examples of other verbs need.
func after() map[string][]string {
	return map[string][]string{
		verbs.TakeOver.Name:    {"hand-back"},
		verbs.StateRename.Name: {"state clear admin"},
	}
}

// failing has, for each verb that can fail in a way of its own, a command line that fails. The
// other verbs are given a flag that they do not have, or no argument.
const failing = `
open http://localhost:1/
pushstate https://example.org/
snapshot --selector #missing
get text #missing
get innertext #missing
get html #missing
get value #missing
get attr #missing href
get attributes #missing
get title --tab t9
get url --tab t9
get box #missing
get styles #missing
is visible :::
is enabled #missing
is checked #missing
eval 'throw new Error("no")'
screenshot missing/page.png
pdf missing/page.pdf
read ftp://example.com
diff snapshot --baseline missing.txt
diff screenshot --baseline missing.png
diff url https://example.com ftp://example.com
a11y --selector #missing --timeout 10000
click #missing
dblclick #missing
fill #missing Ada
type #missing Ada
hover #missing
focus #missing
select #colour Blue
check #missing
uncheck #name
scroll sideways
scrollintoview #missing
drag #card #missing
upload #file missing.pdf
tap #missing
swipe sideways
highlight #missing
find role button click --name Zed
download #missing report.csv
press NoSuchKey
keydown NoSuchKey
keyup NoSuchKey
keyboard type
keyboard inserttext
mouse move here there
mouse down third
mouse up third
mouse wheel far
wait --text Nothing
tab new ftp://example.com
tab t9
tab close t99
tab prune --older-than soon
tab keep t9
frame #missing
policy dialog maybe
policy permission allow moon
policy notification maybe
policy file-picker maybe
policy respond showOpenFilePicker missing.pdf
policy answer q9 allow
cookies set theme dark --domain example.org --url https://example.com
network requests --status 7xx
network request 999
network route **/data.json
network unroute **/none
network har start missing/trace.har
network har stop
trace stop trace.zip
record start missing/film.webm
record restart missing/film.webm
record stop
react tree
react inspect r3
react renders stop
react suspense
profiler stop slow.cpuprofile
state save ../
state load missing
state show missing
state clear missing
state clean --older-than -1
state rename missing admin
clipboard write
auth save shop --username me
auth login missing
auth show missing
auth delete missing
set viewport 0 0
set device Nokia
set geo 100 200
set offline perhaps
set headers {
set credentials me
set media pink
confirm c-0
deny c-0
answer p9
hand-back
review t9
tab show task_9/t2
login ftp://example.com
addinitscript --file missing.js
removeinitscript s9
batch fly
session info nobody
session close
session done --status perhaps
session log nobody
session export .
session id --scope moon
events --limit many
connect 1
mcp --tools moon
mcp install nobody
skills get nobody
skills install nobody
`

// The answers of each verb to its example and to a command line that fails, as text and as JSON, are
// those of testdata/answers.txt. What differs from run to run is left out of them.
func TestAnswersOfEveryVerb(t *testing.T) {
	t.Parallel()
	pages := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store") // otherwise the browser caches the page or not, depending on the age of the file
		http.ServeFile(w, r, "testdata/examples.html")
	}))
	t.Cleanup(pages.Close)
	dir := t.TempDir()
	h := e2e.NewHome(t)
	h.Cwd = dir
	for name, content := range map[string]string{"report.pdf": "%PDF", "password.txt": "open sesame\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a := answers{t: t, h: h, site: pages.URL, dir: dir, session: "examples"}
	for _, v := range verbs.All() {
		if !v.Describe().Hidden {
			a.record(v)
		}
	}
	for _, written := range []string{".cursor", ".claude"} { // by mcp install and skills install
		if err := os.RemoveAll(filepath.Join(h.Outer, "h", written)); err != nil {
			t.Error(err)
		}
	}
	const path = "testdata/answers.txt"
	if flag.Lookup("update").Value.(flag.Getter).Get().(bool) {
		if err := os.WriteFile(path, []byte(a.text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, got := strings.Split(string(kept), "\n== "), strings.Split(a.text.String(), "\n== ")
	for i, section := range got {
		if i >= len(want) || section != want[i] {
			t.Errorf("an answer differs from %s; go test ./cmd/abrowser/answers -run AnswersOfEveryVerb -update writes it\ngot\n%s\nwant\n%s", path, section, slices.Concat(want, make([]string, len(got)))[i])
		}
	}
	if len(want) > len(got) {
		t.Errorf("%s has %d verbs, and there are %d", path, len(want), len(got))
	}
}

// answers runs command lines and collects the answers.
type answers struct {
	t         *testing.T
	h         *e2e.Home
	site, dir string
	session   string // of the command lines
	text      strings.Builder
}

func (a *answers) record(v wire.AnyVerb) {
	spec := v.Describe()
	fmt.Fprintf(&a.text, "\n== %s\n", spec.Name)
	for _, json := range []bool{false, true} {
		if withoutExample()[spec.Name] != "" || json && strings.Contains(spec.Example, "--json") {
			continue
		}
		a.session = "examples"
		if strings.HasPrefix(spec.Name, "tab ") || strings.HasPrefix(spec.Name, "policy ") { // their examples name the first tabs and questions of a session
			a.session = fmt.Sprintf("%s-%t", strings.ReplaceAll(spec.Name, " ", "-"), json)
		}
		a.prepare(spec)
		for _, line := range before()[spec.Name] {
			a.run(false, line)
		}
		r := a.run(json, strings.TrimPrefix(spec.Example, "abrowser "))
		if r.Status != wire.ExitDone {
			a.t.Errorf("the example of %s: %s", spec.Name, r)
		}
		a.add(json, spec.Example, r)
		for _, line := range after()[spec.Name] {
			a.run(false, line)
		}
	}
	if spec.Name == verbs.DialogAccept.Name {
		return // it takes any text, and there may be no dialog
	}
	line := failingLine(spec.Name)
	if hasTimeout(v) && !strings.Contains(line, "--timeout") && regexp.MustCompile(`#missing|Nothing|Zed|Blue`).MatchString(line) {
		line += " --timeout 500" // it waits for what will not come
	}
	for _, json := range []bool{false, true} {
		r := a.run(json, line)
		if r.Status == wire.ExitDone {
			a.t.Errorf("%s does not fail: %s", line, r)
		}
		a.add(json, "abrowser "+line, r)
	}
}

// prepare opens the page for a verb that needs one. Verbs whose answers depend on what the session has
// done get a new session.
func (a *answers) prepare(spec wire.Spec) {
	if spec.By != wire.ByDaemon && !strings.HasPrefix(spec.Name, "tab ") {
		return
	}
	if regexp.MustCompile(`^(snapshot|frame|network|trace|record|react|profiler|set|addinitscript|removeinitscript|console|errors|take-over|hand-back|clipboard|storage|cookies)\b`).MatchString(spec.Name) {
		a.run(false, "close --page")
	}
	a.run(false, "open https://example.com")
}

func hasTimeout(v wire.AnyVerb) bool {
	return slices.ContainsFunc(v.Fields(), func(f wire.Field) bool { return f.Flag == "timeout" })
}

// failingLine returns the line of failing that is for the verb and for no verb with a longer name.
func failingLine(verb string) string {
	for line := range strings.Lines(failing) {
		line = strings.TrimSpace(line)
		name := ""
		for _, v := range verbs.All() {
			for _, alias := range append(v.Describe().Aliases, v.Describe().Name) {
				if strings.HasPrefix(line+" ", alias+" ") && len(alias) > len(name) {
					name = alias
				}
			}
		}
		if name == verb || verb == verbs.TabSwitch.Name && line == "tab t9" {
			return line
		}
	}
	return verb + " --fly"
}

func (a *answers) run(json bool, line string) e2e.Result {
	words, err := args.Split(strings.ReplaceAll(line, "https://example.com", a.site))
	if err != nil {
		a.t.Fatal(err)
	}
	if !slices.Contains(words, "--session") {
		words = append([]string{"--session", a.session}, words...) // not in the environment, because some verbs are for people
	}
	if json {
		words = append([]string{"--json"}, words...)
	}
	return a.h.Try("", words...)
}

// add writes a command line and its answer. It cuts a long text.
func (a *answers) add(asJSON bool, line string, r e2e.Result) {
	const most = 20 // lines
	if asJSON {
		line = strings.Replace(line, "abrowser", "abrowser --json", 1)
	}
	fmt.Fprintf(&a.text, "$ %s\n", line)
	for _, stream := range []string{r.Stdout, r.Stderr} {
		var value any
		if strings.HasPrefix(stream, "{") && json.Unmarshal([]byte(stream), &value) == nil {
			var raw strings.Builder
			encoder := json.NewEncoder(&raw)
			encoder.SetEscapeHTML(false)
			if err := encoder.Encode(plain(value)); err != nil {
				a.t.Fatal(err)
			}
			stream = raw.String()
		}
		lines := strings.Split(strings.TrimRight(a.stable(stream), "\n"), "\n")
		if len(lines) > most {
			lines = append(lines[:most], "...")
		}
		if text := strings.Join(lines, "\n"); text != "" {
			a.text.WriteString(text + "\n")
		}
	}
	if r.Status != wire.ExitDone {
		fmt.Fprintf(&a.text, "exit %d\n", r.Status)
	}
}

// plain returns a JSON value without numbers, long texts and large objects, and with at most three
// elements of each list.
func plain(value any) any {
	switch v := value.(type) {
	case map[string]any:
		delete(v, "lastCommand") // it is reported some time after the reply
		if len(v) > 30 {         // the properties of a style differ between versions of the browser
			return "an object of more than 30 members"
		}
		for name := range v {
			v[name] = plain(v[name])
		}
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
		if len(v) > 3 {
			return append(v[:3:3], "...")
		}
	case float64:
		return "NUMBER"
	case string:
		if len(v) > 300 {
			return v[:100] + "..."
		}
	}
	return value
}

// stable replaces what differs from run to run.
func (a *answers) stable(text string) string {
	text = strings.NewReplacer(a.site, "http://SITE", strings.TrimPrefix(a.site, "http://"), "SITE", a.dir, "DIR", a.h.Outer, "HOME", a.h.Dir, "HOME").Replace(text)
	for _, r := range []struct{ pattern, with string }{
		{`\b[0-9A-F]{32}\b`, "ID"},
		{`\b[0-9a-f]{16,64}\b`, "ID"},
		{`\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.\d]*(Z|[+-]\d\d:\d\d)?`, "TIME"},
		{`\d\d:\d\d:\d\d`, "TIME"},
		{`(shop-|"hash":")[0-9a-f]+`, "${1}HASH"},
		{`127\.0\.0\.1(:\d+)?`, "HOST"},
		{`\d+(\.\d+){2,3}(-\S+)?`, "VERSION"},
		{`\d+(\.\d+)?( ?)(ms|s|m|h|kB|KB|MB|GB|bytes)\b`, "N$2$3"},
		{`\d+ samples|\d{2,}`, "N"},
		{` {2,}`, "  "},
	} {
		text = regexp.MustCompile(r.pattern).ReplaceAllString(text, r.with)
	}
	return text
}
