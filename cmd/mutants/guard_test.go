package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every guard that is listed can be taken out, what is left is Go, and its tests
// exist. That they fail then is what `just mutants` shows.
func TestGuardsAreThere(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	guards, err := readGuards("guards")
	if err != nil {
		t.Fatal(err)
	}
	functions := map[string][]string{} // of the tests of a package
	seen := map[string]bool{}
	for _, g := range guards {
		if name := g.area + ": " + g.name; seen[name] {
			t.Errorf("%s is there twice", name)
		} else {
			seen[name] = true
		}
		text, err := os.ReadFile(filepath.Join(root, g.file))
		if err != nil {
			t.Errorf("%s: %v", g.at, err)
			continue
		}
		mutant, found := g.mutate(string(text))
		if found != 1 {
			t.Errorf("%s: the text is %d times in %s, want once", g.at, found, g.file)
			continue
		}
		if _, err := parser.ParseFile(token.NewFileSet(), g.file, mutant, 0); strings.HasSuffix(g.file, ".go") && err != nil {
			t.Errorf("%s: without the guard: %v", g.at, err)
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

// testFunctions lists what go test could run of a directory, on any system.
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
	const good = "# a remark\nguard  a is b\nfile   x.go\n-\tif a {\n-\n-\t}\n+\tok()\ntest   ./p TestA/one\ntest ./q  TestB\n\n\nguard c\nfile y.js\n-x\ntest ./p TestC\n"
	guards, err := parseGuards("area.txt", good)
	if err != nil || len(guards) != 2 {
		t.Fatalf("parseGuards = %+v, %v, want two guards", guards, err)
	}
	g := guards[0]
	if g.area != "area" || g.at != "area.txt:2" || g.name != "a is b" || g.file != "x.go" || len(g.old) != 3 || g.old[0] != "\tif a {" || g.new[0] != "\tok()" ||
		len(g.tests) != 2 || g.tests[1] != (trial{"./q", "TestB"}) {
		t.Errorf("the first guard is %+v", g)
	}
	for name, bad := range map[string]string{
		"no test":         "guard a\nfile x\n-y\n",
		"no text":         "guard a\nfile x\ntest ./p TestA\n",
		"two files":       "guard a\nfile x\nfile y\n-z\ntest ./p TestA\n",
		"no pattern":      "guard a\nfile x\n-y\ntest ./p\n",
		"an import path":  "guard a\nfile x\n-y\ntest p TestA\n",
		"an unknown word": "guard a\nfiel x\n-y\ntest ./p TestA\n",
		"indented":        "    guard a\n    file x\n    -y\n    test ./p TestA\n",
		"twice":           "guard a\nfile x\n-y\ntest ./p TestA\n\nguard a\nfile x\n-y\ntest ./p TestA\n",
	} {
		if guards, err := parseGuards("area.txt", bad); err == nil || !strings.HasPrefix(err.Error(), "area.txt:") {
			t.Errorf("%s: parseGuards = %+v, %v, want an error that says where", name, guards, err)
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
		{"once", "a\n\tb\nc\n", []string{"\tb"}, []string{"x", "y"}, "a\nx\ny\nc\n", 1},
		{"taken out", "a\nb\nc\n", []string{"a", "b"}, nil, "c\n", 1},
		{"whole lines only", "a\n\tbb\nc\n", []string{"b"}, nil, "", 0},
		{"not in this order", "a\nb\n", []string{"b", "a"}, nil, "", 0},
		{"twice", "a\nb\na\n", []string{"a"}, []string{"x"}, "a\nb\nx\n", 2},
		{"longer than the file", "a", []string{"a", "b", "c"}, nil, "", 0},
	} {
		g := guard{old: test.old, new: test.new}
		if got, found := g.mutate(test.text); got != test.want || found != test.found {
			t.Errorf("%s: mutate = %q, %d, want %q, %d", test.name, got, found, test.want, test.found)
		}
	}
}

// tree writes a module and changes to it.
func tree(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

// below lists a directory's files with their contents.
func below(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		files[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
