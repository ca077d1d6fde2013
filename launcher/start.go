package launcher

import (
	"context"
	"errors"
	"sync"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// run returns the hello of the target, which it starts where it does not run.
func (l *Launcher) run(ctx context.Context, t target) (wire.Hello, error) {
	build, err := l.Build()
	if err != nil {
		return wire.Hello{}, err
	}
	hello, err := l.greet(ctx, t)
	switch {
	case errors.Is(err, wire.CodeNotRunning):
		return l.start(ctx, t, build)
	case err != nil:
		return hello, err
	case !t.serves(hello, build):
		return l.start(ctx, t, build)
	}
	return hello, t.fits(hello)
}

// start holds the start lock while it:
//
//  1. asks again, since whoever held the lock before may have done all of it, and
//     whether it may be started at all;
//  2. fetches the parts that are missing;
//  3. has one of another build retire, and waits until the one before has ended;
//  4. spawns, and waits until the child is ready;
//  5. asks it who it is;
//  6. removes the copies of builds that nobody runs any more.
func (l *Launcher) start(ctx context.Context, t target, build string) (wire.Hello, error) {
	if err := l.Root.Make(); err != nil {
		return wire.Hello{}, err
	}
	lock, err := sockets.Acquire(ctx, t.place.Start)
	if err != nil {
		return wire.Hello{}, err
	}
	defer lock.Close()

	hello, err := l.greet(ctx, t)
	switch {
	case err == nil && t.serves(hello, build):
		return hello, t.fits(hello)
	case err != nil && !errors.Is(err, wire.CodeNotRunning):
		return hello, err
	}
	if t.before != nil {
		if t.settings, err = t.before(ctx); err != nil {
			return hello, err
		}
	}
	if err := l.ensure(ctx, t.settings); err != nil {
		return hello, err
	}
	vacant, err := l.vacate(ctx, t, build)
	if err == nil && vacant {
		err = l.spawn(ctx, t, build)
	}
	if err != nil {
		return wire.Hello{}, err
	}
	hello, err = l.greet(ctx, t)
	if err != nil {
		return hello, err
	}
	l.sweep(build)
	return hello, t.fits(hello)
}

// greet asks who listens at the place.
func (l *Launcher) greet(ctx context.Context, t target) (wire.Hello, error) {
	patience := l.limits().hello
	if t.early {
		patience = l.limits().start
	}
	short, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	hello, err := (&client.Client{Endpoint: t.place}).Hello(short)
	if err != nil && ctx.Err() == nil && short.Err() != nil {
		return hello, wire.Errorf(wire.CodeWedged, "%s does not answer; it is stopped, or the machine is very busy", t.what).
			WithHint("abrowser doctor")
	}
	return hello, err
}

// serves reports whether the one that runs serves callers of the build. One that is
// ending serves nobody, whatever its settings were.
func (t target) serves(running wire.Hello, build string) bool {
	return !running.Ending && (running.Build == build || t.anyBuild && running.Protocol == wire.Protocol)
}

// fits returns an error where the target runs with other settings than asked for.
func (t target) fits(running wire.Hello) error {
	if !t.shared {
		return home.CheckSettings(t.settings, running)
	}
	if names := t.settings.Diff(running.Settings); len(names) > 0 {
		return home.BrowserDiffers(t.what, names, t.stop)
	}
	return nil
}

// retire has one of another build end. It does so only when it is idle.
func (l *Launcher) retire(ctx context.Context, t target, hello wire.Hello) error {
	busy := wire.Errorf(wire.CodeBuildDiffers, "%s is of another build of abrowser and busy", t.what).WithHint("%s", t.stop)
	if hello.Protocol > wire.Protocol {
		busy = busy.WithHint("update this abrowser, it is the older one; or %s", t.stop)
	}
	if !hello.Idle {
		return busy
	}
	short, cancel := context.WithTimeout(ctx, l.limits().hello)
	defer cancel()
	err := (&client.Client{Endpoint: t.place}).Retire(short)
	switch {
	case errors.Is(err, wire.CodeBusy):
		return busy
	case errors.Is(err, wire.CodeNotRunning), errors.Is(err, wire.CodeResultUnknown): // it went while we asked
	case err != nil:
		return err
	}
	l.logger().Info("retired", "name", t.place.Name, "pid", hello.PID, "build", hello.Build)
	return nil
}

// vacate has whoever is in our way leave. It reports whether the place is vacant
// now; if not, somebody serves there after all, started by hand and not by us.
func (l *Launcher) vacate(ctx context.Context, t target, build string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, l.limits().leave)
	defer cancel()
	for {
		hello, err := l.greet(ctx, t)
		switch {
		case err == nil && t.serves(hello, build):
			return false, nil
		case err == nil:
			if err := l.retire(ctx, t, hello); err != nil {
				return false, err
			}
		case !errors.Is(err, wire.CodeNotRunning):
			return false, err
		}
		// One that retires accepts until it ends, which says nothing.
		vacant, err := l.awaitLease(ctx, t, err != nil)
		if vacant || err != nil {
			return vacant, err
		}
	}
}

// awaitLease waits until no process holds the target's lease, which one that is
// ending does to its last moment, or with orSocket until somebody accepts. It
// reports whether the lease is free.
func (l *Launcher) awaitLease(ctx context.Context, t target, orSocket bool) (bool, error) {
	lease, err := sockets.TryAcquire(t.place.Lock)
	if err == nil {
		return true, lease.Close()
	}
	if !errors.Is(err, wire.CodeHeld) {
		return false, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var waiting sync.WaitGroup
	defer waiting.Wait()
	defer cancel()
	free, accepts := make(chan error, 1), make(chan error, 1)
	waiting.Go(func() {
		lease, err := sockets.Acquire(ctx, t.place.Lock)
		if err == nil {
			err = lease.Close()
		}
		free <- err
	})
	if orSocket {
		waiting.Go(func() { accepts <- sockets.Await(ctx, t.place) })
	}
	vacant := false
	select {
	case err = <-free:
		vacant = err == nil
	case err = <-accepts:
	}
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = wire.Errorf(wire.CodeHeld, "%s does not listen, and yet a process holds %s", t.what, t.place.Lock).
			WithHint("abrowser doctor")
	}
	return vacant, err
}
