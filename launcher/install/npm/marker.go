package install

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// marker says what lies in a package's directory. It is written last, so that a
// directory without it, or with another one, is not what we made.
type marker struct {
	Name      string               `json:"name"`
	Version   string               `json:"version"`
	Integrity string               `json:"integrity"` // of the archive it was unpacked from
	Edits     string               `json:"edits"`     // hash of the edits that were made
	Tree      string               `json:"tree"`      // hash of all files, for the thorough check
	Key       map[string]markedKey `json:"key"`
}

type markedKey struct {
	Size int64     `json:"size"`
	Time time.Time `json:"time"`
	Hash string    `json:"hash"`
}

const markerName = "abrowser.json"

// mark writes the marker for the package unpacked below dir.
func (p pack) mark(dir string) error {
	m := marker{Name: p.name, Version: p.version, Integrity: p.integrity, Edits: p.editsHash(), Key: map[string]markedKey{}}
	for _, name := range p.key {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		sum, err := hashFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		m.Key[name] = markedKey{info.Size(), info.ModTime(), sum}
	}
	var err error
	if m.Tree, err = hashTree(filepath.Join(dir, "package")); err != nil {
		return err
	}
	raw, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, markerName), raw, 0o600)
}

// check returns why the package below dir is not whole, or nil. It costs a few
// stats; a file is read only when its time is not the one it was unpacked with.
func (p pack) check(dir string) error {
	m, err := p.marked(dir)
	if err != nil {
		return err
	}
	for _, name := range p.key {
		file := filepath.Join(dir, name)
		info, err := os.Stat(file)
		if err != nil {
			return fmt.Errorf("%s is missing", file)
		}
		was := m.Key[name]
		if info.Size() == was.Size && info.ModTime().Equal(was.Time) {
			continue
		}
		if sum, err := hashFile(file); err != nil || sum != was.Hash {
			return fmt.Errorf("%s was changed", file)
		}
	}
	return nil
}

// checkAll is check that reads every file.
func (p pack) checkAll(dir string) error {
	m, err := p.marked(dir)
	if err != nil {
		return err
	}
	sum, err := hashTree(filepath.Join(dir, "package"))
	if err != nil || sum != m.Tree {
		return fmt.Errorf("files in %s were changed", dir)
	}
	return p.check(dir)
}

// marked reads the marker below dir and checks that it is of this very package.
func (p pack) marked(dir string) (marker, error) {
	var m marker
	raw, err := os.ReadFile(filepath.Join(dir, markerName))
	if err != nil {
		if _, err := os.Stat(dir); err != nil {
			return m, fmt.Errorf("%s is not there", dir)
		}
		return m, fmt.Errorf("%s is not whole", dir)
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return m, fmt.Errorf("%s is not whole", dir)
	}
	switch {
	case m.Name != p.name || m.Version != p.version:
		return m, fmt.Errorf("%s has %s %s and not %s %s", dir, m.Name, m.Version, p.name, p.version)
	case m.Integrity != p.integrity || m.Edits != p.editsHash():
		return m, fmt.Errorf("%s was made by another abrowser", dir)
	}
	return m, nil
}

func (p pack) editsHash() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", p.edits))
	return hex.EncodeToString(sum[:8])
}

func hashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// hashTree hashes the names and contents of all files below dir.
func hashTree(dir string) (string, error) {
	h := sha256.New()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		sum, err := hashFile(path)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(h, "%q %s\n", name, sum)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), err
}
