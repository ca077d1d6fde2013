package web_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const uploadPage = `(() => {
	document.body.innerHTML = '<input type="file" id="one"><label id="label">Picture <input type="file" id="many" multiple hidden></label>' +
		'<input type="file" id="folder" webkitdirectory><button id="chooser">Choose</button><button id="plain">Plain</button><b id="hidden" hidden>b</b>';
	window.log = [];
	const contents = async (f) => (f.webkitRelativePath || f.name) + "=" + (await f.text());
	const report = async (e) => log.push((e.target.id || "made") + ":" + (await Promise.all([...e.target.files].map(contents))).sort().join());
	addEventListener("change", report);
	document.querySelector("#chooser").onclick = () => { const made = document.createElement("input"); made.type = "file"; made.onchange = report; made.click(); };
	document.querySelector("#plain").onclick = () => log.push("clicked");
	return 0;
})()`

func TestUpload(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/one"))
	eval(t, s, uploadPage)
	dir := t.TempDir()
	folder := filepath.Join(dir, "folder")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	a, b := filepath.Join(dir, "a.txt"), filepath.Join(folder, "b.txt")
	for path, text := range map[string]string{a: "A", b: "B"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		selector string
		files    []string
		want     string
	}{
		{"#one", []string{a}, "one:a.txt=A"},
		{"#many", []string{a, b}, "many:a.txt=A,b.txt=B"},
		{"#label", []string{b}, "many:b.txt=B"},
		{"#folder", []string{folder}, "folder:folder/b.txt=B"},
		{"#chooser", []string{a}, "made:a.txt=A"},
	} {
		eval(t, s, "log.length = 0")
		if out := do(t, s, verbs.Upload, verbs.UploadIn{Element: element(tt.selector), Files: tt.files}); out.Selector != tt.selector || out.Uploaded != len(tt.files) {
			t.Errorf("upload to %s = %+v", tt.selector, out)
		}
		do(t, s, verbs.Wait, verbs.WaitIn{Script: "log.length > 0"})
		if got := eval(t, s, "log.join(';')"); got != `"`+tt.want+`"` {
			t.Errorf("after the upload to %s the page has %s, want %s", tt.selector, got, tt.want)
		}
	}
	eval(t, s, "log.length = 0")
	for _, tt := range []struct {
		selector string
		files    []string
		code     wire.Code
		message  string
		log      string
	}{
		{"#one", []string{filepath.Join(dir, "missing.txt")}, wire.CodeBadInput, "missing.txt", ""},
		{"#one", []string{a, folder}, wire.CodeBadInput, "can only be uploaded alone", ""},
		{"#one", []string{a, b}, wire.CodeNotActionable, "takes only one file", ""},
		{"#one", []string{folder}, wire.CodeNotActionable, "takes no directory", ""},
		{"#folder", []string{a}, wire.CodeNotActionable, "takes a directory", ""},
		{"#hidden", []string{a}, wire.CodeNotActionable, "not visible", ""},
		{"#nowhere", []string{a}, wire.CodeNotFound, "#nowhere", ""},
		{"#chooser", []string{a, b}, wire.CodeNotActionable, "takes only one file", ""},
		{"#plain", []string{a}, wire.CodeNotActionable, "opened no file chooser", "clicked"},
	} {
		err := fails(t, s, verbs.Upload, verbs.UploadIn{Element: element(tt.selector), Files: tt.files, TimeoutIn: verbs.TimeoutIn{Timeout: 3000}}, tt.code)
		if !strings.Contains(err.Message, tt.message) {
			t.Errorf("the error of %s and %q is %q, want %q", tt.selector, tt.files, err.Message, tt.message)
		}
		if got := eval(t, s, "log.join(';')"); got != `"`+tt.log+`"` {
			t.Errorf("after %s and %q the page has %s, want %q", tt.selector, tt.files, got, tt.log)
		}
	}
}

// When the reply to a click says that the page has opened a file chooser, policy status lists it, so
// that the next command can answer it. Each click opens another one.
func TestFileChooserIsListedAfterTheClick(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/one"))
	eval(t, s, "document.body.innerHTML = '<input type=file>'; 0")
	known := ""
	for range 20 {
		if out := do(t, s, verbs.Click, verbs.ClickIn{Element: element("input")}); !out.FileChooser {
			t.Fatalf("the click answers %+v", out)
		}
		pending := do(t, s, verbs.PolicyStatus, verbs.Empty{}).Pending
		if len(pending) != 1 || pending[0].Kind != wire.KindFileChooser || pending[0].ID == known {
			t.Fatalf("after a click policy status lists %+v; before it was %q", pending, known)
		}
		known = pending[0].ID
	}
}
