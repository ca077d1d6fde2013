package config

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// Config holds the settings that a command gets from flags, variables and files. [Resolve]
// returns it.
type Config struct {
	Output   Output
	Warnings []string                    // one for each key or file that is ignored
	Dir      string                      // the working directory, empty if it was removed
	Lookup   func(string) (string, bool) // looks up an environment variable

	settings wire.Settings
	flags    map[string]any
	files    []file
	identity identityInput
}

// Resolve finds the value of each of [Fields] in the first of these sources that has a value: the
// flags, the environment variables, ./abrowser.json, the user's configuration file. A field
// without a value gets its default from the server. lookup looks up an environment variable, as
// os.LookupEnv does.
//
// If err is not nil, c still contains the output settings that are known, so that the error can
// be printed in the requested format.
func Resolve(flags map[string]any, lookup func(string) (string, bool), dir string) (c *Config, err error) {
	c = &Config{Dir: dir, Lookup: lookup, flags: flags}
	identity, err := resolve[identityInput](c, identityFields())
	if err == nil {
		c.identity = identity
		c.files, c.Warnings, err = readFiles(dir, identity.Config, lookup)
	}
	output, failed := resolve[Output](c, outputFields())
	if failed != nil {
		return c, failed
	}
	if c.Output = output; err != nil {
		return c, err
	}
	return c, c.resolveSettings()
}

// resolve returns the values of the fields as a T. The fields must be those of the struct type T.
func resolve[T any](c *Config, fields []wire.Field) (T, error) {
	var t T
	values, err := c.values(fields)
	if err != nil || len(values) == 0 {
		return t, err
	}
	raw, err := json.Marshal(values)
	if err != nil {
		return t, err
	}
	return t, json.Unmarshal(raw, &t)
}

// values returns the values of the fields by name, without the fields that have no value.
func (c *Config) values(fields []wire.Field) (map[string]any, error) {
	values := map[string]any{}
	for _, f := range fields {
		value, layer, err := c.find(f)
		if err != nil {
			return nil, err
		}
		if value != nil {
			values[f.Name] = c.absolute(f, value, layer)
		}
	}
	return values, nil
}

// The layers from which a value can come, in descending precedence. The first configuration file
// is the layer layerFiles, the second one is layerFiles+1, and so on.
const (
	layerFlags = iota
	layerVariables
	layerFiles
)

// Value returns the value of a field that is not one of [Fields], such as a verb's timeout, or nil
// if no source has a value.
func (c *Config) Value(f wire.Field) (any, error) {
	value, _, err := c.find(f)
	return value, err
}

// find returns the value of a field and the layer that has it. value is nil if no layer has one.
func (c *Config) find(f wire.Field) (value any, layer int, err error) {
	if value, ok := c.flags[f.Name]; ok {
		return value, layerFlags, nil
	}
	if value, err := f.FromEnvironment(c.Lookup); value != nil || err != nil {
		return value, layerVariables, err
	}
	for i, file := range c.files {
		if value, err := file.value(f); value != nil || err != nil {
			return value, layerFiles + i, err
		}
	}
	return nil, layerFiles + len(c.files), nil
}

// absolute makes a relative path absolute, since the daemon has another working directory. A path
// in a configuration file is relative to the file's directory. Where a field takes a name or
// a path, a value without a slash is a name, except for "." and "..". absolute also expands a leading ~/, which shells do not expand
// after --profile=.
func (c *Config) absolute(f wire.Field, value any, layer int) any {
	path, ok := value.(string)
	if !ok || path == "" || f.File != "name" && f.File != "in" {
		return value
	}
	if home, known := c.Lookup("HOME"); known && strings.HasPrefix(path, "~/") {
		return filepath.Join(home, path[2:])
	}
	if f.File == "name" && !strings.Contains(path, "/") && path != "." && path != ".." {
		return value
	}
	dir := c.Dir
	if layer >= layerFiles {
		dir = filepath.Dir(c.files[layer-layerFiles].path)
	}
	return InDir(dir, path)
}
