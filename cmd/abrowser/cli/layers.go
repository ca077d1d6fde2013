package cli

import (
	"path/filepath"
	"strings"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// layers are where a setting's value may come from, the first that has it
// wins: flags, variables, ./abrowser.json, the user's file. What none has is the
// server's default.
type layers struct {
	flags  members
	lookup func(string) (string, bool)
	dir    string // the caller's, for relative paths
	files  []config
	who    members // [Who], as it was resolved
}

// resolve finds the values of the fields that have one.
func (l layers) resolve(fields []wire.Field) (members, error) {
	values := members{}
	for _, f := range fields {
		value, dir, err := l.find(f)
		if err != nil {
			return nil, err
		}
		if value != nil {
			values[f.Name] = l.absolute(f, value, dir)
		}
	}
	return values, nil
}

// find returns the field's value and the directory it is relative to.
func (l layers) find(f wire.Field) (value any, dir string, err error) {
	if value, ok := l.flags[f.Name]; ok {
		return value, l.dir, nil
	}
	if value, err := l.variable(f); value != nil || err != nil {
		return value, l.dir, err
	}
	for _, file := range l.files {
		if value, err := file.value(f); value != nil || err != nil {
			return value, filepath.Dir(file.path), err
		}
	}
	return nil, "", nil
}

// variable reads ABROWSER_NAME, else AGENT_BROWSER_NAME, or another name that the
// field has; empty is not set.
func (l layers) variable(f wire.Field) (any, error) {
	if name, text := wire.LookupVariable(l.lookup, f.Variables()); text != "" {
		return parse(f, name, text)
	}
	return nil, nil
}

// absolute makes a path that is relative to dir absolute, for the daemon works
// elsewhere. A name without a slash is no path. A tilde is the shell's to replace,
// which it does not behind --profile=.
func (l layers) absolute(f wire.Field, value any, dir string) any {
	path, ok := value.(string)
	if home, known := l.lookup("HOME"); ok && known && f.File == "name" && strings.HasPrefix(path, "~/") {
		return filepath.Join(home, path[2:])
	}
	if !ok || f.File != "name" || filepath.IsAbs(path) || !strings.Contains(path, "/") && path != "." && path != ".." {
		return value
	}
	return filepath.Join(dir, path)
}

// session is the name of the session that the command belongs to: the flag's,
// else the variables', else default. Empty is an error and not default, so that a
// task whose id got lost does not work in somebody else's page.
func (l layers) session() (string, error) {
	if given, ok := l.flags["session"]; ok {
		name := given.(string)
		if name == "" {
			return "", wire.Errorf(wire.CodeBadInput, "--session is empty").WithHint("abrowser --session task_123 open https://example.com")
		}
		return name, home.CheckName(name)
	}
	ours, haveOurs := l.lookup("ABROWSER_SESSION")
	theirs, haveTheirs := l.lookup("AGENT_BROWSER_SESSION")
	switch {
	case haveOurs && ours == "":
		return "", emptyVariable("ABROWSER_SESSION")
	case haveTheirs && theirs == "":
		return "", emptyVariable("AGENT_BROWSER_SESSION")
	case haveOurs && haveTheirs && ours != theirs:
		return "", wire.Errorf(wire.CodeBadInput, "ABROWSER_SESSION is %q and AGENT_BROWSER_SESSION is %q; which one is meant?", ours, theirs).
			WithHint("unset one of the two, or use --session")
	case haveOurs:
		return ours, home.CheckName(ours)
	case haveTheirs:
		return theirs, home.CheckName(theirs)
	}
	return "default", nil
}

// namesSession reports whether the session was named at all.
func (l layers) namesSession() bool {
	_, flag := l.flags["session"]
	_, ours := l.lookup("ABROWSER_SESSION")
	_, theirs := l.lookup("AGENT_BROWSER_SESSION")
	return flag || ours || theirs
}

// agent is who acts, empty where that is the session itself: with a flag that names
// another session than the variables do, the variables' session acts on it.
func (l layers) agent(session string) (string, error) {
	if _, given := l.flags["session"]; !given {
		return "", nil
	}
	_, agent := wire.LookupVariable(l.lookup, wire.Variables("SESSION"))
	if agent == "" || agent == session {
		return "", nil
	}
	return agent, home.CheckName(agent)
}

func emptyVariable(name string) error {
	return wire.Errorf(wire.CodeBadInput, "%s is set and empty", name).WithHint("unset %s to use the session default", name)
}

// owner is the process that the session is for, empty where none was named. One that
// has ended, or never was, is an error now: the session would end at once, or never.
func (l layers) owner() (string, error) {
	pid, ok := l.who["ownerPid"].(int)
	if !ok {
		return "", nil
	}
	p, err := sockets.FindProcess(pid)
	if err != nil {
		return "", wire.Errorf(wire.CodeBadInput, "the owner is to be process %d, and there is none", pid).
			WithHint("give the pid of the process that the session is for: --owner-pid $$")
	}
	return p.String(), nil
}
