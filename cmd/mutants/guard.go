package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// guard is a place in the product and the tests that fail without it.
type guard struct {
	area  string // the guards file, without .txt
	at    string // file:line, for messages
	name  string
	file  string // below the module's root
	old   []string
	new   []string
	tests []trial
}

// trial is a go test run that a guard's loss makes fail.
type trial struct{ pkg, pattern string }

func (t trial) String() string { return t.pkg + " " + t.pattern }

// readGuards reads every guards file of a directory.
func readGuards(dir string) ([]guard, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return nil, err
	}
	var all []guard
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		some, err := parseGuards(filepath.Base(file), string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// parseGuards reads what a guards file says. Its errors begin with file and line.
func parseGuards(file, text string) ([]guard, error) {
	var all []guard
	var g *guard
	end := func() error {
		if g == nil {
			return nil
		}
		switch {
		case g.name == "", g.file == "", len(g.old) == 0, len(g.tests) == 0:
			return fmt.Errorf("%s: a guard needs guard, file, - lines and test", g.at)
		case slices.ContainsFunc(all, func(o guard) bool { return o.name == g.name }):
			return fmt.Errorf("%s: there are two guards %q", g.at, g.name)
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
			g = &guard{area: strings.TrimSuffix(file, ".txt"), at: at}
		}
		if err := g.add(line); err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
	}
	return all, end()
}

// add takes one line of a block.
func (g *guard) add(line string) error {
	switch line[0] {
	case '-':
		g.old = append(g.old, line[1:])
		return nil
	case '+':
		g.new = append(g.new, line[1:])
		return nil
	}
	key, value, _ := strings.Cut(line, " ")
	value = strings.TrimSpace(value)
	switch {
	case key == "guard" && g.name == "":
		g.name = value
	case key == "file" && g.file == "":
		g.file = value
	case key == "test":
		pkg, pattern, _ := strings.Cut(value, " ")
		pattern = strings.TrimSpace(pattern)
		if !strings.HasPrefix(pkg, "./") || pattern == "" {
			return fmt.Errorf("a test is a package below ./ and a pattern, not %q", value)
		}
		g.tests = append(g.tests, trial{pkg, pattern})
	default:
		return fmt.Errorf("what is %q here?", line)
	}
	return nil
}

// mutate returns the file's text with the guard taken out, and how often the guard
// is in it; the text is of use only when that is once.
func (g *guard) mutate(text string) (string, int) {
	lines := strings.Split(text, "\n")
	found, at := 0, 0
	for i := range len(lines) - len(g.old) + 1 {
		if slices.Equal(lines[i:i+len(g.old)], g.old) {
			found++
			at = i
		}
	}
	if found == 0 {
		return "", 0
	}
	return strings.Join(slices.Replace(lines, at, at+len(g.old), g.new...), "\n"), found
}

// chosen reports whether one of the words is a part of what the guard is called by.
// Without words every guard is chosen.
func (g *guard) chosen(words []string) bool {
	called := []string{g.area, g.name, g.file}
	for _, t := range g.tests {
		called = append(called, t.String())
	}
	return len(words) == 0 || slices.ContainsFunc(words, func(word string) bool {
		return slices.ContainsFunc(called, func(c string) bool { return strings.Contains(c, word) })
	})
}
