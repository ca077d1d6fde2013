// Package files resolves the paths of a command and writes the files of its answer. The caller's
// process does this, with its own rights and working directory, since the daemon can have others.
//
// The verbs' declarations say which fields are paths. The package sends no requests. Package
// commands uses it. Its invariants: a path in a missing directory is refused before the command
// runs, and a file whose name the caller has not chosen never replaces another file.
package files

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/config"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Files resolves and writes the files of one caller. All fields are required, except that Dir is
// empty if the caller's working directory was removed.
type Files struct {
	Dir     string
	Root    home.Root
	Session string // part of the name of a file for which the caller gave no path
}

// Resolve makes the paths in a verb's parameters absolute. It returns an error for a file to
// write if the directory of the file does not exist, or if the path is itself a directory and the
// verb does not write into directories.
func (w Files) Resolve(v wire.AnyVerb, params map[string]any) error {
	switch v.Describe().Name {
	case verbs.Screenshot.Name:
		selectorOrPath(params)
	case verbs.Wait.Name:
		downloadPath(params)
	}
	for _, f := range v.Fields() {
		if paths, ok := params[f.Name].([]string); ok && f.File == "in" {
			params[f.Name] = w.absolute(paths)
		}
		path, _ := params[f.Name].(string)
		if f.File == "in" && path != "" {
			params[f.Name] = w.absolute([]string{path})[0]
		}
		if f.File != "out" && f.File != "into" || path == "" {
			continue
		}
		if !filepath.IsAbs(path) && w.Dir == "" {
			return wire.Errorf(wire.CodeBadInput, "the working directory was removed: %s needs an absolute path", path)
		}
		absolute := config.InDir(w.Dir, path)
		switch isDir := isDirectory(absolute); {
		case isDir && f.File == "out":
			return wire.Errorf(wire.CodeBadInput, "%s is a directory; name the file to write", absolute)
		case !isDir && strings.HasSuffix(path, "/"):
			return wire.Errorf(wire.CodeBadInput, "directory %s not found", path).WithHint("mkdir -p %s", wire.ShellWord(path))
		case !isDir:
			if err := checkDirectoryOf(absolute); err != nil {
				return err
			}
		}
		params[f.Name] = absolute
	}
	if v.Describe().Name == verbs.Screenshot.Name {
		return w.inDirectory(params)
	}
	return nil
}

// inDirectory handles the parameter dir of a screenshot, the directory for a file without a path.
func (w Files) inDirectory(params map[string]any) error {
	dir, _ := params["dir"].(string)
	delete(params, "dir")
	if _, given := params["path"]; given || dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return wire.Errorf(wire.CodePermission, "making %s: %v", dir, plainPathError(err))
	}
	ext := ".png"
	if params["format"] == "jpeg" {
		ext = ".jpg"
	}
	params["path"] = w.nameIn(dir) + "-" + strings.ToLower(rand.Text()[:6]) + ext // two commands may have the same time
	return nil
}

// absolute makes the paths of files to read absolute. It does not check the files, since the
// process that reads a file reports errors.
func (w Files) absolute(paths []string) []string {
	var all []string
	for _, path := range paths {
		all = append(all, config.InDir(w.Dir, path))
	}
	return all
}

// downloadPath handles wait --download, whose argument is the path of the file to write. It moves
// the argument from the verb's parameter "what" to its parameter "path".
func downloadPath(params map[string]any) {
	what, given := params["what"]
	if on, _ := params["download"].(bool); !on || !given {
		return
	}
	delete(params, "what")
	params["path"] = what
}

// selectorOrPath decides whether the only argument of a screenshot is a selector or a path. If it
// is a path, selectorOrPath moves it from the verb's parameter "selector" to its parameter "path".
func selectorOrPath(params map[string]any) {
	only, ok := params["selector"].(string)
	if _, two := params["path"]; !ok || two || isSelector(only) {
		return
	}
	delete(params, "selector")
	params["path"] = only
}

