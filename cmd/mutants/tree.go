package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// moduleRoot is the nearest directory from here upwards with a go.mod.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		_, err := os.Stat(filepath.Join(dir, "go.mod"))
		if err == nil {
			return dir, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		above := filepath.Dir(dir)
		if above == dir {
			return "", errors.New("no go.mod here or above")
		}
		dir = above
	}
}

// copyTree copies the files of a tree, links as they are, but for what git and the
// build keep in it.
func copyTree(to, from string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, below)
		switch {
		case e.IsDir() && (below == ".git" || below == "bin" || below == "dist" || e.Name() == "node_modules"):
			return filepath.SkipDir
		case e.IsDir():
			return os.MkdirAll(target, 0o755)
		case e.Type()&fs.ModeSymlink != 0:
			link, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(link, target)
		case !e.Type().IsRegular():
			return nil // a socket or pipe that somebody left
		}
		return copyFile(target, path, e)
	})
}

func copyFile(to, from string, e fs.DirEntry) error {
	info, err := e.Info()
	if err != nil {
		return err
	}
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, info.Mode().Perm())
}

// without takes a guard out of the copy for as long as do runs.
func (g *guard) without(tree string, do func() error) error {
	path := filepath.Join(tree, g.file)
	text, err := os.ReadFile(path)
	if err != nil {
		return verdict("no such file")
	}
	mutant, found := g.mutate(string(text))
	if found != 1 {
		return verdict(fmt.Sprintf("text found %d times", found))
	}
	if err := os.WriteFile(path, []byte(mutant), 0o600); err != nil {
		return err
	}
	return errors.Join(do(), os.WriteFile(path, text, 0o600))
}
