//go:build linux

package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A small module with a guard of each kind: its table says which tests notice, the
// status that some do not, and nothing of it stays.
func TestMutants(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	tree(t, map[string]string{
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
)

func TestOdd(t *testing.T) {
	if Half(3) != 0 {
		// What a broken product leaves behind.
		if err := exec.Command("sleep", "600").Start(); err != nil {
			t.Fatal(err)
		}
		t.Error("Half(3) is not 0")
	}
}

func TestHang(*testing.T) {
	for Half(3) != 0 {
	}
}

func TestBad(t *testing.T) { t.Error(os.Args) }
`,
		"cmd/mutants/guards/half.txt": `guard  odd numbers are refused
file   p/p.go
-	if n%2 != 0 {
+	if false {
test   ./p TestOdd
test   ./p TestHang

guard  nobody tests zero
file   p/p.go
-	if n == 0 {
-		return 0
-	}
test   ./p TestOdd

guard  a mutant that is no program
file   p/p.go
-	return n / 2
+	return m / 2
test   ./p TestOdd

guard  text that is there twice
file   p/p.go
-		return 0
test   ./p TestOdd

guard  a test that fails anyway
file   p/p.go
-	if n == 0 {
+	if n == 1 {
test   ./p TestBad

guard  a test that is not there
file   p/p.go
-	if n == 0 {
+	if n == 1 {
test   ./p TestNone
`,
	})
	before := below(t, ".")
	var table, progress strings.Builder
	if status := run([]string{"-limit", "10s"}, &table, &progress); status != someLive {
		t.Errorf("the status is %d, want %d", status, someLive)
	}
	rows := strings.Split(strings.TrimSpace(table.String()), "\n")
	want := []string{
		"VERDICT",
		"./p TestOdd fails ", "./p TestHang fails ",
		"./p TestOdd SURVIVES", "./p TestOdd does not compile", "./p TestOdd text found 2 times",
		"./p TestBad fails with the guard, too", "./p TestNone no such test",
		"7 trials, 5 bad",
	}
	if len(rows) != len(want) {
		t.Fatalf("the table is\n%s\n%s", &table, &progress)
	}
	for i, row := range rows {
		if !strings.Contains(strings.Join(strings.Fields(row), " "), want[i]) {
			t.Errorf("row %d is\n%s\nwant %s in it", i, row, want[i])
		}
	}
	if !strings.Contains(progress.String(), "[2/6] half: nobody tests zero") {
		t.Errorf("the progress is\n%s", &progress)
	}
	if !maps.Equal(before, below(t, ".")) {
		t.Error("the tree was changed")
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left in the temporary directory: %v %v", left, err)
	}
	if left := descendants(os.Getpid()); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}

	table.Reset()
	if status := run([]string{"-list", "nobody tests", "that is not"}, &table, &progress); status != allFail || !strings.Contains(table.String(), "2 trials") {
		t.Errorf("two words chose\n%s", &table)
	}
	if status := run([]string{"nobody is called so"}, &table, &progress); status != unusable {
		t.Errorf("the status for guards that are not there is %d, want %d", status, unusable)
	}
}

func TestCopyTree(t *testing.T) {
	tree(t, map[string]string{"a/b.txt": "b", ".git/x": "", "bin/y": "", "a/bin/z": "z"})
	if err := os.Symlink("b.txt", filepath.Join("a", "link")); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "copy")
	if err := copyTree(to, "."); err != nil {
		t.Fatal(err)
	}
	t.Chdir(to)
	got := below(t, ".")
	want := map[string]string{"a/b.txt": "b", "a/bin/z": "z", "a/link": "b"}
	if !maps.Equal(got, want) {
		t.Errorf("the copy is %v, want %v", got, want)
	}
}
