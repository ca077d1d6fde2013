package cli

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

// config is one configuration file: a JSON object of settings by their names.
type config struct {
	path   string
	values map[string]json.RawMessage
}

// projectFile may come with a cloned repository, so it may not choose what runs.
const projectFile = "abrowser.json"

// readConfig reads the working directory's and the user's file, or the one that
// was named instead of both, and warns of keys that it ignores.
func readConfig(dir, named string, lookup func(string) (string, bool)) (files []config, warnings []string, err error) {
	if named != "" {
		named = inDir(dir, named)
		c, err := readFile(named)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil, wire.Errorf(wire.CodeBadInput, "there is no configuration file %s", named)
		}
		return []config{c}, c.keep(configKeys(), ""), err
	}
	if dir != "" {
		project, err := readFile(filepath.Join(dir, projectFile))
		switch {
		case err == nil:
			warnings = project.keep(projectKeys(), " in a working directory's file")
			files = append(files, project)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, nil, err
		}
	}
	user, err := readFile(userFile(lookup))
	switch {
	case err == nil:
		warnings = append(warnings, user.keep(configKeys(), "")...)
		files = append(files, user)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, nil, err
	}
	return files, warnings, nil
}

// userFile is ~/.config/abrowser/config.json, or where XDG_CONFIG_HOME says.
func userFile(lookup func(string) (string, bool)) string {
	if dir, ok := lookup("XDG_CONFIG_HOME"); ok && filepath.IsAbs(dir) {
		return filepath.Join(dir, "abrowser", "config.json")
	}
	if home, ok := lookup("HOME"); ok && filepath.IsAbs(home) {
		return filepath.Join(home, ".config", "abrowser", "config.json")
	}
	return ""
}

func readFile(path string) (config, error) {
	c := config{path: path}
	if path == "" {
		return c, fs.ErrNotExist
	}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, err
	}
	if err != nil {
		return c, wire.Errorf(wire.CodeBadInput, "reading the configuration: %v", err)
	}
	if err := json.Unmarshal(raw, &c.values); err != nil {
		return c, wire.Errorf(wire.CodeBadInput, "%s is not a JSON object: %s", path, where(raw, err)).
			WithHint("mend or remove %s", path)
	}
	return c, nil
}

// where says what is wrong with raw and on which line.
func where(raw []byte, err error) string {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return strings.TrimPrefix(err.Error(), "json: ")
	}
	line := 1 + strings.Count(string(raw[:min(int(syntax.Offset), len(raw))]), "\n")
	return fmt.Sprintf("line %d: %s", line, strings.TrimPrefix(err.Error(), "json: "))
}

func projectKeys() []string {
	keys := []string{"$schema", "timeout"}
	for _, f := range outputFields() {
		keys = append(keys, f.Name)
	}
	return keys
}

func configKeys() []string {
	keys := projectKeys()
	for _, f := range wire.SettingFields() {
		keys = append(keys, f.Name)
	}
	return keys
}

// keep drops all keys but these and warns of those it drops.
func (c config) keep(keys []string, why string) (warnings []string) {
	for key := range c.values {
		if !slices.Contains(keys, key) {
			delete(c.values, key)
			warnings = append(warnings, fmt.Sprintf("%s: %s is ignored; known%s are %s", c.path, key, why, strings.Join(keys[1:], ", ")))
		}
	}
	slices.Sort(warnings)
	return warnings
}

// value is the file's value for the field, nil where it has none. A list may be
// written as text separated by commas.
func (c config) value(f wire.Field) (any, error) {
	raw, ok := c.values[f.Name]
	if !ok || string(raw) == "null" {
		return nil, nil
	}
	name := c.path + ": " + f.Name
	var text string
	if f.Type.Kind() == reflect.Slice && json.Unmarshal(raw, &text) == nil {
		return parse(f, name, text)
	}
	typed := reflect.New(f.Type)
	if err := json.Unmarshal(raw, typed.Interface()); err != nil {
		return nil, wire.Errorf(wire.CodeBadInput, "%s takes %s, not %s", name, kindOf(f), raw)
	}
	value := typed.Elem().Interface()
	if f.Duration {
		return parse(f, name, value.(string))
	}
	if n, ok := value.(int); ok {
		return parseInt(f, name, fmt.Sprint(n))
	}
	return value, nil
}

func kindOf(f wire.Field) string {
	switch f.Type.Kind() {
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

func inDir(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
