package npm

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

// marker describes the contents of a package's directory. The marker is written last, so a
// directory without a marker is incomplete.
type marker struct {
	Name      string               `json:"name"`
	Version   string               `json:"version"`
	Integrity string               `json:"integrity"` // the hash of the archive
	Edits     string               `json:"edits"`     // the hash of the edits that were made
	Tree      string               `json:"tree"`      // the hash of the names and contents of all files
	Key       map[string]fileState `json:"key"`
}

// fileState is the state of a key file after the installation.
type fileState struct {
	Size int64     `json:"size"`
	Time time.Time `json:"time"`
	Hash string    `json:"hash"`
}

const markerName = "abrowser.json"

// mark writes the marker for the package that was unpacked below dir.
func (p Package) mark(dir string) error {
	m := marker{Name: p.Name, Version: p.Version, Integrity: p.Integrity, Edits: p.editsHash(), Key: map[string]fileState{}}
	for _, name := range p.Key {
		file := filepath.Join(dir, name)
		sum, err := hashFile(file)
		if err != nil {
			return err
		}
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		m.Key[name] = fileState{info.Size(), info.ModTime(), sum}
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

// Check returns an error unless dir contains the package with this version and edits, and all key
// files exist unchanged. It reads a key file only if the size or time of the file has changed
// since the installation.
func (p Package) Check(dir string) error {
	m, err := p.marked(dir)
	if err != nil {
		return err
	}
	for _, name := range p.Key {
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

// CheckAll returns an error unless dir contains the package with this version and edits, and all
// files exist unchanged. It reads every file.
func (p Package) CheckAll(dir string) error {
	m, err := p.marked(dir)
	if err != nil {
		return err
	}
	if sum, err := hashTree(filepath.Join(dir, "package")); err != nil || sum != m.Tree {
		return fmt.Errorf("files in %s were changed", dir)
	}
	return p.Check(dir)
}

// marked returns the marker in dir. It returns an error unless the marker describes this package
// with the same edits.
func (p Package) marked(dir string) (marker, error) {
	var m marker
	if _, err := os.Stat(dir); err != nil {
		return m, fmt.Errorf("%s does not exist", dir)
	}
	raw, err := os.ReadFile(filepath.Join(dir, markerName))
	switch {
	case err != nil || json.Unmarshal(raw, &m) != nil:
		return m, fmt.Errorf("%s is incomplete", dir)
	case m.Name != p.Name || m.Version != p.Version:
		return m, fmt.Errorf("%s has %s %s, want %s %s", dir, m.Name, m.Version, p.Name, p.Version)
	case m.Integrity != p.Integrity || m.Edits != p.editsHash():
		return m, fmt.Errorf("%s was made by another abrowser", dir)
	}
	return m, nil
}

func (p Package) editsHash() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", p.Edits))
	return hex.EncodeToString(sum[:8])
}

func hashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), err
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
