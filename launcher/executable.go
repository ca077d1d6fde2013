package launcher

import (
	"os"

	"github.com/abrowser/abrowser/launcher/buildid"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Build returns the build of our executable, see package buildid.
func (l *Launcher) Build() (string, error) {
	l.once.Do(func() {
		l.build, l.buildErr = buildid.Of(l.executable())
		if l.buildErr != nil {
			l.buildErr = wire.Errorf(wire.CodeInternal, "reading our executable's build: %v", l.buildErr)
		}
	})
	return l.build, l.buildErr
}

// executable returns the path to read our executable from. Unless the field Executable is set,
// this is /proc/self/exe on Linux. That path always leads to the file that this process runs,
// even if the file's original path was replaced, or was deleted as happens under go run.
func (l *Launcher) executable() string {
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
