package tools

import (
	"bytes"
	"context"
	_ "embed" // for steps.mjs
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

//go:embed testdata/steps.mjs
var stepsScript []byte

// Steps is the number of steps of a round.
const Steps = 6

// Work is what a program does in a browser: rounds of [Steps] steps. In each round it opens a form,
// reads the page, fills the field #name, clicks a button, checks that the page shows what it has
// filled in, and takes a screenshot. At the end it checks that it finds no page but its own. All
// fields are required.
type Work struct {
	Tool     string   // one of [Names]
	Modules  string   // the directory that [Install] returned
	Endpoint string   // the WebSocket URL of the browser
	Dir      string   // the program's working directory and HOME; its path has to be short
	Form     string   // the URL of the form
	Button   string   // the id of the button
	Label    string   // the label of the button
	Rounds   int      // the number of rounds
	Environ  []string // the program's variables, without HOME
}

// Names returns the names of the programs.
func Names() []string {
	return []string{"puppeteer-core", "playwright-core", "playwright-mcp", "chrome-devtools-mcp", "agent-browser"}
}

// Run runs the program and returns how long each round took. The start of the program is not part
// of a round. It returns an error if a step fails.
func (w Work) Run(ctx context.Context) ([]time.Duration, error) {
	var took []time.Duration
	var err error
	switch w.Tool {
	case "puppeteer-core", "playwright-core":
		took, err = w.runScript(ctx)
	case "playwright-mcp":
		took, err = w.runPlaywrightMCP(ctx)
	case "chrome-devtools-mcp":
		took, err = w.runDevToolsMCP(ctx)
	case "agent-browser":
		took, err = w.runAgentBrowser(ctx)
	default:
		err = fmt.Errorf("no such tool")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", w.Tool, err)
	}
	return took, nil
}

// text returns what the program fills in in a round. No other program uses this text.
func (w Work) text(round int) string { return fmt.Sprintf("%s-%d", w.Tool, round) }

// repeat runs the rounds and measures them.
func (w Work) repeat(round func(text string) error) (took []time.Duration, err error) {
	for i := range w.Rounds {
		began := time.Now()
		if err := round(w.text(i)); err != nil {
			return nil, fmt.Errorf("round %d: %w", i, err)
		}
		took = append(took, time.Since(began))
	}
	return took, nil
}

// shows returns an error unless a page shows the text.
func shows(page, text string) error {
	if !strings.Contains(page, text) {
		return fmt.Errorf("the page does not show %s:\n%s", text, page)
	}
	return nil
}

// onlyOwn returns an error if a list of pages has another page than the form or an empty page.
func (w Work) onlyOwn(list string) error {
	for _, address := range addresses(list) {
		if address != w.Form && address != "about:blank" {
			return fmt.Errorf("it found the page %s", address)
		}
	}
	return nil
}

// addresses returns the URLs in a list of pages.
func addresses(list string) (all []string) {
	for word := range strings.FieldsFuncSeq(list, func(c rune) bool { return strings.ContainsRune(" \t\n()[]", c) }) {
		if strings.HasPrefix(word, "http:") || strings.HasPrefix(word, "about:") || strings.HasPrefix(word, "chrome:") {
			all = append(all, word)
		}
	}
	return all
}

// command returns a command that runs in the program's directory.
func (w Work) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = w.Dir
	// The variables after HOME keep chrome-devtools-mcp itself from using the network, and the
	// sockets of Playwright and agent-browser in the directory.
	cmd.Env = append(append([]string{}, w.Environ...), "HOME="+w.Dir, "TMPDIR="+w.Dir,
		"CHROME_DEVTOOLS_MCP_NO_USAGE_STATISTICS=1", "CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS=1", "AGENT_BROWSER_SOCKET_DIR="+filepath.Join(w.Dir, "s"))
	cmd.WaitDelay = time.Second
	return cmd
}

func (w Work) runScript(ctx context.Context) ([]time.Duration, error) {
	path := filepath.Join(w.Dir, "steps.mjs")
	if err := os.WriteFile(path, stepsScript, 0o600); err != nil {
		return nil, err
	}
	cmd := w.command(ctx, "node", path, w.Tool, w.Modules, w.Endpoint, w.Form, w.Button, fmt.Sprint(w.Rounds))
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, &complaints)
	}
	var times []float64
	if err := json.Unmarshal(out, &times); err != nil {
		return nil, fmt.Errorf("%s: %w", out, err)
	}
	var took []time.Duration
	for _, t := range times {
		took = append(took, time.Duration(t*float64(time.Millisecond)))
	}
	return took, nil
}

func (w Work) runAgentBrowser(ctx context.Context) ([]time.Duration, error) {
	call := func(args ...string) (string, error) {
		out, err := w.command(ctx, agentBrowser(w.Modules), append([]string{"--cdp", w.Endpoint}, args...)...).CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out)
		}
		return string(out), err
	}
	defer func() { _, _ = call("close") }()                      // ends its daemon
	if _, err := call("tab", "new", "about:blank"); err != nil { // starts its daemon
		return nil, err
	}
	took, err := w.repeat(func(text string) error {
		for _, args := range [][]string{{"open", w.Form}, {"snapshot"}, {"fill", "#name", text}, {"click", "#" + w.Button}} {
			if _, err := call(args...); err != nil {
				return err
			}
		}
		page, err := call("snapshot")
		if err == nil {
			err = shows(page, text)
		}
		if err == nil {
			_, err = call("screenshot", filepath.Join(w.Dir, "page.png"))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	list, err := call("tab", "list")
	if err == nil {
		err = w.onlyOwn(list)
	}
	return took, err
}
