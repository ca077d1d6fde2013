package install

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// Node is the program that runs the driver.
type Node struct {
	Path    string
	Version string // as it prints it: v22.1.0
}

// versionTimeout bounds a program that is asked for its version. Some wrappers
// on PATH fetch what they wrap first.
const versionTimeout = 20 * time.Second

// FindNode returns ABROWSER_NODE, else the first Node on PATH that is new enough,
// else the one that an installation fetched; otherwise [wire.CodeNoDriver].
func (i *Installer) FindNode(ctx context.Context) (Node, error) {
	known := i.loadVersions()
	if path, ok := i.lookup("ABROWSER_NODE"); ok && path != "" {
		n, err := i.nodeAt(ctx, path, known)
		if err != nil {
			return Node{}, wire.Errorf(wire.CodeNoDriver, "ABROWSER_NODE: %v", err).WithHint("unset ABROWSER_NODE")
		}
		return n, nil
	}
	why := "none is on PATH"
	for _, path := range i.onPath("node") {
		n, err := i.nodeAt(ctx, path, known)
		if err == nil {
			return n, nil
		}
		if ctx.Err() != nil {
			return Node{}, wire.Errorf(wire.CodeInterrupted, "looking for Node: %v", ctx.Err())
		}
		why = err.Error()
	}
	if p, ok := i.on().node(); ok {
		dir := i.Root.Path("driver", p.dir)
		if err := p.check(dir); err == nil {
			return Node{Path: filepath.Join(dir, "package", "bin", "node"), Version: "v" + p.version}, nil
		}
	}
	return Node{}, missing(wire.CodeNoDriver, "Node %d or newer, which runs Playwright's driver, is not installed: %s", oldestNode, why)
}

// nodeAt returns the Node at path. It is run once and remembered until the file
// changes: a start costs 40 ms.
func (i *Installer) nodeAt(ctx context.Context, path string, known map[string]nodeVersion) (Node, error) {
	info, err := os.Stat(path)
	if err != nil || !executable(path) {
		return Node{}, fmt.Errorf("%s cannot be run", path)
	}
	k, ok := known[path]
	if !ok || k.Size != info.Size() || !k.Time.Equal(info.ModTime()) {
		out, err := run(ctx, path, "--version")
		if err != nil {
			return Node{}, fmt.Errorf("%s does not run: %w", path, err)
		}
		k = nodeVersion{Size: info.Size(), Time: info.ModTime(), Version: out}
		known[path] = k
		i.saveVersions(known)
	}
	digits, _, _ := strings.Cut(strings.TrimPrefix(k.Version, "v"), ".")
	if major, err := strconv.Atoi(digits); err != nil || major < oldestNode {
		return Node{}, fmt.Errorf("%s is %.20q", path, k.Version)
	}
	return Node{Path: path, Version: k.Version}, nil
}

// run returns what a program prints, from the directory in which daemons run it:
// version managers choose by directory.
func run(ctx context.Context, path string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = "/"
	// A grandchild that holds the output open must not keep us either.
	cmd.WaitDelay = time.Second
	printed := &tail{}
	cmd.Stderr = printed
	out, err := cmd.Output()
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("it did not end within %s", versionTimeout)
	case err != nil && len(printed.last(1)) > 0:
		return "", fmt.Errorf("%w: %s", err, printed.last(2))
	}
	return strings.TrimSpace(string(out)), err
}

// nodeVersion is what a file on PATH answered.
type nodeVersion struct {
	Size    int64     `json:"size"`
	Time    time.Time `json:"time"`
	Version string    `json:"version"`
}

func (i *Installer) loadVersions() map[string]nodeVersion {
	known := map[string]nodeVersion{}
	raw, err := os.ReadFile(i.Root.Path("driver", "node.json"))
	if err != nil || json.Unmarshal(raw, &known) != nil {
		return map[string]nodeVersion{}
	}
	return known
}

// saveVersions replaces the file at once, so that a reader never sees half of it.
// Without it Node is asked again, so a failure is only logged.
func (i *Installer) saveVersions(known map[string]nodeVersion) {
	for path := range known {
		if _, err := os.Stat(path); err != nil {
			delete(known, path)
		}
	}
	raw, err := json.Marshal(known)
	if err == nil {
		err = writeWhole(i.Root.Path("driver", "node.json"), raw)
	}
	if err != nil {
		i.logger().Debug("remembering the version of Node", "err", err)
	}
}

// forgetVersions has every Node asked again. What is remembered may be of a day
// when it still ran.
func (i *Installer) forgetVersions() {
	if err := os.Remove(i.Root.Path("driver", "node.json")); err != nil {
		i.logger().Debug("forgetting the version of Node", "err", err)
	}
}

func writeWhole(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), tempPrefix)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// onPath lists the files of that name on the caller's PATH that can be run.
// Relative entries are left out: a daemon runs somewhere else.
func (i *Installer) onPath(names ...string) []string {
	list, _ := i.lookup("PATH")
	var found []string
	for _, name := range names {
		for _, dir := range filepath.SplitList(list) {
			if path := filepath.Join(dir, name); filepath.IsAbs(path) && executable(path) {
				found = append(found, path)
			}
		}
	}
	return found
}
