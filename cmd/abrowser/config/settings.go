package config

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/abrowser/abrowser/sockets/wire"
)

// resolveSettings resolves the settings of the browser. Two of mode, profile and cdp can
// contradict each other, such as a profile from a variable and a cdp from a flag. In this case,
// the one from the layer with the lower precedence is dropped. If both are from the same layer,
// they are kept, and [home.Root.Normalize] refuses them.
func (c *Config) resolveSettings() error {
	fields := wire.SettingFields()
	values, err := c.values(fields)
	if err != nil {
		return err
	}
	type ranked struct {
		name  string
		layer int
	}
	var where []ranked
	for _, f := range fields {
		if _, given := values[f.Name]; given && slices.Contains([]string{"mode", "profile", "cdp"}, f.Name) {
			_, layer, _ := c.find(f) // cannot fail: c.values has called it for this field
			where = append(where, ranked{f.Name, layer})
		}
	}
	slices.SortStableFunc(where, func(x, y ranked) int { return cmp.Compare(x.layer, y.layer) })
	for i, lower := range where {
		for _, above := range where[:i] {
			if _, kept := values[above.name]; kept && above.layer < lower.layer && contradict(values, above.name, lower.name) {
				delete(values, lower.name)
			}
		}
	}
	if err := c.dropLaunchSettings(values); err != nil || len(values) == 0 {
		return err
	}
	raw, err := json.Marshal(values)
	if err != nil {
		return err
	}
	for _, f := range fields {
		if _, layer, _ := c.find(f); values[f.Name] != nil && layer >= layerFiles { // find has succeeded before
			c.settings.Defaults = append(c.settings.Defaults, f.Name)
		}
	}
	return json.Unmarshal(raw, &c.settings)
}

// contradict reports whether the values of x and y, which are two of mode, profile and cdp,
// exclude each other.
func contradict(values map[string]any, x, y string) bool {
	implied := map[string]any{"profile": wire.ModePersistent, "cdp": wire.ModeAttached}
	switch {
	case x == "mode":
		return values["mode"] != implied[y]
	case y == "mode":
		return values["mode"] != implied[x]
	}
	return true
}

// dropLaunchSettings removes the settings for starting a browser if the session attaches to a
// running one. It returns an error if such a setting was given as a flag.
func (c *Config) dropLaunchSettings(values map[string]any) error {
	if _, attached := values["cdp"]; !attached {
		return nil
	}
	for _, f := range wire.SettingFields() {
		if !slices.Contains([]string{"headed", "executablePath", "args"}, f.Name) {
			continue
		}
		if _, given := c.flags[f.Name]; given {
			return wire.Errorf(wire.CodeBadInput, "--%s is for starting a browser, but --cdp attaches to a running one", f.Flag).
				WithHint("leave --%s out", f.Flag)
		}
		delete(values, f.Name)
	}
	return nil
}
