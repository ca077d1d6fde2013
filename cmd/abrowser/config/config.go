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
	Warnings []string                    // of keys that are ignored
	Dir      string                      // the working directory, empty if it was removed
	Lookup   func(string) (string, bool) // of variables

	settings wire.Settings
	flags    map[string]any
	files    []file
	identity identityInput
}

// Resolve finds the value of each of [Fields] in the first of these that has it: the flags, the
// variables, ./abrowser.json, the user's configuration file. A value that none has is the
// server's default. lookup is os.LookupEnv.
//
// If err is not nil, Config still has the output settings, as far as they are known: the error
// is printed as they say.
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

// resolve returns the values of the fields that have one, as a T.
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

// values returns the values of the fields that have one.
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

// The layers that a value may come from, the highest first. The files follow them in their
// order.
const (
	layerFlags = iota
	layerVariables
	layerFiles
)

// Value returns the value of a command's own field, nil if it has none here.
func (c *Config) Value(f wire.Field) (any, error) {
	value, _, err := c.find(f)
	return value, err
}

// find returns a field's value, nil if it has none, and the layer that has it.
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

// absolute makes a relative path absolute, since the daemon has another working directory. A
// path in a file is relative to the file's directory. A name without a slash is not a path. The
// shell replaces a leading tilde, but not after --profile=.
func (c *Config) absolute(f wire.Field, value any, layer int) any {
	path, ok := value.(string)
	if !ok || f.File != "name" {
		return value
	}
	if home, known := c.Lookup("HOME"); known && strings.HasPrefix(path, "~/") {
		return filepath.Join(home, path[2:])
	}
	if !strings.Contains(path, "/") && path != "." && path != ".." {
		return value
	}
	dir := c.Dir
	if layer >= layerFiles {
		dir = filepath.Dir(c.files[layer-layerFiles].path)
	}
	return InDir(dir, path)
}
