package aria

import (
	"cmp"
	"iter"
	"regexp"
	"strconv"
	"strings"
)

// mostGone is the largest number of removed lines that Delta prints.
const mostGone = 5

// Delta returns the changes between two texts of [Print] with the same options. It compares only
// lines that have a ref or a text.
//
//   - A new line is printed after a plus sign, and a changed line after a tilde.
//   - The lines of the elements around such a line are printed above it, after a space. If one of
//     them has a ref, it has not changed, so only its role and ref are printed.
//   - Lines that are gone follow at the end, after a minus sign. Lines that were below another one
//     of them are left out.
func Delta(before, after string) string {
	was := map[string]string{} // the lines of the old text that were not found in the new one, by key
	var order, around []string // the keys of the old lines, and for each line the key of the element around it
	var keys []string          // the keys of the elements around the current line
	for key, line := range keyed(before) {
		was[key] = line
		keys = keys[:min(depthOf(line), len(keys))]
		order, around = append(order, key), append(around, strings.Join(keys[max(0, len(keys)-1):], ""))
		keys = append(keys, key)
	}
	var b strings.Builder
	var path []string // the lines of the elements around the current line
	printed := 0      // the number of lines of path that are printed
	for key, line := range keyed(after) {
		depth := depthOf(line)
		path = append(path[:min(depth, len(path))], line)
		printed = min(printed, depth)
		old, has := was[key]
		delete(was, key)
		mark := "+"
		switch {
		case has && strings.TrimLeft(old, " ") == strings.TrimLeft(line, " "), !says(line):
			continue
		case has:
			mark = "~"
		}
		for ; printed < len(path)-1; printed++ {
			b.WriteString("  " + short(path[printed]) + "\n")
		}
		printed = len(path)
		b.WriteString(mark + " " + line + "\n")
	}
	gone := 0
	told := map[string]bool{} // the keys of the gone lines that are printed, or are below a printed one
	for i, key := range order {
		line, is := was[key]
		told[key] = is && (says(line) || told[around[i]])
		if told[key] && !told[around[i]] {
			if gone++; gone <= mostGone {
				b.WriteString("- " + strings.TrimPrefix(strings.TrimLeft(line, " "), "- ") + "\n")
			}
		}
	}
	switch {
	case b.Len() == 0:
		return "(nothing has changed)"
	case gone > mostGone:
		b.WriteString("- and " + strconv.Itoa(gone-mostGone) + " more\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// short returns the line of an element that has not changed. If the element has a ref, short
// returns only the role and the ref.
func short(line string) string {
	ref := lineRef.FindStringSubmatch(line)
	if ref == nil {
		return line
	}
	indent := len(line) - len(strings.TrimLeft(line, " -"))
	role, _, _ := strings.Cut(line[indent:], " ")
	return line[:indent] + role + " [ref=" + ref[1] + "]"
}

var lineRef = regexp.MustCompile(`[\[ ]ref=(e\d+)[\],]`)

// says reports whether a line has a ref or a text. Other lines only show structure.
func says(line string) bool { return lineRef.MatchString(line) || strings.Contains(line, `"`) }

// keyed returns the lines of a text, each with a key. A key is unique in its text. Two lines of two
// texts are the same line if their keys are the same:
//
//   - The key of a line with a ref is the ref.
//   - The key of another line consists of its text and the first ref below it. If there is no ref
//     below it, the key of the element around the line takes the place of this ref.
//   - If several lines would have the same key, they are numbered.
func keyed(text string) iter.Seq2[string, string] {
	return func(yield func(key, line string) bool) {
		lines := strings.Split(text, "\n")
		firstRefs := refsBelow(lines)
		var path []string // the keys of the elements around the current line
		seen := map[string]int{}
		for i, line := range lines {
			path = path[:min(depthOf(line), len(path))]
			key := ""
			switch ref := lineRef.FindStringSubmatch(line); {
			case ref != nil:
				key = ref[1]
			case firstRefs[i] == "" && len(path) > 0:
				key = path[len(path)-1] + "\n" + strings.TrimLeft(line, " ")
			default:
				key = firstRefs[i] + "\n" + strings.TrimLeft(line, " ")
			}
			if seen[key]++; seen[key] > 1 {
				key += "\n" + strconv.Itoa(seen[key])
			}
			path = append(path, key)
			if !yield(key, line) {
				return
			}
		}
	}
}

// refsBelow returns for each line the first ref of a line below it, or an empty string.
func refsBelow(lines []string) []string {
	refs := make([]string, len(lines))
	var path []int // the indexes of the lines around the current one
	for i, line := range lines {
		path = path[:min(depthOf(line), len(path))]
		if ref := lineRef.FindStringSubmatch(line); ref != nil {
			for _, around := range path {
				refs[around] = cmp.Or(refs[around], ref[1])
			}
		}
		path = append(path, i)
	}
	return refs
}

func depthOf(line string) int { return (len(line) - len(strings.TrimLeft(line, " "))) / 2 }
