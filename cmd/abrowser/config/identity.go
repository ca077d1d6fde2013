package config

import (
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Identity says which session a command uses, in which browser, and which caller it acts for.
type Identity struct {
	Root     home.Root
	Settings wire.Settings // normalized
	Session  string
	Named    bool   // the session was named, by a flag or variable
	Flagged  bool   // the session was named by a flag
	Person   bool   // the environment names no session, so no task runs the command
	Agent    string // an MCP client's id, or the caller's own session if it differs from Session
	Owner    string // the process whose end also ends the session, empty if none was named

	SessionWarn int // a new session causes a warning if more sessions are live; 0 means never
}

// defaultSessionWarn is the number of sessions that can be live without a warning.
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
	id.Flagged, id.Named = flag, flag || !id.Person
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

// session returns the name of the session: the value of --session, else that of the variables,
// else "default". An empty name is an error. If it meant the default session, a task that has
// lost its id would work in the page of that session.
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

// owner returns the process that was named as the session's owner, or "" if none was named. It
// returns an error if the process does not run, since the session would then end at once or
// never.
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
