package commands

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// serveMCP serves an MCP client until the client disconnects. The client acts as a new agent, which
// ends with the connection.
func (x *run) serveMCP(ctx context.Context, in verbs.MCPIn) (*verbs.Empty, error) {
	// The home session is the session of the task that has started the MCP server. If --session
	// names another session than the task's, the task's session is in x.agent. Otherwise x.agent
	// is empty, and the home session is x.session, if a flag or a variable has named it.
	if x.home = x.agent; x.home == "" && x.identity.Named {
		x.home = x.session
	}
	x.agent = wire.NewAgent(os.Getpid())
	defer x.goodbye(ctx)
	r := x.Runner
	r.identity.Agent, r.showPictures = x.agent, true
	// If ctx ends, calls that still run must end at once. Package client waits for the outcome of a
	// cancelled request only if the cause is context.Canceled, so the cause is another error here.
	serving, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer context.AfterFunc(ctx, func() { end(errEnding) })()
	return &verbs.Empty{}, x.full.ServeMCP(serving, &r, x.session, in.Tools)
}

// errEnding is the cause with which the requests of an MCP server are cancelled when it ends.
var errEnding = errors.New("the server is ending")

// goodbyeTime is the time limit for [run.goodbye].
const goodbyeTime = 2 * time.Second

// goodbye reports to all running brokers that the agent of the MCP client has ended.
func (x *run) goodbye(ctx context.Context) {
	// A signal may have cancelled ctx already.
	if _, err := askWithin(context.WithoutCancel(ctx), x, goodbyeTime, verbs.BrokerEndAgent, verbs.Empty{}); err != nil {
		x.warn("ending the agent: " + err.Error())
	}
}

// installMCP returns the configuration with which MCP clients start abrowser. With --write, it
// also adds the configuration to a client's file.
func (x *run) installMCP(_ context.Context, in verbs.MCPInstallIn) (*verbs.MCPInstallOut, error) {
	session := "" // unless a flag names it
	if x.identity.Named && (x.identity.Person || x.agent != "") {
		session = x.session
	}
	out, warnings, err := x.full.InstallMCP(in, session)
	x.warn(warnings...)
	return out, err
}
