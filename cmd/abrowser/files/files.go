package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// resolvePaths makes the paths of files to write absolute and refuses those that
// cannot be written, before anything happens.
func (a *app) resolvePaths(l *line) error {
	switch l.verb.Describe().Name {
	case verbs.Screenshot.Name:
		selectorOrPath(l.in)
	case verbs.Wait.Name:
		pathOfDownload(l.in)
	}
	for _, f := range l.verb.Fields() {
		if paths, ok := l.in[f.Name].([]string); ok && f.File == "in" {
			l.in[f.Name] = a.absolute(paths)
		}
		path := l.text(f.Name)
		if f.File != "out" && f.File != "into" || path == "" {
			continue
		}
		if !filepath.IsAbs(path) && a.dir == "" {
			return wire.Errorf(wire.CodeBadInput, "the working directory is gone; %s needs an absolute path", path)
		}
		if f.File == "into" && isDirectory(inDir(a.dir, path)) {
			l.in[f.Name] = inDir(a.dir, path)
			continue
		}
		if strings.HasSuffix(path, "/") {
			return wire.Errorf(wire.CodeBadInput, "there is no directory %s", path).WithHint("mkdir -p %s", path)
		}
		path = inDir(a.dir, path)
		if err := checkWritable(path); err != nil {
			return err
		}
		l.in[f.Name] = path
	}
	return nil
}

// absolute makes paths of files to read absolute. Whether they can be read, who reads
// them says.
func (a *app) absolute(paths []string) []string {
	var all []string
	for _, path := range paths {
		all = append(all, inDir(a.dir, path))
	}
	return all
}

// pathOfDownload takes what stands behind wait --download for the file to write.
func pathOfDownload(in members) {
	what, given := in["what"]
	if on, _ := in["download"].(bool); !on || !given {
		return
	}
	delete(in, "what")
	in["path"] = what
}

// selectorOrPath decides what a screenshot's only argument is.
func selectorOrPath(in members) {
	only, ok := in["selector"].(string)
	if _, two := in["path"]; !ok || two || isSelector(only) {
		return
	}
	delete(in, "selector")
	in["path"] = only
}

// isSelector reports whether the only argument of a screenshot is a selector: it
// starts like one, or has neither a slash nor an image's ending.
func isSelector(text string) bool {
	switch {
	case strings.HasPrefix(text, "./"), strings.HasPrefix(text, "../"):
		return false
	case strings.HasPrefix(text, "//"), slices.Contains([]string{".", "#", "@"}, text[:1]):
		return true
	}
	engine, _, ok := strings.Cut(text, "=")
	if ok && slices.Contains([]string{"xpath", "text", "role", "css", "id", "ref"}, engine) {
		return true
	}
	return !strings.Contains(text, "/") && !slices.Contains(imageEndings(), strings.ToLower(filepath.Ext(text)))
}

func imageEndings() []string { return []string{".png", ".jpg", ".jpeg", ".webp", ".gif"} }

func checkWritable(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return wire.Errorf(wire.CodeBadInput, "%s is a directory; name the file to write", path)
	}
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return wire.Errorf(wire.CodeBadInput, "there is no directory %s", dir).WithHint("mkdir -p %s", dir)
	case err != nil:
		return wire.Errorf(wire.CodeBadInput, "%s cannot be written: %v", path, err)
	case !info.IsDir():
		return wire.Errorf(wire.CodeBadInput, "%s is no directory", dir)
	}
	return nil
}

// writeFile writes what an output left for the caller's files.
func (a *app) writeFile(out any) error {
	filer, ok := out.(wire.Filer)
	if !ok {
		return nil
	}
	file, ok := filer.TakeFile()
	if !ok {
		return nil
	}
	if file.Source != "" {
		path, err := a.take(file)
		filer.SetPath(path)
		return err
	}
	if file.Path != "" {
		if err := os.WriteFile(file.Path, file.Content, 0o644); err != nil {
			return wire.Errorf(wire.CodePermission, "writing %s: %v", file.Path, plainPathError(err))
		}
		filer.SetPath(file.Path)
		return nil
	}
	path, err := a.writeNew(file)
	filer.SetPath(path)
	return err
}

// writeNew writes a file that was given no place below the root, under the
// session's name and the time: two commands never write the same one.
func (a *app) writeNew(file wire.File) (string, error) {
	dir := a.root.Path("screenshots")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", wire.Errorf(wire.CodePermission, "making %s: %v", dir, plainPathError(err))
	}
	name := a.session + "-" + time.Now().Format("20060102-150405.000")
	for n := 1; ; n++ {
		path := filepath.Join(dir, name+file.Ext)
		if n > 1 {
			path = filepath.Join(dir, fmt.Sprintf("%s-%d%s", name, n, file.Ext))
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

// plainPathError is the reason without the path, which the message has already.
func plainPathError(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
