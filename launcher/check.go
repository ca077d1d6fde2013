package launcher

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/abrowser/abrowser/launcher/driver"
	"github.com/abrowser/abrowser/launcher/install"
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Check reports the state of every part that can be installed (such as the browser), of our
// executable and of all running processes. It installs nothing, and starts and stops no daemon,
// broker or browser.
func (l *Launcher) Check(ctx context.Context, s wire.Settings) []verbs.Part {
	parts := append([]verbs.Part{l.checkExecutable()}, l.Installer().Check(ctx, s)...)
	brokers, err := l.Root.Browsers()
	if err != nil {
		return append(parts, install.FailedPart("broker", err))
	}
	parts = append(parts, l.checkRunning(ctx, "broker", brokers)...)
	parts = append(parts, l.checkDrivers(ctx)...)
	sessions, err := l.Root.Sessions()
	if err != nil {
		return append(parts, install.FailedPart("sessions", err))
	}
	return append(parts, l.checkRunning(ctx, "sessions", sessions)...)
}

func (l *Launcher) checkExecutable() verbs.Part {
	build, err := l.Build()
	path := l.Executable
	if err == nil && path == "" {
		path, err = os.Executable()
	}
	if err != nil {
		return install.FailedPart("executable", err)
	}
	return verbs.Part{Name: "executable", OK: true, Detail: fmt.Sprintf("build %s in %s", build, path)}
}

// checkRunning asks the processes at the endpoints for their hello.
func (l *Launcher) checkRunning(ctx context.Context, what string, endpoints []home.Endpoint) []verbs.Part {
	build, _ := l.Build() // checkExecutable reports the error
	var running []string
	var failed []verbs.Part
	for _, p := range endpoints {
		hello, err := l.hello(ctx, target{endpoint: p, what: "the process at " + p.Socket})
		switch {
		case errors.Is(err, wire.CodeNotRunning): // the files of a process that has exited do no harm
		case err != nil:
			failed = append(failed, l.notAnswering(ctx, what, p, err))
		case hello.Build != build:
			running = append(running, fmt.Sprintf("%s (pid %d, of build %s)", hello.Name, hello.PID, hello.Build))
		default:
			running = append(running, fmt.Sprintf("%s (pid %d)", hello.Name, hello.PID))
		}
	}
	return summarize(what, running, failed)
}

// checkDrivers asks the shared drivers for their status. The hint for a driver that does not
// answer is a command that kills it, or continues it if it is stopped. If the user does nothing,
// a session that uses the driver kills and replaces it as soon as the session notices.
func (l *Launcher) checkDrivers(ctx context.Context) []verbs.Part {
	found, err := (&driver.Shared{Root: l.Root}).List(ctx)
	if err != nil {
		return []verbs.Part{install.FailedPart("drivers", err)}
	}
	var running []string
	var failed []verbs.Part
	for _, d := range found {
		if d.Err == nil {
			running = append(running, fmt.Sprintf("%s (pid %d, serves %d of %d sessions)", d.Name, d.PID, d.Sessions, d.Limit))
			continue
		}
		part := install.FailedPart("drivers", d.Err)
		part.Hint = fmt.Sprintf("kill -KILL %d", d.PID)
		if sockets.IsStopped(d.PID) {
			part.Hint = fmt.Sprintf("kill -CONT %d", d.PID)
		}
		failed = append(failed, part)
	}
	return summarize("drivers", running, failed)
}

// summarize returns one part for all running processes that answer, followed by the parts
// for the processes that do not answer.
func summarize(name string, running []string, failed []verbs.Part) []verbs.Part {
	detail := cmp.Or(strings.Join(running, ", "), "none is running")
	return append([]verbs.Part{{Name: name, OK: true, Detail: detail}}, failed...)
}

// notAnswering returns the part for a process whose hello failed with err. If the process did not
// answer in time, the hint is a command that continues a stopped process, or kills a session's
// daemon. Killing a daemon loses no tab, because the session's next command adopts the tabs.
func (l *Launcher) notAnswering(ctx context.Context, what string, p home.Endpoint, err error) verbs.Part {
	part := install.FailedPart(what, err)
	if !errors.Is(err, wire.CodeWedged) {
		return part
	}
	switch peer := sockets.InspectPeer(ctx, p); {
	case peer.PID == 0:
	case peer.Stopped:
		part.Hint = fmt.Sprintf("kill -CONT %d", peer.PID)
	case what == "sessions":
		part.Hint = fmt.Sprintf("kill -KILL %d", peer.PID)
	}
	return part
}
