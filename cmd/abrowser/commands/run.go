package commands

import (
	"context"
	"sync"

	"github.com/abrowser/abrowser/cmd/abrowser/files"
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// run is one command while it runs.
type run struct {
	Runner // a copy
	call

	session  string
	agent    string // see [config.Identity]
	owner    string
	settings wire.Settings
	failure  error             // see [Result]
	silent   sockets.PeerState // the state of the session's daemon, if it does not respond
	records  []wire.Record     // see [Result]
	exit     *int              // see [Result]
	// stateKeys are the keys of the state files that the command writes.
	stateKeys []stateKey
	announce  func(any) bool // see [Command]

	mu       sync.Mutex // guards warnings
	warnings []string
}

// warn adds warnings to the result. Several goroutines may call it at the same time.
func (x *run) warn(warnings ...string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.warnings = append(x.warnings, warnings...)
}

func (x *run) root() home.Root { return x.identity.Root }

func (x *run) files() files.Files {
	return files.Files{Dir: x.config.Dir, Root: x.root(), Session: x.session}
}

// prepare completes the parameters of a call before it is sent. It adds the parameters that the
// caller's environment variables and configuration files set, decodes the script of eval, and
// makes paths absolute. It returns an error if a flag is for a person and the caller is not a
// person.
func (x *run) prepare(ctx context.Context, c call) error {
	if err := x.checkPerson(c); err != nil {
		return err
	}
	for _, f := range c.verb.Fields() {
		if f.Library != "" {
			if err := x.LoadFull(ctx); err != nil {
				return err
			}
			path, err := x.full.Library(ctx, f.Library)
			if err != nil {
				return interruption(ctx, err)
			}
			c.params[f.Name] = path
		}
		if _, ok := c.params[f.Name]; ok || f.Env == "" {
			continue
		}
		value, err := x.config.Value(f)
		if err != nil {
			return err
		}
		if value == nil {
			continue
		}
		c.params[f.Name] = value
		if f.Name == "timeout" { // see verbs.TimeoutIn
			c.params["timeoutIsDefault"] = true
		}
	}
	var err error
	switch c.spec.Name {
	case verbs.Eval.Name:
		err = c.prepareScript()
	case verbs.StateSave.Name, verbs.StateLoad.Name:
		err = savedStates{x}.prepare(ctx, c)
	case verbs.AuthLogin.Name:
		err = savedLogins{x}.prepare(ctx, c)
	case verbs.StateShow.Name:
		return nil // showState reads the file
	}
	if err != nil {
		return err
	}
	return x.files().Resolve(c.verb, c.params)
}
