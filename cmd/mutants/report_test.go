//go:build linux

package main

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMutants runs the command in a small module that has one guard for each possible result. The
// command must print a table with all results, exit with statusSurvived, and leave no file and no
// process behind.
func TestMutants(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	writeTree(t, map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.24\n",
		"p/p.go": `package p

// Half returns half of an even number, and 0 for others.
func Half(n int) int {
	if n%2 != 0 {
		return 0
	}
	if n == 0 {
		return 0
	}
	return n / 2
}
`,
		"p/p_test.go": `package p

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

func TestOdd(t *testing.T) {
	if Half(3) != 0 {
		// A broken product may leave processes behind.
		if err := exec.Command("sleep", "600").Start(); err != nil {
			t.Fatal(err)
		}
		t.Error("Half(3) is not 0")
	}
}

func TestHang(*testing.T) {
	for Half(3) != 0 {
		time.Sleep(10 * time.Millisecond)
	}
}

func TestBad(t *testing.T) { t.Error(os.Args) }
`,
		"cmd/mutants/guards.txt": `guard  odd numbers are refused
file   p/p.go
-      n%2 != 0
+      false
test   ./p TestOdd
test   ./p TestHang

guard  zero is not tested
file   p/p.go
-      if n == 0 { return 0 }
test   ./p TestOdd

guard  the mutant does not compile
file   p/p.go
-      n / 2
+      m / 2
test   ./p TestOdd

guard  the code occurs twice
file   p/p.go
-      return 0
test   ./p TestOdd

guard  the test fails with the guard
file   p/p.go
-      n == 0
+      n == 1
test   ./p TestBad

guard  the test does not exist
file   p/p.go
-      n == 0
+      n == 1
test   ./p TestNone
`,
	})
	before := readTree(t, ".")
	var table, progress strings.Builder
	if status := run([]string{"-limit", "10s"}, &table, &progress); status != statusSurvived {
		t.Errorf("the status is %d, want %d", status, statusSurvived)
	}
	rows := strings.Split(strings.TrimSpace(table.String()), "\n")
	want := []string{
		"RESULT",
		"./p TestOdd fails ", "./p TestHang fails ",
		"./p TestOdd SURVIVES", "./p TestOdd does not compile", "./p TestOdd code found 2 times",
		"./p TestBad fails with the guard, too", "./p TestNone test not found",
		"7 tests, 5 bad",
	}
	if len(rows) != len(want) {
		t.Fatalf("the table is\n%s\n%s", &table, &progress)
	}
	for i, row := range rows {
		if !strings.Contains(strings.Join(strings.Fields(row), " "), want[i]) {
			t.Errorf("row %d is\n%s\nwant %s in it", i, row, want[i])
		}
	}
	if !strings.Contains(progress.String(), "[2/6] zero is not tested") {
		t.Errorf("the progress is\n%s", &progress)
	}
	if !maps.Equal(before, readTree(t, ".")) {
		t.Error("the tree was changed")
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left over in the temporary directory: %v %v", left, err)
	}
	if left := descendants(os.Getpid()); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}

	table.Reset()
	if status := run([]string{"-list", "zero is", "not exist"}, &table, &progress); status != statusKilled || !strings.Contains(table.String(), "2 tests") {
		t.Errorf("two words selected\n%s", &table)
	}
	if status := run([]string{"no such guard"}, &table, &progress); status != statusError {
		t.Errorf("the status without a matching guard is %d, want %d", status, statusError)
	}
}

// writeTree writes files to a new directory and makes it the working directory.
func writeTree(t *testing.T, files map[string]string) {
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

// readTree returns the contents of the files below a directory.
func readTree(t *testing.T, dir string) map[string]string {
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
