package commands

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// serveMCP serves an MCP client until it leaves. The client is an agent of its own, which ends
// with the connection.
func (x *run) serveMCP(ctx context.Context, in verbs.MCPIn) (*verbs.Empty, error) {
	if x.home = x.agent; x.home == "" && x.identity.Named { // an agent that acts on another session has its own as home
		x.home = x.session
	}
	x.agent = wire.NewAgent(os.Getpid())
	defer x.goodbye(ctx)
	r := x.Runner
	r.identity.Agent, r.showPictures = x.agent, true
	// Calls that still run when the server ends are not waited for.
	serving, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer context.AfterFunc(ctx, func() { end(errEnding) })()
	return &verbs.Empty{}, x.full.ServeMCP(serving, &r, x.session, in.Tools)
}

// errEnding ends the requests of a server that ends.
var errEnding = errors.New("the server is ending")

// goodbyeTime is how long the end of an agent may take.
const goodbyeTime = 2 * time.Second

// goodbye tells all browsers that the agent has ended.
func (x *run) goodbye(ctx context.Context) {
	// ctx has ended with the client, or by a signal.
	if _, err := askWithin(context.WithoutCancel(ctx), x, goodbyeTime, verbs.BrokerEndAgent, verbs.Empty{}); err != nil {
		x.warn("ending the agent: " + err.Error())
	}
}

// installMCP returns what MCP clients need to start abrowser, or adds it to a client's file.
func (x *run) installMCP(_ context.Context, in verbs.MCPInstallIn) (*verbs.MCPInstallOut, error) {
	out, warnings, err := x.full.InstallMCP(in)
	x.warn(warnings...)
	return out, err
}
