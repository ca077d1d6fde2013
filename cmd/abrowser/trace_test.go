//go:build linux

package main_test

import (
	"bufio"
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
)

// Playwright's trace viewer opens a trace, and shows the session's commands with their elements.
func TestTraceOpensInTheViewer(t *testing.T) {
	t.Parallel()
	s, h := site.Start(t), e2e.NewHome(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "trace.zip")
	h.Text(t, "a", "open", s.URL("/form"))
	h.Text(t, "a", "trace", "start")
	h.Text(t, "a", "fill", "#name", "Ada")
	h.Text(t, "a", "check", "#agree")
	h.Text(t, "a", "reload")
	h.Text(t, "a", "trace", "stop", file)

	ctx, cancel := context.WithTimeout(t.Context(), e2e.CommandDeadline)
	defer cancel()
	viewer := exec.CommandContext(ctx, "node", filepath.Join(os.Getenv(e2e.EnvDriver), "package", "cli.js"), "show-trace", "--host", "127.0.0.1", "--port", "0", file)
	viewer.Dir = dir // the viewer shows files of this directory
	out, err := viewer.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := viewer.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = viewer.Process.Kill()
		_ = viewer.Wait()
	}()
	address := ""
	for lines := bufio.NewScanner(out); address == "" && lines.Scan(); {
		_, address, _ = strings.Cut(lines.Text(), "Listening on ")
	}
	h.Text(t, "viewer", "open", address+"/trace/index.html?trace="+url.QueryEscape("/trace/file?path="+file))
	for _, action := range []string{"fill #name", "check #agree", "reload"} {
		h.Text(t, "viewer", "wait", "--text", action)
	}
	h.Text(t, "viewer", "wait", "--fn", `document.querySelectorAll('.film-strip-frame').length > 0`)
}
