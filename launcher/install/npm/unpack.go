package npm

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
)

const maxFiles = 20_000

// unpack writes the files of the package's archive below dir. It accepts only plain files
// and directories under package/. It writes nothing outside of dir, whatever names the archive
// contains.
func (p Package) unpack(archive io.Reader, dir string) error {
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
	left := p.MaxUnpacked
	for range maxFiles {
		head, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if left -= head.Size; left < 0 {
			return errors.New("the archive unpacks to more than expected")
		}
		if !p.keeps(path.Clean(head.Name)) {
			continue
		}
		if err := unpackFile(root, head, in); err != nil {
			return fmt.Errorf("unpacking %q: %w", head.Name, err)
		}
	}
	return fmt.Errorf("the archive has more than %d files", maxFiles)
}

func unpackFile(root *os.Root, head *tar.Header, in io.Reader) error {
	name := path.Clean(head.Name)
	if !filepath.IsLocal(name) || path.Dir(name) == "." && name != "package" {
		return errors.New("the name is not below package/")
	}
	switch head.Typeflag {
	case tar.TypeDir:
		return root.MkdirAll(name, 0o700)
	case tar.TypeReg:
	default:
		return errors.New("neither a file nor a directory")
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
