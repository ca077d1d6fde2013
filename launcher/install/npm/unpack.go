package install

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
)

const maxFiles = 20_000

// unpack writes the package's archive below dir: plain files and directories under
// package/, nothing else, and nothing outside dir whatever the names say.
func (p pack) unpack(archive io.Reader, dir string) error {
	limit := p.unpacked
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	gz, err := gzip.NewReader(archive)
	if err != nil {
		return err
	}
	in := tar.NewReader(gz)
	for count := 0; ; count++ {
		head, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if count == maxFiles {
			return fmt.Errorf("the archive has more than %d files", maxFiles)
		}
		if limit -= head.Size; limit < 0 {
			return errors.New("the archive unpacks to more than expected")
		}
		if !p.keeps(path.Clean(head.Name)) {
			continue
		}
		if err := unpackOne(root, head, in); err != nil {
			return fmt.Errorf("unpacking %q: %w", head.Name, err)
		}
	}
}

func unpackOne(root *os.Root, head *tar.Header, in io.Reader) error {
	name := path.Clean(head.Name)
	if !filepath.IsLocal(name) || path.Dir(name) == "." && name != "package" {
		return errors.New("the name leads out of the package")
	}
	switch head.Typeflag {
	case tar.TypeDir:
		return root.MkdirAll(name, 0o700)
	case tar.TypeReg:
	default:
		return errors.New("it is neither a file nor a directory")
	}
	if err := root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return err
	}
	mode := os.FileMode(0o600)
	if head.Mode&0o100 != 0 {
		mode = 0o700
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, in)
	return errors.Join(err, f.Close())
}

// apply makes the package's edits below dir. A text that is not there means that
// the package is not the one the edits were written for.
func (p pack) apply(dir string) error {
	for _, e := range p.edits {
		file := filepath.Join(dir, e.file)
		old, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if !bytes.Contains(old, []byte(e.from)) {
			return fmt.Errorf("%s has no %q to replace", e.file, e.from)
		}
		if err := os.WriteFile(file, bytes.ReplaceAll(old, []byte(e.from), []byte(e.to)), 0o600); err != nil {
			return err
		}
	}
	return nil
}
