package review

import (
	"context"
	"log/slog"
	"net/url"
	"os/exec"
	"runtime"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/commands"
	"github.com/abrowser/abrowser/sockets/loopback"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Serve serves the page until ctx ends.
func Serve(ctx context.Context, log *slog.Logger, s commands.ReviewServer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	h := newHandler(s)
	server, err := loopback.Listen(ctx, loopback.Options{Port: s.Port, Handler: h, MaxBody: maxFiles, Log: log})
	if err != nil {
		return err
	}
	where, err := url.Parse(server.URL("http"))
	if err != nil {
		server.Close()
		return err
	}
	h.path = where.Path
	following := make(chan struct{})
	go func() {
		defer close(following)
		h.feed.follow(ctx, s)
	}()
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx) }()
	link := where.JoinPath(h.linkPath()).String()
	if s.Open {
		openInBrowser(ctx, link)
	}
	if !s.Announce(verbs.ReviewOut{URL: link}) {
		cancel()
	}
	err = <-served
	cancel()
	<-following
	h.closings.drop()
	return err
}

// openInBrowser opens a URL in the person's own browser, if there is one. Without one, the person
// uses the URL that the command prints.
func openInBrowser(ctx context.Context, url string) {
	opener := "xdg-open"
	if runtime.GOOS == "darwin" {
		opener = "open"
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	_ = exec.CommandContext(ctx, opener, url).Run() // an error means that there is no browser
}

// errNotFound is the answer to a request for something that the server does not have.
func errNotFound(what string) error { return wire.Errorf(wire.CodeNotFound, "there is no %s", what) }
