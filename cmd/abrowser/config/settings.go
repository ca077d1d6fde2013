package cli

import (
	"cmp"
	"slices"

	"github.com/abrowser/abrowser/sockets/wire"
)

// resolveSettings finds the settings. Of those that exclude each other, such as a
// variable's profile and a flag's endpoint, the higher layer's is meant and the
// other is left out; two of one layer are for [home.Root.Normalize] to refuse.
func (l layers) resolveSettings() (members, error) {
	values, err := l.resolve(wire.SettingFields())
	if err != nil {
		return nil, err
	}
	var where []wire.Field
	for _, f := range wire.SettingFields() {
		if _, given := values[f.Name]; given && slices.Contains([]string{"mode", "profile", "cdp"}, f.Name) {
			where = append(where, f)
		}
	}
	slices.SortStableFunc(where, func(x, y wire.Field) int { return cmp.Compare(l.rank(x), l.rank(y)) })
	for i, f := range where {
		for _, above := range where[:i] {
			if _, kept := values[above.Name]; kept && l.rank(above) < l.rank(f) && contradict(values, above.Name, f.Name) {
				delete(values, f.Name)
			}
		}
	}
	return values, l.dropStarting(values)
}

// rank is the number of the layer that a field's value is from, the highest being 0.
func (l layers) rank(f wire.Field) int {
	if _, ok := l.flags[f.Name]; ok {
		return 0
	}
	if value, err := l.variable(f); value != nil || err != nil {
		return 1
	}
	for i, file := range l.files {
		if value, err := file.value(f); value != nil || err != nil {
			return 2 + i
		}
	}
	return 2 + len(l.files)
}

func contradict(values members, x, y string) bool {
	goes := map[string]any{"profile": wire.ModePersistent, "cdp": wire.ModeAttached}
	switch {
	case x == "mode":
		return values["mode"] != goes[y]
	case y == "mode":
		return values["mode"] != goes[x]
	}
	return true
}

// dropStarting drops what says how a browser is started where none is: one that
// somebody else started is as it is. Asked for in so many words it is refused.
func (l layers) dropStarting(values members) error {
	if _, attached := values["cdp"]; !attached {
		return nil
	}
	for _, f := range wire.SettingFields() {
		if !slices.Contains([]string{"headed", "executablePath", "args"}, f.Name) {
			continue
		}
		if _, asked := l.flags[f.Name]; asked {
			return wire.Errorf(wire.CodeBadInput, "--%s says how a browser is started, and --cdp attaches to one that runs", f.Flag).
				WithHint("leave --%s out", f.Flag)
		}
		delete(values, f.Name)
	}
	return nil
}
