package home

import "testing"

func TestDiskFull(t *testing.T) {
	for _, tt := range []struct {
		name                           string
		blocks, free, files, freeFiles uint64
		want                           bool
	}{
		{"room for all", 1000, 1 << 30, 1000, 500, false},
		{"full", 1000, 0, 1000, 500, true},
		{"nearly full", 1000, 4096, 1000, 500, true},
		{"no more files", 1000, 1 << 30, 1000, 0, true},
		{"files are not counted", 1000, 1 << 30, 0, 0, false},
		{"nothing is counted", 0, 0, 0, 0, false},
	} {
		if got := diskFull(tt.blocks, tt.free, tt.files, tt.freeFiles); got != tt.want {
			t.Errorf("%s: diskFull() = %v", tt.name, got)
		}
	}
	if err := (Root{Dir: t.TempDir()}).CheckDisk(); err != nil {
		t.Errorf("CheckDisk() with free space = %v", err)
	}
	if err := (Root{Dir: "/nowhere"}).CheckDisk(); err != nil {
		t.Errorf("CheckDisk() of a missing directory = %v", err)
	}
}
