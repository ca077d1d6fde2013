package install

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/abrowser/abrowser/launcher/install/browsers"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Node is the program that runs the driver.
type Node struct {
	Path    string
	Version string // as Node prints it: v22.1.0
}

// versionTimeout is how long a program may take to print its version. Some wrappers on PATH
// first download the program that they wrap.
const versionTimeout = 20 * time.Second

// FindNode returns the Node that ABROWSER_NODE names. If the variable is not set, it returns the
// first Node on PATH that is new enough, or else the Node that an installation has fetched. If it
// finds no usable Node, the error is [wire.CodeNoDriver].
func (i *Installer) FindNode(ctx context.Context) (Node, error) {
	if path, _ := i.lookup("ABROWSER_NODE"); path != "" {
		n, err := i.nodeAt(ctx, path)
		if err != nil {
			return Node{}, wire.Errorf(wire.CodeNoDriver, "ABROWSER_NODE: %v", err).WithHint("unset ABROWSER_NODE")
		}
		return n, nil
	}
	why := "none is on PATH"
	for _, path := range browsers.LookPath(i.lookup, "node") {
		n, err := i.nodeAt(ctx, path)
		if err == nil {
			return n, nil
		}
		if ctx.Err() != nil {
			return Node{}, wire.Errorf(wire.CodeInterrupted, "searching for Node: %v", ctx.Err())
		}
		why = err.Error()
	}
	if p, ok := i.on().node(); ok {
		dir := i.Root.Path("driver", p.Dir)
		if err := p.Check(dir); err == nil {
			return Node{Path: filepath.Join(dir, "package", "bin", "node"), Version: "v" + p.Version}, nil
		}
	}
	return Node{}, missing(wire.CodeNoDriver, "Node %d or newer, which runs Playwright's driver, is not installed: %s", oldestNode, why)
}

// nodeVersion is the saved output of node --version for one executable. Size and Time are the size
// and the modification time of the executable when it was run. If they differ now, the saved
// version is out of date.
type nodeVersion struct {
	Size    int64     `json:"size"`
	Time    time.Time `json:"time"`
	Version string    `json:"version"`
}

// nodeAt returns the Node at path. It runs Node to get its version only if no version is saved for
// the present state of the file, since a run takes 40 ms. It then saves the version.
func (i *Installer) nodeAt(ctx context.Context, path string) (Node, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Node{}, fmt.Errorf("%s does not exist", path)
	}
	saved := i.loadVersions()
	v := saved[path]
	if v.Size != info.Size() || !v.Time.Equal(info.ModTime()) {
		out, err := run(ctx, path, "--version")
		if err != nil {
			return Node{}, fmt.Errorf("%s does not run: %w", path, err)
		}
		v = nodeVersion{Size: info.Size(), Time: info.ModTime(), Version: out}
		saved[path] = v
		i.saveVersions(saved)
	}
	digits, _, _ := strings.Cut(strings.TrimPrefix(v.Version, "v"), ".")
	if major, err := strconv.Atoi(digits); err != nil || major < oldestNode {
		return Node{}, fmt.Errorf("%s is %.20q", path, v.Version)
	}
	return Node{Path: path, Version: v.Version}, nil
}

// run runs a program and returns its output. The program runs in the directory /, as in a daemon,
// since a version manager may choose the version of Node by the directory.
func run(ctx context.Context, path string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = "/"
	// A process that the program has started may keep the output open.
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return "", fmt.Errorf("it did not exit within %s", versionTimeout)
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && len(lastLines(exit.Stderr, 1)) > 0 {
		return "", fmt.Errorf("%w: %s", err, lastLines(exit.Stderr, 2))
	}
	return strings.TrimSpace(string(out)), err
}

func (i *Installer) versionsFile() string { return i.Root.Path("driver", "node.json") }

func (i *Installer) loadVersions() map[string]nodeVersion {
	raw, err := os.ReadFile(i.versionsFile())
	saved := map[string]nodeVersion{}
	if err != nil || json.Unmarshal(raw, &saved) != nil {
		return map[string]nodeVersion{}
	}
	return saved
}

// saveVersions saves the versions of the files that still exist. A failure is only logged, since
// its one effect is that the next process runs Node again. If the driver directory does not exist,
// because the user has run only doctor for example, saveVersions saves nothing and creates no
// directory.
func (i *Installer) saveVersions(saved map[string]nodeVersion) {
	if _, err := os.Stat(filepath.Dir(i.versionsFile())); err != nil {
		return
	}
	maps.DeleteFunc(saved, func(path string, _ nodeVersion) bool {
		_, err := os.Stat(path)
		return err != nil
	})
	raw, err := json.Marshal(saved)
	if err == nil {
		err = home.WriteFile(i.versionsFile(), raw)
	}
	if err != nil {
		i.logger().Debug("saving the version of Node", "err", err)
	}
}

// forgetVersions deletes the saved versions, so that FindNode runs each Node again. A Node may have
// stopped working after its version was saved.
func (i *Installer) forgetVersions() {
	if err := os.Remove(i.versionsFile()); err != nil {
		i.logger().Debug("deleting the saved version of Node", "err", err)
	}
}
