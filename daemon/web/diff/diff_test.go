package diff_test

import (
	"testing"

	"github.com/abrowser/abrowser/daemon/web/diff"
	"github.com/abrowser/abrowser/sockets/verbs"
)

func TestTexts(t *testing.T) {
	for _, tt := range []struct {
		name, before, after string
		want                verbs.DiffSnapshotOut
	}{
		{"both empty", "", "", verbs.DiffSnapshotOut{}},
		{"the same", "a\nb", "a\nb\n", verbs.DiffSnapshotOut{Unchanged: 2}},
		{"a new line", "a\nb", "a\nc\nb", verbs.DiffSnapshotOut{Diff: "@@ -1,2 +1,3 @@\n a\n+c\n b", Additions: 1, Unchanged: 2, Changed: true}},
		{"another line", "a\nb", "a\n- b", verbs.DiffSnapshotOut{Diff: "@@ -1,2 +1,2 @@\n a\n-b\n+- b", Additions: 1, Removals: 1, Unchanged: 1, Changed: true}},
		{"a line like a header", "-- a", "++ b", verbs.DiffSnapshotOut{Diff: "@@ -1 +1 @@\n--- a\n+++ b", Additions: 1, Removals: 1, Changed: true}},
		{"all gone", "a\nb\n", "", verbs.DiffSnapshotOut{Diff: "@@ -1,2 +0,0 @@\n-a\n-b", Removals: 2, Changed: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := diff.Texts(tt.before, tt.after); got != tt.want {
				t.Errorf("Texts() = %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestWithoutRefs(t *testing.T) {
	got := diff.WithoutRefs("- heading \"A [x]\" [level=1, ref=e2]\n  - link \"B\" [ref=e13]\n  - link \"C\" [ref=e14, url=http://x.test/]\n- text: ref=e1")
	want := "- heading \"A [x]\" [level=1]\n  - link \"B\"\n  - link \"C\" [url=http://x.test/]\n- text: ref=e1"
	if got != want {
		t.Errorf("WithoutRefs() = %s, want %s", got, want)
	}
}
