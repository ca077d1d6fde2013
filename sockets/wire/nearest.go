package wire

import (
	"cmp"
	"slices"
	"strings"
)

// Nearest returns the choice that a mistyped text most likely stands for. This is the first choice
// of [MostSimilar]. Nearest returns an empty string if that choice is not similar enough.
func Nearest(text string, choices []string) string {
	best := MostSimilar(text, choices, 1)
	if len(best) == 0 || edits(text, best[0]) > min(2, max(1, len(text)/3)) {
		return ""
	}
	return best[0]
}

// MostSimilar returns the n choices that need the fewest edits to become text, or all choices if
// there are fewer than n. If text has at least two bytes, the choices that start with text come
// first. The case of letters does not matter.
func MostSimilar(text string, choices []string, n int) []string {
	sorted := slices.SortedStableFunc(slices.Values(choices), func(a, b string) int { return cmp.Compare(edits(text, a), edits(text, b)) })
	return sorted[:min(n, len(sorted))]
}

// maxCompared is how many bytes of a mistyped text are compared with the choices. All choices are
// shorter, and the time grows with the length of the text.
const maxCompared = 200

// edits returns the edit distance of text and choice. It returns 0 if choice starts with text
// and text has at least two bytes.
func edits(text, choice string) int {
	text, choice = strings.ToLower(text[:min(len(text), maxCompared)]), strings.ToLower(choice)
	if len(text) > 1 && strings.HasPrefix(choice, text) {
		return 0
	}
	return editDistance(text, choice)
}

// editDistance returns the smallest number of edits that turn a into b. An edit inserts, deletes or
// replaces one byte, or swaps two adjacent bytes.
func editDistance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
