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
