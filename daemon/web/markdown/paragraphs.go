package markdown

import "strings"

// outline returns the headings of a Markdown text.
func outline(text string) string {
	var lines []string
	for _, block := range blocks(text) {
		if headingLevel(block) > 0 {
			lines = append(lines, block)
		}
	}
	return strings.Join(lines, "\n")
}

// filtered returns the paragraphs of a Markdown text that contain what is sought, in upper or lower
// case, each below the headings that it stands under.
func filtered(text, sought string) string {
	var kept []string
	var path []string // the headings above the current paragraph
	printed := 0      // as many of them are in kept
	for _, block := range blocks(text) {
		if level := headingLevel(block); level > 0 {
			for len(path) > 0 && headingLevel(path[len(path)-1]) >= level {
				path = path[:len(path)-1]
			}
			path = append(path, block)
			printed = min(printed, len(path)-1)
		}
		if !strings.Contains(strings.ToLower(block), strings.ToLower(sought)) {
			continue
		}
		kept = append(kept, path[printed:]...)
		printed = len(path)
		if headingLevel(block) == 0 {
			kept = append(kept, block)
		}
	}
	return strings.Join(kept, "\n\n")
}

// blocks returns the paragraphs and headings of a Markdown text. A code block in a fence is one
// block, whatever is in it.
func blocks(text string) []string {
	var all []string
	var block []string
	end := func() {
		if len(block) > 0 {
			all = append(all, strings.Join(block, "\n"))
		}
		block = nil
	}
	fence := "" // the marks that end the code block
	for line := range strings.SplitSeq(text, "\n") {
		marks := fenceOf(line)
		switch {
		case fence != "":
			block = append(block, line)
			if strings.HasPrefix(marks, fence) && strings.TrimSpace(line) == marks {
				fence = ""
				end()
			}
		case marks != "":
			end()
			fence, block = marks, []string{line}
		case strings.TrimSpace(line) == "":
			end()
		case headingLevel(line) > 0:
			end()
			all = append(all, line)
		default:
			block = append(block, line)
		}
	}
	end()
	return all
}

// fenceOf returns the marks with which a line begins or ends a code block: three or more backticks or
// tildes. It returns "" for other lines.
func fenceOf(line string) string {
	line = strings.TrimSpace(line)
	for _, mark := range []string{"`", "~"} {
		if marks := line[:len(line)-len(strings.TrimLeft(line, mark))]; len(marks) >= 3 {
			return marks
		}
	}
	return ""
}

// headingLevel returns the level of a Markdown heading, or 0 for another block.
func headingLevel(block string) int {
	marks := len(block) - len(strings.TrimLeft(block, "#"))
	if marks > 6 || marks == 0 || !strings.HasPrefix(block[marks:], " ") {
		return 0
	}
	return marks
}
