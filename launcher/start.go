package launcher

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"sync"
	"syscall"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/launcher/bincache"
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// findOrStart returns the hello of the target. It starts the target unless it is running.
func (l *Launcher) findOrStart(ctx context.Context, t target) (wire.Hello, error) {
	build, err := l.Build()
	if err != nil {
		return wire.Hello{}, err
	}
	hello, err := l.hello(ctx, t)
	if errors.Is(err, wire.CodeNotRunning) || err == nil && !t.isCompatible(hello, build) {
		return l.start(ctx, t, build)
	}
	if err != nil {
		return hello, err
	}
	return hello, t.checkSettings(hello)
}

// start takes the start lock and then:
//
//  1. asks the target for its hello again, since the previous holder of the lock may have
//     started the target, and checks whether the target may be started;
//  2. fetches the parts that are missing;
//  3. retires a process of another build, and waits until the previous process has exited;
//  4. starts the process, and waits until it is ready;
//  5. asks the new process for its hello;
//  6. removes the executables of builds that no process runs.
func (l *Launcher) start(ctx context.Context, t target, build string) (wire.Hello, error) {
	if err := l.Root.Make(); err != nil {
		return wire.Hello{}, err
	}
	lock, err := sockets.Acquire(ctx, t.endpoint.Start)
	if err != nil {
		return wire.Hello{}, err
	}
	defer lock.Close()

	hello, err := l.hello(ctx, t)
	switch {
	case err == nil && t.isCompatible(hello, build):
		return hello, t.checkSettings(hello)
	case err != nil && !errors.Is(err, wire.CodeNotRunning):
		return hello, err
	}
	if t.settings, err = t.prepare(ctx); err != nil {
		return hello, err
	}
	if err := l.ensureParts(ctx, t.settings); err != nil {
		return hello, err
	}
	vacant, err := l.awaitVacant(ctx, t, build)
	if err == nil && vacant {
		err = l.spawn(ctx, t, build)
	}
	if err != nil {
		return wire.Hello{}, err
	}
	hello, err = l.hello(ctx, t)
	if err != nil {
		return hello, err
	}
	if err := l.binaries().Sweep(build); err != nil {
		l.logger().Debug("removing unused executables", "err", err)
	}
	return hello, t.checkSettings(hello)
}

func (l *Launcher) binaries() bincache.Cache { return bincache.Cache(l.Root.Path("bin")) }

// hello asks the process at the target's endpoint for its hello.
func (l *Launcher) hello(ctx context.Context, t target) (wire.Hello, error) {
	limit := l.limits().hello
	if t.isBrowser { // the keeper binds the socket before it starts Chromium, which takes a while
		limit = l.limits().start
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	hello, err := (&client.Client{Endpoint: t.endpoint}).Hello(limited)
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		return hello, wire.Errorf(wire.CodeWedged, "%s does not answer; it is suspended, or the machine is very busy", t.what).
			WithHint("abrowser doctor")
	}
	return hello, err
}

// isCompatible reports whether the running process can serve callers of the given build. A
// process that is exiting cannot serve them. A broker of another build can serve them if it has
// the same protocol. The launcher does not replace such a broker, since its tabs would be lost.
func (t target) isCompatible(running wire.Hello, build string) bool {
	return !running.Ending && (running.Build == build || t.isBrowser && running.Protocol == wire.Protocol())
}

// checkSettings returns an error if the target runs with other settings than requested.
func (t target) checkSettings(running wire.Hello) error {
	if !t.isBrowser {
		return home.CheckSettings(t.settings, running)
	}
	if names := t.settings.Diff(running.Settings); len(names) > 0 {
		return home.BrowserDiffers(t.what, names, t.stop)
	}
	return nil
}

