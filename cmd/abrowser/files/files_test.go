package files

import (
	"testing"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Two screenshots in the same millisecond are written to different files.
func TestWriteNew(t *testing.T) {
	w := Files{Root: home.Root{Dir: t.TempDir()}, Session: "default"}
	seen := map[string]bool{}
	for range 50 {
		path, err := w.writeNew(wire.File{Ext: ".png", Content: []byte("picture")})
		if err != nil {
			t.Fatal(err)
		}
		if seen[path] {
			t.Fatalf("%s was written twice", path)
		}
		seen[path] = true
	}
}
