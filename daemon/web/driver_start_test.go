package web_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web"
	"github.com/abrowser/abrowser/launcher/driver"
	places "github.com/abrowser/abrowser/sockets/home" // home is the tests' own
	"github.com/abrowser/abrowser/sockets/verbs"
)

// On a cold start nobody waits for the browser and then for the driver: each of them
// comes up here only when the other is being started, too. Meanwhile the session says
// that it starts.
func TestBrowserAndDriverStartTogether(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "abd") // not t.TempDir: a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	root := places.Root{Dir: filepath.Join(dir, "r")}
	browser, shared := make(chan struct{}), make(chan struct{})
	meet := func(ctx context.Context, mine, other chan struct{}) error {
		close(mine)
		select {
		case <-other:
			return errors.New("both are being started")
		case <-time.After(patience / 2):
			return errors.New("the other is not being started")
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	place, err := root.Session("cold")
	if err != nil {
		t.Fatal(err)
	}
	state := ""
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ready, ended := make(chan error, 1), make(chan error, 1)
	go func() {
		ended <- daemon.Run(ctx, daemon.Options{
			Root: root, Session: "cold", Ready: func(err error) { ready <- err },
			Browser: func(ctx context.Context) (places.Endpoint, error) {
				err := meet(ctx, browser, shared)
				if out, _, failed := client.Do(ctx, client.Client{Endpoint: place}.KeepAlive(), verbs.Status, verbs.Empty{}); failed == nil {
					state = out.State
				}
				return places.Endpoint{}, fmt.Errorf("the browser: %w", err)
			},
			Backend: web.New(func(context.Context) (web.Driver, error) {
				return web.Driver{Join: func(ctx context.Context) (*driver.Conn, error) {
					return nil, fmt.Errorf("the driver: %w", meet(ctx, shared, browser))
				}}, nil
			}),
		})
	}()
	if err := <-ready; err != nil {
		t.Fatal(err)
	}
	c := client.Client{Endpoint: place, Session: "cold"}.KeepAlive()
	_, _, err = client.Do(ctx, c, verbs.GetURL, verbs.TabIn{})
	if err == nil || err.Error() != "the browser: both are being started" {
		t.Errorf("the first command fails with %v", err)
	}
	if state != "starting" {
		t.Errorf("while the browser starts the session's state is %q, want starting", state)
	}
	_ = c.Close() // nothing was written through it
	stop()
	if err := <-ended; err != nil {
		t.Errorf("the daemon ended with %v", err)
	}
}
