package npm

import (
	"archive/tar"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/launcher/install/npm/npmtest"
)

func TestUnpackRefuses(t *testing.T) {
	for _, tt := range []struct {
		name  string
		entry npmtest.Entry
	}{
		{"a path upwards", npmtest.Entry{Name: "package/../../evil", Body: "x"}},
		{"an absolute path", npmtest.Entry{Name: "/tmp/evil", Body: "x"}},
		{"another top", npmtest.Entry{Name: "evil", Body: "x"}},
		{"a symbolic link", npmtest.Entry{Name: "package/link", Body: "/etc", Kind: tar.TypeSymlink}},
		{"a hard link", npmtest.Entry{Name: "package/link", Body: "package/cli.js", Kind: tar.TypeLink}},
		{"a device", npmtest.Entry{Name: "package/null", Kind: tar.TypeChar}},
		{"more than allowed", npmtest.Entry{Name: "package/big", Body: strings.Repeat("x", 2<<20)}},
		{"the same file twice", npmtest.Entry{Name: "package/cli.js", Body: "x"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			above := t.TempDir()
			dir := filepath.Join(above, "new")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			err := Package{MaxUnpacked: 1 << 20}.unpack(bytes.NewReader(npmtest.Archive(t, npmtest.Entry{Name: "package/cli.js", Body: "y"}, tt.entry)), dir)
			if err == nil {
				t.Error("it was unpacked")
			}
			if entries, _ := os.ReadDir(above); len(entries) != 1 {
				t.Errorf("files outside of the directory: %v", entries)
			}
		})
	}
}
