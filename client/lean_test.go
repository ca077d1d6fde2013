package client

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Who only asks does without net/http, whose start costs each command 0.4 ms.
func TestAskingNeedsNoServer(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".", "../sockets").Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := strings.Fields(string(out))
	if !slices.Contains(linked, "github.com/abrowser/abrowser/sockets") {
		t.Fatalf("the list of what is linked is %q", linked)
	}
	for _, heavy := range []string{"net/http", "crypto/tls"} {
		if slices.Contains(linked, heavy) {
			t.Errorf("a client links %s", heavy)
		}
	}
}
