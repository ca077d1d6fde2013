package launcher

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/abrowser/abrowser/launcher/driver"
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Check looks at every part, at our executable, and at what runs. It starts nothing
// and changes nothing.
func (l *Launcher) Check(ctx context.Context, s wire.Settings) []verbs.Part {
	parts := append([]verbs.Part{l.checkExecutable()}, l.Installer().Check(ctx, s)...)
	brokers, err := l.Root.Browsers()
	if err != nil {
		return append(parts, brokenPart("broker", err))
	}
	parts = append(parts, l.checkRunning(ctx, "broker", brokers)...)
	parts = append(parts, l.checkDrivers(ctx)...)
	sessions, err := l.Root.Sessions()
	if err != nil {
		return append(parts, brokenPart("sessions", err))
	}
	return append(parts, l.checkRunning(ctx, "sessions", sessions)...)
}

// Install fetches what is missing and reports on the parts.
func (l *Launcher) Install(ctx context.Context, s wire.Settings, in verbs.InstallIn) ([]verbs.Part, error) {
	return l.Installer().Install(ctx, s, in)
}

func (l *Launcher) checkExecutable() verbs.Part {
	build, err := l.Build()
	if err != nil {
		return brokenPart("executable", err)
	}
	path := l.Executable
	if path == "" {
		path, err = os.Executable()
	}
	if err != nil {
		return brokenPart("executable", err)
	}
	return verbs.Part{Name: "executable", OK: true, Detail: fmt.Sprintf("build %s in %s", build, path)}
}

// checkRunning says hello at the places: one part for all that answer, and one for
// each that listens and does not.
func (l *Launcher) checkRunning(ctx context.Context, what string, places []home.Endpoint) []verbs.Part {
	build, _ := l.Build() // checkExecutable tells the error
	var answer []string
	var parts []verbs.Part
	for _, p := range places {
		hello, err := l.greet(ctx, target{place: p, what: "the process at " + p.Socket})
		switch {
		case errors.Is(err, wire.CodeNotRunning): // what ended leaves its files, which harm nobody
		case err != nil:
			parts = append(parts, l.notAnswering(ctx, what, p, err))
		default:
			line := fmt.Sprintf("%s (pid %d)", hello.Name, hello.PID)
			if hello.Build != build {
				line = fmt.Sprintf("%s (pid %d, of build %s)", hello.Name, hello.PID, hello.Build)
			}
			answer = append(answer, line)
		}
	}
	summary := verbs.Part{Name: what, OK: true, Detail: "none runs"}
	if len(answer) > 0 {
		summary.Detail = strings.Join(answer, ", ")
	}
	return append([]verbs.Part{summary}, parts...)
}

// checkDrivers asks the shared drivers: one part for all that answer, and one for
// each that does not. It is replaced when a session finds that out, at the latest.
func (l *Launcher) checkDrivers(ctx context.Context) []verbs.Part {
	found, err := (&driver.Shared{Root: l.Root}).List(ctx)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return []verbs.Part{brokenPart("drivers", err)}
	}
	var answer []string
	var parts []verbs.Part
	for _, d := range found {
		if d.Err == nil {
			answer = append(answer, fmt.Sprintf("%s (pid %d, serves %d of %d sessions)", d.Name, d.PID, d.Sessions, d.Limit))
			continue
		}
		part := brokenPart("drivers", d.Err)
		part.Hint = fmt.Sprintf("kill -KILL %d", d.PID)
		if sockets.IsStopped(d.PID) {
			part.Hint = fmt.Sprintf("kill -CONT %d", d.PID)
		}
		parts = append(parts, part)
	}
	summary := verbs.Part{Name: "drivers", OK: true, Detail: "none runs"}
	if len(answer) > 0 {
		summary.Detail = strings.Join(answer, ", ")
	}
	return append([]verbs.Part{summary}, parts...)
}

// notAnswering is the part of a process that listens and does not answer. Killing a
// daemon loses no tab: the next command of the session takes it over.
func (l *Launcher) notAnswering(ctx context.Context, what string, p home.Endpoint, err error) verbs.Part {
	part := brokenPart(what, err)
	if !errors.Is(err, wire.CodeWedged) {
		return part
	}
	switch who := sockets.InspectPeer(ctx, p); {
	case who.PID == 0:
	case who.Stopped:
		part.Hint = fmt.Sprintf("kill -CONT %d", who.PID)
	case what == "sessions":
		part.Hint = fmt.Sprintf("kill -KILL %d", who.PID)
	}
	return part
}

func brokenPart(name string, err error) verbs.Part {
	coded := wire.AsError(err)
	return verbs.Part{Name: name, Detail: coded.Message, Code: coded.Code, Hint: coded.Hint}
}
