// Package diff compares snapshots by lines. It does not depend on pages. Package web calls it.
package diff

import (
	"regexp"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/abrowser/abrowser/sockets/verbs"
)

// Texts returns the difference of two texts: a unified diff without the lines that name files, and
// how many lines were added, removed, and kept.
func Texts(before, after string) verbs.DiffSnapshotOut {
	before, after = withNewline(before), withNewline(after)
	unified := udiff.Unified("before", "after", before, after)
	out := verbs.DiffSnapshotOut{Changed: unified != ""}
	var lines []string
	for i, line := range strings.Split(strings.TrimSuffix(unified, "\n"), "\n") {
		switch {
		case i < 2: // the lines --- and +++
			continue
		case strings.HasPrefix(line, "+"):
			out.Additions++
		case strings.HasPrefix(line, "-"):
			out.Removals++
		}
		lines = append(lines, line)
	}
	out.Unchanged = strings.Count(after, "\n") - out.Additions
	out.Diff = strings.Join(lines, "\n")
	return out
}

// withNewline ends a text that is not empty with a newline, so that its last line is complete.
func withNewline(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// WithoutRefs returns a snapshot without the refs in it, for a comparison with one of another
// document, whose refs are all different.
func WithoutRefs(snapshot string) string {
	return regexp.MustCompile(` \[ref=e\d+\]|, ref=e\d+|ref=e\d+, `).ReplaceAllString(snapshot, "")
}
