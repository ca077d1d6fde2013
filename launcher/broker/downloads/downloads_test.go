package downloads

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/abrowser/abrowser/patches"
)

// newDir returns a Dir whose directory contains these files.
func newDir(t *testing.T, files ...string) *Dir {
	t.Helper()
	d := &Dir{Path: t.TempDir(), Log: slog.New(slog.DiscardHandler), Done: make(chan struct{})}
	for _, name := range files {
		if err := os.WriteFile(d.file(name), []byte("of "+name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func filesIn(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// A download may have ended while no broker was running. Adopt detects that from the files. If the
// browser is new, no download is running, and Adopt removes files that belong to no session.
func TestAdopt(t *testing.T) {
	saved := func() patches.State {
		var all []patches.Download
		for _, guid := range []string{"missed", "going", "stopped", "whole", "fetched"} {
			d := patches.Download{GUID: guid, State: patches.DownloadRunning}
			if guid == "whole" || guid == "fetched" {
				d.State = patches.DownloadDone
			}
			all = append(all, d)
		}
		return patches.State{Tenants: []patches.Tenant{{Name: "a", Downloads: all}}}
	}
	for _, test := range []struct {
		name   string
		fresh  bool
		states map[string]string
		files  []string
	}{
		{"another broker", false, map[string]string{
			"missed": patches.DownloadDone, "going": patches.DownloadRunning, "stopped": patches.DownloadCanceled, "whole": patches.DownloadDone,
		}, []string{"going.crdownload", "missed", "strange", "whole"}},
		{"another browser", true, map[string]string{"missed": patches.DownloadDone, "whole": patches.DownloadDone}, []string{"missed", "whole"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := newDir(t, "missed", "going.crdownload", "whole", "strange")
			state, err := d.Adopt(saved(), test.fresh)
			if err != nil {
				t.Fatal(err)
			}
			if got := state.Tenants[0].Downloads; len(got) != len(test.states) {
				t.Errorf("the downloads are %v, want %v", got, test.states)
			}
			for _, got := range state.Tenants[0].Downloads {
				if got.State != test.states[got.GUID] {
					t.Errorf("%s is %s, want %s", got.GUID, got.State, test.states[got.GUID])
				}
			}
			if files := filesIn(t, d.Path); !slices.Equal(files, test.files) {
				t.Errorf("the files are %q, want %q", files, test.files)
			}
		})
	}
}

// Deliver delivers a completed file completely, to a directory on the same disk and to a directory
// on another disk. It replaces no existing file.
func TestDeliver(t *testing.T) {
	d := newDir(t, "guid")
	for _, dir := range []string{filepath.Join(t.TempDir(), "new"), otherDisk(t)} {
		for _, test := range []struct {
			to   patches.Delivery
			want string // empty if an error is wanted
		}{
			{patches.Delivery{Dir: dir, Name: "guid", Exact: true}, "guid"},
			{patches.Delivery{Dir: dir, Name: "guid", Exact: true}, ""},
			{patches.Delivery{Dir: dir, Name: "report.txt"}, "report.txt"},
			{patches.Delivery{Dir: dir, Name: "../report.txt"}, "report (1).txt"},
			{patches.Delivery{Name: "report.txt"}, ""},
		} {
			path, err := d.deliver("guid", test.to)
			if test.want == "" {
				if err == nil {
					t.Errorf("deliver(%v) = %s, want an error", test.to, path)
				}
				continue
			}
			content, read := os.ReadFile(filepath.Join(dir, test.want))
			if err != nil || path != filepath.Join(dir, test.want) || string(content) != "of guid" {
				t.Errorf("deliver(%v) = %s, %v with %q (%v), want %s", test.to, path, err, content, read, test.want)
			}
		}
		if files := filesIn(t, dir); len(files) != 3 {
			t.Errorf("%s contains %q, want three files", dir, files)
		}
	}
	for _, name := range []string{"../guid", "..", "", "a/b"} {
		if path, err := d.deliver(name, patches.Delivery{Dir: t.TempDir(), Name: "x"}); err == nil {
			t.Errorf("deliver(%q) = %s, want an error", name, path)
		}
	}
	if !exists(d.file("guid")) {
		t.Error("the delivered file is missing in the directory of downloads")
	}
}

// otherDisk returns a directory on another disk than t.TempDir, so that a file cannot be linked
// there. If there is no other disk, it returns a directory on the same one.
func otherDisk(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "abb")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
