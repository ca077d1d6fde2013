package prompts

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// A file chooser is answered once, with as many files as it takes, and only while its document is
// shown. A page has at most one.
func TestFileChoosers(t *testing.T) {
	p, dir := withPolicies(t, verbs.Policies{}), t.TempDir()
	one, two := filepath.Join(dir, "a.txt"), filepath.Join(dir, "b.txt")
	for _, path := range []string{one, two} {
		if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	open, gone, chosen := true, error(nil), 0
	chooser := Chooser{Origin: "http://a.test", IsOpen: func() bool { return open }, Choose: func(files []File) error {
		chosen += len(files)
		return gone
	}}
	several := chooser
	several.Several = true
	p.Open("page 1", several) // replaced by the next one
	p.Open("page 1", chooser)
	p.Open("page 2", several)
	all := p.Pending(false)
	if len(all) != 2 || all[0].ID != "q2" || all[0].Name != "one file" || all[1].Name != "files" || all[0].Kind != wire.KindFileChooser || len(p.Pending(true)) != 0 {
		t.Fatalf("Pending() = %+v", all)
	}
	for _, tt := range []struct {
		name  string
		id    string
		allow bool
		paths []string
		want  wire.Code
	}{
		{"no file", "q2", true, nil, wire.CodeBadInput},
		{"too many", "q2", true, []string{one, two}, wire.CodeBadInput},
		{"a file that is not there", "q2", true, []string{one + "x"}, wire.CodeBadInput},
		{"the replaced one", "q1", true, []string{one}, wire.CodeNotFound},
	} {
		if err := p.Answer(tt.id, tt.allow, tt.paths); !errors.Is(err, tt.want) {
			t.Errorf("%s: Answer() = %v, want %s", tt.name, err, tt.want)
		}
	}
	if err := p.Answer("q3", true, []string{one, two}); err != nil || chosen != 2 {
		t.Errorf("several files: %v, and %d are chosen", err, chosen)
	}
	if err := p.Answer("q3", true, []string{one}); !errors.Is(err, wire.CodeNotFound) {
		t.Errorf("a second answer: %v", err)
	}
	if err := p.Answer("q2", false, nil); err != nil || chosen != 2 || len(p.Pending(false)) != 0 {
		t.Errorf("refused: %v, and %d are chosen, pending %v", err, chosen, p.Pending(false))
	}
	p.Open("page 1", chooser)
	gone = errors.New("no element")
	if err := p.Answer("q4", true, []string{one}); !errors.Is(err, wire.CodeNotFound) {
		t.Errorf("a field that is gone: %v", err)
	}
	p.Open("page 1", chooser)
	p.Withdraw("page 1")
	p.Open("page 2", chooser)
	open = false
	if all := p.Pending(false); len(all) != 0 {
		t.Errorf("after the files were chosen, and in another document: %v", all)
	}
	if err := p.Answer("q6", true, []string{one}); !errors.Is(err, wire.CodeNotFound) {
		t.Errorf("in another document: %v", err)
	}
}
