//go:build linux

package review_test

import (
	"bufio"
	"io"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
)

// A person logs in on the review page, which login serves. The login is over when the page has the
// awaited URL, and then other tasks are logged in.
func TestLogin(t *testing.T) {
	t.Parallel()
	s, h := site.Start(t), e2e.NewHome(t)
	cmd := h.Prepared(t.Context(), "", "--session", "door", "login", s.URL("/login"), "--until", "*/me", "--no-open", "--timeout", "120000")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	link, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	h.Text(t, "person", "open", strings.TrimSpace(link))
	h.Text(t, "person", "wait", "--text", "Log in at 127.0.0.1", "--timeout", "20000")
	h.Text(t, "person", "click", "#take")
	h.Text(t, "person", "wait", "--fn", "document.querySelector('#live').naturalWidth > 100", "--timeout", "20000")
	h.Text(t, "ruler", "open", s.URL("/login")) // because the commands of door wait for the login
	clickInPicture(t, h, "ruler", "#user")
	h.Text(t, "person", "keyboard", "type", "ada")
	h.Text(t, "person", "press", "Enter")
	rest, err := io.ReadAll(lines)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || !strings.Contains(string(rest), "logged in, says the url\n"+s.URL("/me")) {
		t.Errorf("login ended with %v: %s", err, rest)
	}
	for _, task := range []string{"task_1", "task_2", "task_3"} {
		h.Text(t, task, "open", s.URL("/me"))
		if got := h.Text(t, task, "get", "text", "#who"); got != "ada" {
			t.Errorf("%s is logged in as %q", task, got)
		}
	}
}
