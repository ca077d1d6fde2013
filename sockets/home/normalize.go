package home

import (
	"path/filepath"
	"slices"

	"github.com/abrowser/abrowser/sockets/domains"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Normalize returns a session's settings in canonical form, so that settings that choose the same
// browser are equal:
//
//   - Symbolic links in a profile's path are resolved. The path of a profile in the root's profiles
//     directory becomes the profile's name.
//   - A CDP endpoint gets its canonical spelling.
//   - In persistent mode, a missing profile becomes the session's name.
//   - With allowed domains, the mode becomes incognito.
//   - The mode is cleared if a profile or a CDP endpoint implies it.
//
// Normalize returns an error if settings contradict each other or the profile cannot be used. It
// changes nothing on disk. The parameter lookup is os.LookupEnv.
func (r Root) Normalize(s wire.Settings, session string, lookup func(string) (string, bool)) (wire.Settings, error) {
	byDefault := func(name string) bool { return slices.Contains(s.Defaults, name) }
	if len(s.AllowedDomains) > 0 && byDefault("mode") && !byDefault("allowedDomains") {
		s.Mode = "" // what is requested takes precedence
	}
	if err := checkMode(s); err != nil {
		return s, err
	}
	if len(s.AllowedDomains) > 0 {
		var err error
		if s.Mode == "" && byDefault("allowedDomains") { // then the mode is a default, too
			s.Defaults = append(slices.Clone(s.Defaults), "mode")
		}
		s.Mode = wire.ModeIncognito
		s.AllowedDomains, err = domains.Normalize(s.AllowedDomains)
		return s, err
	}
	if s.CDP != "" {
		var err error
		s.CDP, err = normalizeEndpoint(s.CDP)
		s.Mode = ""
		return s, err
	}
	if s.Mode == wire.ModePersistent && s.Profile == "" {
		if session == sharedName {
			return s, wire.Errorf(wire.CodeBadInput, "--mode persistent needs a profile: the default is the session's name, and %q is the shared profile", sharedName).
				WithHint("abrowser --profile work open")
		}
		s.Profile = session
	}
	if s.Profile == "" {
		return s, nil
	}
	s.Mode = ""
	var err error
	if filepath.IsAbs(s.Profile) {
		if s.Profile, err = canonical(s.Profile); err != nil {
			return s, err
		}
		if of := personal(s.Profile, lookup); of != "" {
			return s, wire.Errorf(wire.CodeBadInput, "%s is the profile of your own %s, which refuses remote control of it (since version 136)", s.Profile, of).
				WithHint("abrowser --profile work open uses a separate profile; --cdp attaches to a running browser")
		}
		profiles, err := canonical(r.Path("profiles"))
		if err == nil && filepath.Dir(s.Profile) == profiles && isLiteral(filepath.Base(s.Profile)) {
			s.Profile = filepath.Base(s.Profile)
		}
	}
	if !filepath.IsAbs(s.Profile) {
		err = checkProfileName(s.Profile)
	}
	return s, err
}

// checkMode returns an error if mode, profile and CDP endpoint contradict each other.
func checkMode(s wire.Settings) error {
	contradicts := func(name string) error {
		return wire.Errorf(wire.CodeBadInput, "--mode %s and --%s contradict each other", s.Mode, name).
			WithHint("leave one of the two out")
	}
	switch {
	case len(s.AllowedDomains) > 0 && s.CDP != "":
		return wire.Errorf(wire.CodeBadInput, "--allowed-domains and --cdp contradict each other: abrowser cannot keep the tabs of a browser that it did not start from other domains").
			WithHint("leave one of the two out")
	case len(s.AllowedDomains) > 0 && (s.Profile != "" || s.Mode != "" && s.Mode != wire.ModeIncognito):
		return wire.Errorf(wire.CodeBadInput, "--allowed-domains needs pages of the session's own, behind a filter, so it is for --mode incognito, which it implies").
			WithHint("leave --profile and --mode out")
	case s.Profile != "" && s.CDP != "":
		return wire.Errorf(wire.CodeBadInput, "--profile and --cdp contradict each other: one starts a browser, the other attaches to one").
			WithHint("leave one of the two out")
	case s.Profile != "" && s.Mode != "" && s.Mode != wire.ModePersistent:
		return contradicts("profile")
	case s.CDP != "" && s.Mode != "" && s.Mode != wire.ModeAttached:
		return contradicts("cdp")
	case s.Mode == wire.ModeAttached && s.CDP == "":
		return wire.Errorf(wire.CodeBadInput, "--mode attached needs the browser to attach to").WithHint("abrowser --cdp 9222 open")
	}
	return nil
}

func checkProfileName(name string) error {
	const hint = "a name has 1 to 128 letters, digits, '.', '_' and '-'; with a slash it is a directory: ./profile"
	switch {
	case CheckName(name) != nil, isHashName(name):
		return wire.Errorf(wire.CodeBadInput, "%q is not a profile's name", name).WithHint(hint)
	case name == sharedName:
		return wire.Errorf(wire.CodeBadInput, "%q is the shared profile, which sessions without --profile use", name).
			WithHint("leave --profile out, or choose another name")
	}
	return nil
}
