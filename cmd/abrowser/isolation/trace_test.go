//go:build linux

package isolation_test

import (
	"archive/zip"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
)

// Two tasks record traces at the same time. Each trace has the commands, the snapshots, the film and
// the requests of its own task, and nothing of the other.
func TestTracesOfTwoTasks(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	tasks := []string{"left", "right"}
	for _, task := range tasks {
		h.Text(t, task, "open", s.URL("/form"))
		h.Text(t, task, "trace", "start")
	}
	for _, task := range tasks {
		h.Text(t, task, "fill", "#name", "filled by "+task)
		h.Text(t, task, "click", "#double")
		h.Text(t, task, "open", s.URL("/page/"+task))
	}
	for i, task := range tasks {
		path := filepath.Join(t.TempDir(), "trace.zip")
		h.Text(t, task, "trace", "stop", path)
		parts := unpack(t, path)
		for part, want := range map[string][]string{
			"trace.trace":   {`"type":"context-options"`, `"title":"fill #name"`, `"title":"click #double"`, `"type":"frame-snapshot"`, `"type":"screencast-frame"`, "/page/" + task},
			"trace.network": {"/page/" + task},
		} {
			for _, text := range want {
				if !strings.Contains(parts[part], text) {
					t.Errorf("%s: %s does not contain %s", task, part, text)
				}
			}
		}
		for part, content := range parts {
			if strings.Contains(content, "by "+tasks[1-i]) || strings.Contains(content, "/page/"+tasks[1-i]) {
				t.Errorf("%s: %s contains something of the other task", task, part)
			}
		}
	}
}

// unpack returns the files of an archive, by name.
func unpack(t *testing.T, path string) map[string]string {
	t.Helper()
	archive, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	parts := map[string]string{}
	for _, file := range archive.File {
		opened, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(opened)
		opened.Close()
		if err != nil {
			t.Fatal(err)
		}
		parts[file.Name] = string(content)
	}
	return parts
}
