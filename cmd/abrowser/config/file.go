package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// file is one configuration file: a JSON object of settings by their names.
type file struct {
	path   string
	values map[string]json.RawMessage
}

// readFiles reads two configuration files: that of the working directory dir and that of the user.
// If override is not empty, it is the path of the only file that readFiles reads. readFiles also
// returns a warning for each key that it ignores, and for a file of the working directory that it
// cannot read.
func readFiles(dir, override string, lookup func(string) (string, bool)) (files []file, warnings []string, err error) {
	if override != "" {
		f, err := readFile(InDir(dir, override))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil, wire.Errorf(wire.CodeBadInput, "configuration file %s not found", f.path)
		}
		return []file{f}, f.keep(FileKeys(), ""), err
	}
	if dir != "" {
		project, err := readFile(filepath.Join(dir, "abrowser.json"))
		switch {
		case err == nil:
			warnings = project.keep(projectKeys(), " in a working directory's file")
			files = append(files, project)
		case !errors.Is(err, fs.ErrNotExist):
			// A warning is enough, since the file may come from a cloned repository.
			warnings = append(warnings, wire.AsError(err).Message+"; it is ignored")
		}
	}
	user, err := readFile(userFile(lookup))
	switch {
	case err == nil:
		warnings = append(warnings, user.keep(FileKeys(), "")...)
		files = append(files, user)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, nil, err
	}
	return files, warnings, nil
}

// userFile returns the path of the user's configuration file:
// $XDG_CONFIG_HOME/abrowser/config.json, or ~/.config/abrowser/config.json if XDG_CONFIG_HOME is
// not an absolute path. It returns "" if HOME is not an absolute path either.
func userFile(lookup func(string) (string, bool)) string {
	if dir, ok := lookup("XDG_CONFIG_HOME"); ok && filepath.IsAbs(dir) {
		return filepath.Join(dir, "abrowser", "config.json")
	}
	if home, ok := lookup("HOME"); ok && filepath.IsAbs(home) {
		return filepath.Join(home, ".config", "abrowser", "config.json")
	}
	return ""
}

func readFile(path string) (file, error) {
	f := file{path: path}
	if path == "" {
		return f, fs.ErrNotExist
	}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	if err != nil {
		return f, wire.Errorf(wire.CodeBadInput, "reading the configuration: %v", err)
	}
	if err := json.Unmarshal(raw, &f.values); err != nil {
		return f, wire.Errorf(wire.CodeBadInput, "%s is not a JSON object: %s", path, JSONError(raw, err)).
			WithHint("correct or remove %s", wire.ShellWord(path))
	}
	return f, nil
}

// JSONError returns the text of an error that occurred when raw was decoded. For a syntax error,
// the text contains the line.
func JSONError(raw []byte, err error) string {
	text := strings.TrimPrefix(err.Error(), "json: ")
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return text
	}
	line := 1 + strings.Count(string(raw[:min(int(syntax.Offset), len(raw))]), "\n")
	return fmt.Sprintf("line %d: %s", line, text)
}

// keep removes all keys from f except the given ones, and returns a warning for each removed key.
// It does not change the file on disk. Each warning lists the given keys except the first one,
// $schema. If files of this kind may have fewer keys than others, the parameter place names the
// kind in the warning, such as " in a working directory's file". Otherwise place is empty.
func (f file) keep(keys []string, place string) (warnings []string) {
	for key := range f.values {
		if !slices.Contains(keys, key) {
			delete(f.values, key)
			warnings = append(warnings, fmt.Sprintf("%s: %s is ignored; known%s are %s", f.path, key, place, strings.Join(keys[1:], ", ")))
		}
	}
	slices.Sort(warnings)
	return warnings
}

// value returns the file's value for a field, or nil if the file has none. A list may also be a
// text with commas between its elements.
func (f file) value(field wire.Field) (any, error) {
	raw, ok := f.values[field.Name]
	if !ok || string(raw) == "null" {
		return nil, nil
	}
	name := f.path + ": " + field.Name
	var text string
	if field.Type.Kind() == reflect.Slice && json.Unmarshal(raw, &text) == nil {
		return field.Parse(name, text)
	}
	typed := reflect.New(field.Type)
	if err := json.Unmarshal(raw, typed.Interface()); err != nil {
		return nil, wire.Errorf(wire.CodeBadInput, "%s takes %s, not %s", name, typeName(field.Type), raw)
	}
	switch value := typed.Elem().Interface().(type) {
	case string, int: // Parse checks choices and limits
		return field.Parse(name, fmt.Sprint(value))
	default:
		return value, nil
	}
}

func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	case reflect.Slice:
		return "a list of texts"
	default:
		return "a text"
	}
}

// InDir returns an absolute path unchanged, and joins a relative path to dir.
func InDir(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
