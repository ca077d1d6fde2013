package config

import (
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Identity says for whom a command acts, and where.
type Identity struct {
	Root     home.Root
	Settings wire.Settings // normalized
	Session  string
	Named    bool   // the session was named, by a flag or variable
	Person   bool   // the environment names no session, so no task runs the command
	Agent    string // the session that acts on Session, empty if that is Session itself
	Owner    string // the process that the session is for, empty if none was named

	SessionWarn int // live sessions above which the next one is started with a warning; 0 is never
}

// defaultSessionWarn is how many sessions may be live without a warning.
const defaultSessionWarn = 5

// Identify returns the command's identity.
func (c *Config) Identify() (Identity, error) {
	id := Identity{Person: true, SessionWarn: defaultSessionWarn}
	if c.identity.SessionWarn != nil {
		id.SessionWarn = *c.identity.SessionWarn
	}
	for _, name := range wire.Variables("SESSION") {
		if _, set := c.Lookup(name); set {
			id.Person = false
		}
	}
	_, flag := c.flags["session"]
	id.Named = flag || !id.Person
	session, err := c.session()
	if err != nil {
		return id, err
	}
	id.Session = session
	if _, task := wire.LookupVariable(c.Lookup, wire.Variables("SESSION")); flag && task != id.Session {
		if id.Agent = task; task != "" {
			if err := home.CheckName(task); err != nil {
				return id, err
			}
		}
	}
	if id.Owner, err = c.owner(); err != nil {
		return id, err
	}
	if id.Root, err = home.Locate(c.Lookup); err != nil {
		return id, err
	}
	id.Settings, err = id.Root.Normalize(c.settings, id.Session, c.Lookup)
	return id, err
}

// session returns the name of the session: the flag's, else the variables', else default. An
// empty name is an error, so that a task whose id got lost does not work in the default
// session's page.
func (c *Config) session() (string, error) {
	if given, ok := c.flags["session"].(string); ok {
		if given == "" {
			return "", wire.Errorf(wire.CodeBadInput, "--session is empty").WithHint("abrowser --session task_123 open https://example.com")
		}
		return given, home.CheckName(given)
	}
	session, from := "default", ""
	for _, name := range wire.Variables("SESSION") {
		value, set := c.Lookup(name)
		switch {
		case !set:
		case value == "":
			return "", wire.Errorf(wire.CodeBadInput, "%s is set and empty", name).WithHint("unset %s to use the session default", name)
		case from != "" && value != session:
			return "", wire.Errorf(wire.CodeBadInput, "%s is %q and %s is %q", from, session, name, value).
				WithHint("unset one of the two, or use --session")
		default:
			session, from = value, name
		}
	}
	return session, home.CheckName(session)
}

// owner returns the process that the session is for, empty if none was named. A process that
// does not run is an error: the session would end at once, or never.
func (c *Config) owner() (string, error) {
	pid := c.identity.OwnerPID
	if pid == 0 {
		return "", nil
	}
	p, err := sockets.FindProcess(pid)
	if err != nil {
		return "", wire.Errorf(wire.CodeBadInput, "owner process %d not found", pid).
			WithHint("give the pid of the process that the session is for: --owner-pid $$")
	}
	return p.String(), nil
}
