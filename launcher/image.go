package launcher

import (
	"os"

	"github.com/abrowser/abrowser/launcher/buildid"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Build identifies our executable, as package buildid does.
func (l *Launcher) Build() (string, error) {
	l.once.Do(func() {
		l.build, l.buildErr = buildid.Of(l.image())
		if l.buildErr != nil {
			l.buildErr = wire.Errorf(wire.CodeInternal, "reading our executable's build: %v", l.buildErr)
		}
	})
	return l.build, l.buildErr
}

// image is the file to read of our executable. On Linux it is the one this process
// runs, even when another has taken its path since or, as with go run, none has.
func (l *Launcher) image() string {
	if l.Executable != "" {
		return l.Executable
	}
	if _, err := os.Stat("/proc/self/exe"); err == nil {
		return "/proc/self/exe"
	}
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}
