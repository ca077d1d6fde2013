package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestGuardsApply checks that each guard in guards.txt can be removed, that the result can be
// parsed, and that the guard's tests exist. Only the command mutants checks whether these tests
// fail without the guard.
func TestGuardsApply(t *testing.T) {
	root, err := moduleRoot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	guards, err := readGuards(root)
	if err != nil {
		t.Fatal(err)
	}
	functions := map[string][]string{} // names of the test functions, by package
	for _, g := range guards {
		text, err := os.ReadFile(filepath.Join(root, g.file))
		if err != nil {
			t.Errorf("%s: %v", g.at, err)
			continue
		}
		mutant, found := g.mutate(string(text))
		if found != 1 {
			t.Errorf("%s: the code occurs %d times in %s, want once", g.at, found, g.file)
			continue
		}
		if strings.HasSuffix(g.file, ".go") {
			if _, err := parser.ParseFile(token.NewFileSet(), g.file, mutant, 0); err != nil {
				t.Errorf("%s: without the guard: %v", g.at, err)
			}
		}
		for _, test := range g.tests {
			names, read := functions[test.pkg]
			if !read {
				names = testFunctions(t, filepath.Join(root, test.pkg))
				functions[test.pkg] = names
			}
			top, _, _ := strings.Cut(test.pattern, "/")
			pattern, err := regexp.Compile(top)
			if err != nil {
				t.Errorf("%s: %v", g.at, err)
			} else if !slices.ContainsFunc(names, pattern.MatchString) {
				t.Errorf("%s: %s has no test %q", g.at, test.pkg, top)
			}
		}
	}
}

// TestExampleIsAGuard checks that the example in the package comment is one of the guards.
func TestExampleIsAGuard(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var example strings.Builder
	for line := range strings.Lines(string(doc)) {
		if code, ok := strings.CutPrefix(line, "//\t"); ok {
			example.WriteString(code)
		}
	}
	guards, err := os.ReadFile("guards.txt")
	if err != nil {
		t.Fatal(err)
	}
	if example.Len() == 0 || !strings.Contains(string(guards), "\n\n"+example.String()+"\n") {
		t.Errorf("guards.txt does not contain the example of doc.go:\n%s", &example)
	}
}

// testFunctions returns the names of the test functions in a directory, including those for
// other operating systems.
func testFunctions(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if ok && f.Recv == nil && regexp.MustCompile(`^(Test|Fuzz|Example)`).MatchString(f.Name.Name) {
				names = append(names, f.Name.Name)
			}
		}
	}
	return names
}

func TestParseGuards(t *testing.T) {
	const good = "# a comment\nguard  a is b\nfile   x.go\n-      if a {\n-      }\n+\ttabbed\ntest   ./p TestA\n"
	if _, err := parseGuards("guards.txt", good); err == nil {
		t.Error("parseGuards accepts a + line without a space")
	}
	guards, err := parseGuards("guards.txt", strings.Replace(good, "+\ttabbed", "+  ok()", 1)+"test ./q  TestB\n\n\nguard c\nfile y.js\n- x\n+\ntest ./p TestC\n")
	if err != nil || len(guards) != 2 {
		t.Fatalf("parseGuards = %+v, %v, want two guards", guards, err)
	}
	want := guard{
		at: "guards.txt:2", name: "a is b", file: "x.go", old: []string{"if a {", "}"}, new: []string{"ok()"},
		tests: []trial{{"./p", "TestA"}, {"./q", "TestB"}},
	}
	if !reflect.DeepEqual(guards[0], want) {
		t.Errorf("the first guard is %+v, want %+v", guards[0], want)
	}
	for name, bad := range map[string]string{
		"no test":         "guard a\nfile x\n- y\n",
		"no code":         "guard a\nfile x\ntest ./p TestA\n",
		"empty code":      "guard a\nfile x\n-\ntest ./p TestA\n",
		"two files":       "guard a\nfile x\nfile y\n- z\ntest ./p TestA\n",
		"no pattern":      "guard a\nfile x\n- y\ntest ./p\n",
		"an import path":  "guard a\nfile x\n- y\ntest p TestA\n",
		"an unknown word": "guard a\nfiel x\n- y\ntest ./p TestA\n",
		"indented":        "    guard a\n    file x\n    - y\n    test ./p TestA\n",
		"duplicate":       "guard a\nfile x\n- y\ntest ./p TestA\n\nguard a\nfile x\n- y\ntest ./p TestA\n",
	} {
		if guards, err := parseGuards("guards.txt", bad); err == nil || !strings.HasPrefix(err.Error(), "guards.txt:") {
			t.Errorf("%s: parseGuards = %+v, %v, want an error with file and line", name, guards, err)
		}
	}
}

func TestMutate(t *testing.T) {
	for _, test := range []struct {
		name, text string
		old, new   []string
		want       string
		found      int
	}{
		{"replaced", "a\n\tif b {\n", []string{"if b"}, []string{"if c", "d"}, "a\n\tif c\nd {\n", 1},
		{"removed", "a\nb\nc\n", []string{"b"}, nil, "a\n\nc\n", 1},
		{"several lines", "a(\n\t\tb,\n\t\tc)", []string{"b,", "c"}, []string{"d"}, "a(\n\t\td)", 1},
		{"other white space", "if a {\n\treturn\n}", []string{"{ return }"}, []string{"{ }"}, "if a { }", 1},
		{"no pattern", "f(x, a.b)", []string{"a.b)"}, []string{"$1)"}, "f(x, $1)", 1},
		{"other order", "a\nb\n", []string{"b", "a"}, nil, "", 0},
		{"twice", "a\nb\na\n", []string{"a"}, []string{"x"}, "", 2},
	} {
		g := guard{old: test.old, new: test.new}
		if got, found := g.mutate(test.text); got != test.want || found != test.found {
			t.Errorf("%s: mutate = %q, %d, want %q, %d", test.name, got, found, test.want, test.found)
		}
	}
}
