package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestFewPackagesAreLinked checks that the thin command line links no heavy packages. Each linked
// package delays the start of every command: net/http alone takes 0.4 ms.
func TestFewPackagesAreLinked(t *testing.T) {
	const ours = "github.com/abrowser/abrowser/"
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := strings.Fields(string(out))
	for _, needed := range []string{"client", "sockets", "cmd/abrowser/cli"} {
		if !slices.Contains(linked, ours+needed) {
			t.Fatalf("the list of what is linked is %q", linked)
		}
	}
	for _, heavy := range []string{
		"net/http", "crypto/tls", "encoding/gob", "text/template", ours + "daemon", ours + "launcher", ours + "sockets/server", ours + "cmd/abrowser/mcp",
	} {
		if slices.Contains(linked, heavy) {
			t.Errorf("the thin command line links %s", heavy)
		}
	}
}
