// Package npmtest makes archives of npm packages for tests.
package npmtest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"io"
	"testing"
)

// Entry is one file of an archive.
type Entry struct {
	Name, Body string // for a link, Body is the target of the link
	Mode       int64  // mode bits in addition to 0644
	Kind       byte   // 0 means a plain file
}

// Archive returns the archive of a package.
func Archive(t *testing.T, entries ...Entry) []byte {
	t.Helper()
	var out bytes.Buffer
	gz := gzip.NewWriter(&out)
	tw := tar.NewWriter(gz)
	for _, e := range entries {
		head := &tar.Header{Name: e.Name, Mode: e.Mode | 0o644, Typeflag: e.Kind, Size: int64(len(e.Body))}
		if e.Kind == tar.TypeSymlink || e.Kind == tar.TypeLink {
			head.Linkname, head.Size = e.Body, 0
		}
		if e.Kind == 0 {
			head.Typeflag = tar.TypeReg
		}
		if err := tw.WriteHeader(head); err != nil {
			t.Fatal(err)
		}
		if head.Size > 0 {
			if _, err := io.WriteString(tw, e.Body); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := tw.Close(); err != nil {
		t.Fatal(err)
	}
	if err := gz.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Integrity returns the hash of an archive as npm writes it.
func Integrity(archive []byte) string {
	sum := sha512.Sum512(archive)
	return "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
}