// isSelector reports whether the only argument of a screenshot is a selector. It is one if it
// starts like a selector, or if it has neither a slash nor the extension of an image file.
func isSelector(text string) bool {
	switch {
	case strings.HasPrefix(text, "./"), strings.HasPrefix(text, "../"):
		return false
	case strings.HasPrefix(text, "//"), strings.ContainsAny(text[:1], ".#@"):
		return true
	}
	engine, _, ok := strings.Cut(text, "=")
	if ok && slices.Contains([]string{"xpath", "text", "role", "css", "id", "ref"}, engine) {
		return true
	}
	images := []string{".png", ".jpg", ".jpeg", ".webp", ".gif"}
	return !strings.Contains(text, "/") && !slices.Contains(images, strings.ToLower(filepath.Ext(text)))
}

// checkDirectoryOf returns an error unless the directory of the file at path exists.
func checkDirectoryOf(path string) error {
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return wire.Errorf(wire.CodeBadInput, "directory %s not found", dir).WithHint("mkdir -p %s", wire.ShellWord(dir))
	case err != nil:
		return wire.Errorf(wire.CodeBadInput, "%s cannot be written: %v", path, err)
	case !info.IsDir():
		return wire.Errorf(wire.CodeBadInput, "%s is not a directory", dir)
	}
	return nil
}

// Write writes the file of an output, if the output has a file, and stores the file's path in the
// output.
func (w Files) Write(out any) error {
	filer, ok := out.(wire.Filer)
	if !ok {
		return nil
	}
	file, ok := filer.TakeFile()
	if !ok {
		return nil
	}
	path, err := file.Path, error(nil)
	switch {
	case file.Source != "":
		path, err = w.moveFile(file)
	case file.Private:
		err = writePrivate(path, file.Content)
	case path == "":
		path, err = w.writeNew(file)
	default:
		if err := os.WriteFile(path, file.Content, 0o644); err != nil {
			return wire.Errorf(wire.CodePermission, "writing %s: %v", path, plainPathError(err))
		}
	}
	filer.SetPath(path)
	return err
}

// writePrivate writes a file that only the user can read. If it fails, an existing file stays as it
// is.
func writePrivate(path string, content []byte) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // a link's target is replaced, not the link
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return wire.Errorf(wire.CodeBadInput, "%s is not a regular file", path).WithHint("name another file")
	}
	return home.WriteFile(path, content)
}

// writeNew writes a file for which the caller gave no path. It creates the file in a directory
// below the root, with a name that consists of the session and the time. Two commands never write
// the same file.
func (w Files) writeNew(file wire.File) (string, error) {
	name, err := w.newName(cmp.Or(file.Dir, "screenshots"))
	if err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		path := name + file.Ext
		if n > 1 {
			path = fmt.Sprintf("%s-%d%s", name, n, file.Ext)
		}
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", wire.Errorf(wire.CodePermission, "writing %s: %v", path, plainPathError(err))
		}
		_, err = f.Write(file.Content)
		if err := errors.Join(err, f.Close()); err != nil {
			return "", fmt.Errorf("writing %s: %w", path, plainPathError(err))
		}
		return path, nil
	}
}

// newName returns a path, without extension, for a file for which the caller gave no path. The
// parameter subdir is the file's directory, relative to the root. newName creates this directory.
func (w Files) newName(subdir string) (string, error) {
	dir := w.Root.Path(subdir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", wire.Errorf(wire.CodePermission, "making %s: %v", dir, plainPathError(err))
	}
	return w.nameIn(dir), nil
}

// nameIn returns a path, without extension, for a file in a directory. It consists of the session
// and the time.
func (w Files) nameIn(dir string) string {
	return filepath.Join(dir, w.Session+"-"+time.Now().Format("20060102-150405.000"))
}

// plainPathError returns the cause of err without the path, which the caller's message contains.
func plainPathError(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
