//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Observer inspects a browser independently of the product, through a debugging port of the
// browser.
type Observer struct{ profile string }

// Observe makes the home's browser start with a debugging port. For this, it sets the path of the
// browser to a script that starts the browser with one more flag. Call it before the browser
// starts.
func Observe(t *testing.T, h *Home) Observer {
	t.Helper()
	wrapper := filepath.Join(h.Outer, "browser")
	script := fmt.Sprintf("#!/bin/sh\nexec %s --remote-debugging-port=0 \"$@\"\n", BrowserPath(t))
	if err := os.WriteFile(wrapper, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	h.Env = append(h.Env, "ABROWSER_EXECUTABLE_PATH="+wrapper)
	return Observer{profile: filepath.Join(h.Dir, "profiles", "default")}
}

// Pages returns the URLs of the browser's pages, by target id.
func (o Observer) Pages(t *testing.T) map[string]string {
	t.Helper()
	var targets []struct{ ID, Type, URL string }
	if err := json.Unmarshal(o.get(t, "/json/list"), &targets); err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, target := range targets {
		if target.Type == "page" {
			found[target.ID] = target.URL
		}
	}
	return found
}

// Close closes the page whose target id is target, as a person closes a tab, and waits until the
// browser has closed it.
func (o Observer) Close(t *testing.T, target string) {
	t.Helper()
	o.get(t, "/json/close/"+target)
	if !Await(20*time.Second, func() bool { return o.Pages(t)[target] == "" }) {
		t.Fatalf("the browser did not close page %s", target)
	}
}

func (o Observer) get(t *testing.T, path string) []byte {
	t.Helper()
	var port string
	if !Await(20*time.Second, func() bool {
		raw, err := os.ReadFile(filepath.Join(o.profile, "DevToolsActivePort"))
		port, _, _ = strings.Cut(string(raw), "\n")
		return err == nil && port != ""
	}) {
		t.Fatalf("the browser wrote no DevToolsActivePort below %s", o.profile)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:"+port+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&http.Client{Timeout: 20 * time.Second}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %s %v: %s", path, resp.Status, err, body)
	}
	return body
}