// retire asks a process of another build to exit, which it does only if it is idle.
func (l *Launcher) retire(ctx context.Context, t target, hello wire.Hello) error {
	busy := wire.Errorf(wire.CodeBuildDiffers, "%s is of another build of abrowser and busy", t.what).WithHint("%s", t.stop)
	if hello.Protocol > wire.Protocol() {
		busy = busy.WithHint("update this abrowser, it is the older one; or %s", t.stop)
	}
	if !hello.Idle {
		return busy
	}
	ctx, cancel := context.WithTimeout(ctx, l.limits().hello)
	defer cancel()
	err := (&client.Client{Endpoint: t.endpoint}).Retire(ctx)
	switch {
	case errors.Is(err, wire.CodeBusy):
		return busy
	// These errors mean that the process exited before it replied.
	case errors.Is(err, wire.CodeNotRunning), errors.Is(err, wire.CodeResultUnknown):
	case err != nil:
		return err
	}
	l.logger().Info("retired", "name", t.endpoint.Name, "pid", hello.PID, "build", hello.Build)
	return nil
}

// awaitVacant retires an incompatible process at the endpoint and waits for its exit. It reports
// whether the endpoint is free. It returns false if a compatible process, which was started by
// hand, serves at the endpoint.
func (l *Launcher) awaitVacant(ctx context.Context, t target, build string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, l.limits().exit)
	defer cancel()
	for {
		hello, err := l.hello(ctx, t)
		switch {
		case err == nil && t.isCompatible(hello, build):
			return false, nil
		case err == nil:
			if err := l.retire(ctx, t, hello); err != nil {
				return false, err
			}
		case !errors.Is(err, wire.CodeNotRunning):
			return false, err
		}
		// If hello failed, no process was listening, so awaitLease may also return as soon as a
		// process accepts connections. After a call of retire it must wait for the lease, because
		// the retired process may still accept connections while it exits.
		vacant, err := l.awaitLease(ctx, t, err != nil)
		if vacant || err != nil {
			return vacant, err
		}
	}
}

// endUnreachable sends SIGTERM to a daemon that holds its lease although its socket file was
// removed. A daemon that is connected to a broker ends without this, because the broker tells it
// that the socket is gone. The tabs of the daemon stay open, as they do after any SIGTERM.
func (l *Launcher) endUnreachable(p home.Endpoint) {
	if _, err := os.Lstat(p.Socket); !errors.Is(err, fs.ErrNotExist) {
		return
	}
	if holder, ok := sockets.Listener(p.Lock); ok && holder.PID != os.Getpid() {
		l.logger().Info("ending a daemon whose socket is gone", "name", p.Name, "pid", holder.PID)
		_ = syscall.Kill(holder.PID, syscall.SIGTERM) // no effect on a daemon that is already exiting
	}
}

// awaitLease waits until no process holds the target's lease. A process holds its lease until it
// exits. If orSocket is true, awaitLease first ends an unreachable daemon, and it also
// returns as soon as a process accepts connections. It reports whether the lease is free.
func (l *Launcher) awaitLease(ctx context.Context, t target, orSocket bool) (bool, error) {
	lease, err := sockets.TryAcquire(t.endpoint.Lock)
	if err == nil {
		return true, lease.Close()
	}
	if !errors.Is(err, wire.CodeHeld) {
		return false, err
	}
	if orSocket && !t.isBrowser {
		l.endUnreachable(t.endpoint)
	}
	ctx, cancel := context.WithCancel(ctx)
	var waiting sync.WaitGroup
	defer waiting.Wait()
	defer cancel()
	free, accepts := make(chan error, 1), make(chan error, 1)
	waiting.Go(func() {
		lease, err := sockets.Acquire(ctx, t.endpoint.Lock)
		if err == nil {
			err = lease.Close()
		}
		free <- err
	})
	if orSocket {
		waiting.Go(func() { accepts <- sockets.Await(ctx, t.endpoint) })
	}
	vacant := false
	select {
	case err = <-free:
		vacant = err == nil
	case err = <-accepts:
	}
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = wire.Errorf(wire.CodeHeld, "%s does not listen, but a process holds %s", t.what, t.endpoint.Lock).
			WithHint("abrowser doctor")
	}
	return vacant, err
}
