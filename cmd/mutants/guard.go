package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// guard is a piece of code of the product, with the tests that must fail if the code is removed.
// See the package comment.
type guard struct {
	at    string // file:line in guards.txt, for messages
	name  string
	file  string // the file that contains the code, relative to the module's root
	old   []string
	new   []string
	tests []trial
}

// trial is a test of a guard: a run of go test that must fail without the guard.
type trial struct{ pkg, pattern string }

func (t trial) String() string { return t.pkg + " " + t.pattern }

// readGuards returns the guards in the file guards.txt of the module whose root directory is root.
func readGuards(root string) ([]guard, error) {
	text, err := os.ReadFile(filepath.Join(root, "cmd", "mutants", "guards.txt"))
	if err != nil {
		return nil, err
	}
	return parseGuards("guards.txt", string(text))
}

// parseGuards parses the text of a guards file. Its errors begin with the file name and the line.
func parseGuards(file, text string) ([]guard, error) {
	var all []guard
	var g *guard // the guard whose lines are being read; nil between two guards
	end := func() error {
		if g == nil {
			return nil
		}
		switch {
		case g.name == "", g.file == "", len(g.old) == 0, len(g.tests) == 0:
			return fmt.Errorf("%s: incomplete guard: guard, file, - and test are required", g.at)
		case slices.ContainsFunc(all, func(o guard) bool { return o.name == g.name }):
			return fmt.Errorf("%s: duplicate guard %q", g.at, g.name)
		}
		all = append(all, *g)
		g = nil
		return nil
	}
	for i, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) == "" {
			if err := end(); err != nil {
				return nil, err
			}
			continue
		}
		if strings.HasPrefix(line, "#") {
			continue
		}
		at := fmt.Sprintf("%s:%d", file, i+1)
		if g == nil {
			g = &guard{at: at}
		}
		if err := g.add(line); err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
	}
	return all, end()
}

// add parses one line of a guard.
func (g *guard) add(line string) error {
	key, value, _ := strings.Cut(line, " ")
	value = strings.TrimSpace(value)
	switch {
	case key == "-" && value != "":
		g.old = append(g.old, value)
	case key == "+":
		g.new = append(g.new, value)
	case key == "guard" && g.name == "":
		g.name = value
	case key == "file" && g.file == "":
		g.file = value
	case key == "test":
		pkg, pattern, _ := strings.Cut(value, " ")
		pattern = strings.TrimSpace(pattern)
		if !strings.HasPrefix(pkg, "./") || pattern == "" {
			return fmt.Errorf("invalid test %q: want a package that begins with ./ and a pattern", value)
		}
		g.tests = append(g.tests, trial{pkg, pattern})
	default:
		return fmt.Errorf("unexpected line %q", line)
	}
	return nil
}

// mutate removes the guard from the text of its file. It returns the resulting text, and how often
// the guard's code occurs in the original. Unless the code occurs exactly once, the resulting text
// is empty.
func (g *guard) mutate(text string) (mutant string, found int) {
	words := strings.Fields(strings.Join(g.old, " "))
	for i, word := range words {
		words[i] = regexp.QuoteMeta(word)
	}
	at := regexp.MustCompile(strings.Join(words, `\s+`)).FindAllStringIndex(text, -1)
	if len(at) != 1 {
		return "", len(at)
	}
	return text[:at[0][0]] + strings.Join(g.new, "\n") + text[at[0][1]:], 1
}

// matches reports whether one of the words is a part of the guard's name, file or tests. If the
// list of words is empty, every guard matches.
func (g *guard) matches(words []string) bool {
	names := []string{g.name, g.file}
	for _, t := range g.tests {
		names = append(names, t.String())
	}
	return len(words) == 0 || slices.ContainsFunc(words, func(word string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return strings.Contains(name, word) })
	})
}
