package verbs

import "github.com/abrowser/abrowser/sockets/wire"

// Profile is a directory in which a browser keeps logins and settings.
type Profile struct {
	Name      string `json:"name"` // the value for --profile
	Directory string `json:"directory"`
	Shared    bool   `json:"shared,omitzero"` // the profile of the browser that sessions without --profile share
}

// ProfilesOut is the output of [Profiles].
type ProfilesOut struct {
	Profiles []Profile `json:"profiles"`
}

// Text returns a line for each profile.
func (o ProfilesOut) Text() string {
	if len(o.Profiles) == 0 {
		return "No profiles"
	}
	var all []string
	for _, p := range o.Profiles {
		name := p.Name
		if p.Shared {
			name += " (of sessions without --profile)"
		}
		all = append(all, name+"  "+p.Directory)
	}
	return lines(all...)
}

// Profiles lists the profiles whose names --profile accepts.
var Profiles = wire.Verb[Empty, ProfilesOut]{Spec: wire.Spec{
	Name: "profiles", Group: groupProgram, Short: "List the browser profiles that --profile takes by name", Example: "abrowser profiles",
	By: wire.ByCommand, NoStart: true, ReadOnly: true,
}}
