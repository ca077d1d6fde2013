package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// These are the npm packages of the peers.
const (
	agentBrowser  = "agent-browser@0.41.2"
	playwrightCLI = "@playwright/cli@0.1.22"
)

// buildOwn builds abrowser from this repository and returns it as a contender.
func (b *bench) buildOwn(ctx context.Context) (*contender, error) {
	dir, err := b.makeDir("a")
	if err != nil {
		return nil, err
	}
	program := filepath.Join(dir, "abrowser")
	for out, command := range map[string]string{program: "./cmd/thin", fullOf(program): "./cmd/abrowser"} { // as `just build` does
		build := exec.CommandContext(ctx, "go", "-C", filepath.Join("..", ".."), "build", "-o", out, command)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		build.Stderr = os.Stderr
		if err := errors.Join(build.Run(), rewrite(out)); err != nil {
			return nil, fmt.Errorf("building abrowser: %w", err)
		}
	}
	b.versions = append(b.versions, "abrowser "+lineOf("git", "describe", "--always", "--dirty"), "node "+lineOf("node", "--version"))
	c := &contender{name: self, program: []string{program}, dir: dir, words: sharedWords, stopCommands: [][]string{{"close", "--all", "--force"}, {"browser", "stop"}}, one: true, spares: true}
	if b.browser != "" {
		c.env = append(c.env, "ABROWSER_EXECUTABLE_PATH="+b.browser)
	}
	return c, nil
}

// rewrite replaces a program with a copy of itself, because `just install` and npm also install
// copies. The file that the linker writes takes a tenth longer to start than a copy, because the
// page cache holds it in smaller folios.
func rewrite(program string) error {
	raw, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	if err := os.Remove(program); err != nil {
		return err
	}
	return os.WriteFile(program, raw, 0o755)
}

// fullOf returns the path of the full program that belongs to a thin program. The thin program is
// what people run as abrowser, and contains only the command line.
func fullOf(thin string) string { return thin + "d" }

// variants returns contenders that run abrowser in other ways. Each of them takes part only in the
// scenarios in which this makes a difference.
func (b *bench) variants(us *contender) []*contender {
	variant := func(name, dir string, env []string, in ...string) *contender {
		c := *us
		c.name, c.dir, c.in, c.stopCommands = name, filepath.Join(b.dir, dir), in, us.stopCommands
		c.env = append(append(slices.Clip(us.env), "ABROWSER_EXECUTABLE_PATH="+b.browser), env...)
		return &c
	}
	bare := variant("abrowser, nothing ahead", "e", []string{"ABROWSER_SPARE_PAGES=0"}, nameNewSession)
	bare.spares = false
	alone := variant("abrowser, one program", "w", nil, nameGetURL, nameWorkflow)
	alone.program = []string{fullOf(us.program[0])}
	all := []*contender{bare, alone}
	if shell, err := exec.LookPath("chromium-headless-shell"); err == nil {
		all = append(all, variant("abrowser, headless shell", "f", []string{"ABROWSER_EXECUTABLE_PATH=" + shell},
			nameClick, nameNavigate, nameScreenshot, nameWorkflow, nameNewSession, nameColdStart, nameTasks))
	} else {
		b.progress("there is no chromium-headless-shell: its rows are left out")
	}
	return slices.DeleteFunc(all, func(c *contender) bool {
		err := os.MkdirAll(c.dir, 0o700)
		if err != nil {
			b.fail("making a directory", c.name, err)
		}
		return err != nil
	})
}

// findBrowser installs everything that abrowser needs, and returns the path of the browser that
// abrowser uses.
func (c *contender) findBrowser(ctx context.Context) (string, error) {
	out, _, err := c.command(ctx, "install", "--json")
	if err != nil {
		return "", err
	}
	var answer struct {
		Data struct {
			Parts []struct{ Name, Detail string }
		}
	}
	if err := json.Unmarshal([]byte(out), &answer); err != nil {
		return "", fmt.Errorf("abrowser install: %w", err)
	}
	for _, p := range answer.Data.Parts {
		if at := strings.LastIndex(p.Detail, " in "); p.Name == "browser" && at >= 0 {
			return p.Detail[at+len(" in "):], nil
		}
	}
	return "", fmt.Errorf("abrowser install names no browser: %s", out)
}

// sharedWords returns the arguments of an action for abrowser and for agent-browser, which have the
// same command line.
func sharedWords(session string, a action, text string) []string {
	words := map[action][]string{
		openURL: {"open", text}, navigate: {"open", text}, getURL: {"get", "url"}, evaluate: {"eval", text}, fill: {"fill", "#name", text},
		snapshot: {"snapshot", "-i"}, click: {"click", text}, clickRef: {"click", "@" + text}, getText: {"get", "text", text}, screenshot: {"screenshot", text}, fullScreenshot: {"screenshot", "--full", text},
		closeSession: {"close"},
	}[a]
	return append([]string{"--session", session}, words...)
}

// playwrightWords returns a function that returns the arguments of an action for playwright-cli.
// config is the path of playwright-cli's configuration file.
func playwrightWords(config string) func(string, action, string) []string {
	return func(session string, a action, text string) []string {
		words := map[action][]string{
			openURL: {"open", "--config=" + config, text}, navigate: {"goto", text}, getURL: {"eval", "() => location.href"},
			evaluate: {"eval", "() => " + text}, fill: {"fill", "#name", text}, snapshot: {"snapshot"}, click: {"click", text}, clickRef: {"click", text},
			getText: {"eval", "() => document.querySelector('" + text + "').textContent"}, screenshot: {"screenshot", "--filename=" + text},
			fullScreenshot: {"screenshot", "--full-page", "--filename=" + text}, closeSession: {"close"},
		}[a]
		return append([]string{"-s=" + session}, words...)
	}
}

// fetchPeer fetches a peer from npm and returns its contenders.
func (b *bench) fetchPeer(ctx context.Context, name string) ([]*contender, error) {
	switch name {
	case "agent-browser":
		return b.agentBrowser(ctx)
	case "playwright-cli":
		return b.playwrightCLI(ctx)
	}
	return nil, fmt.Errorf("there is no peer %q; there are agent-browser and playwright-cli", name)
}

// npm installs an npm package and returns the path of its node_modules directory. Later runs use
// the same directory.
func (b *bench) npm(ctx context.Context, pkg string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = b.dir
	}
	dir := filepath.Join(cache, "abrowser-bench", strings.NewReplacer("@", "_", "/", "_").Replace(pkg))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	install := exec.CommandContext(ctx, "npm", "install", "--silent", "--no-fund", "--no-audit", "--prefix", dir, pkg)
	install.Env = append(os.Environ(), "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1", "AGENT_BROWSER_SKIP_DOWNLOAD=1")
	install.Stderr = os.Stderr
	if err := install.Run(); err != nil {
		return "", fmt.Errorf("npm install %s: %w", pkg, err)
	}
	b.versions = append(b.versions, pkg)
	return filepath.Join(dir, "node_modules"), nil
}

// window is the flag with which Chromium in the new headless mode shows pages at 1280x720 pixels,
// as abrowser does. In this mode the window is 87 pixels higher than the page.
const window = "--window-size=1280,807"

// agentBrowser returns two contenders: agent-browser with a Chrome for each session, and
// agent-browser --cdp --pin-tab with one Chrome for all sessions.
func (b *bench) agentBrowser(ctx context.Context) ([]*contender, error) {
	modules, err := b.npm(ctx, agentBrowser)
	if err != nil {
		return nil, err
	}
	own, err := b.makeDir("b")
	if err != nil {
		return nil, err
	}
	// Run the native program directly, and not through npm's start script. Run a copy of the
	// program, because the contender abrowser is a copy, too (see rewrite).
	native := filepath.Join(modules, "agent-browser", "bin", "agent-browser-"+runtime.GOOS+"-"+map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH])
	program := filepath.Join(own, "agent-browser")
	if raw, err := os.ReadFile(native); err != nil {
		program = filepath.Join(modules, ".bin", "agent-browser")
	} else if err := os.WriteFile(program, raw, 0o755); err != nil {
		return nil, err
	}
	env := []string{"AGENT_BROWSER_EXECUTABLE_PATH=" + b.browser, "AGENT_BROWSER_ARGS=" + strings.Join(append(b.flags(), window), "\n")}
	stopCommands := [][]string{{"close", "--all"}}
	first := &contender{name: "agent-browser", program: []string{program}, env: env, dir: own, words: sharedWords, stopCommands: stopCommands}
	port, stop, err := b.chromeWithPort(ctx, "chrome")
	if err != nil {
		return nil, err
	}
	pinned, err := b.makeDir("c")
	if err != nil {
		stop(ctx)
		return nil, err
	}
	second := &contender{
		name: "agent-browser --cdp --pin-tab", program: []string{program, "--cdp", port, "--pin-tab"}, dir: pinned, words: sharedWords,
		stopCommands: stopCommands, onEnd: stop,
		// This contender does not take part in nameTasks, because all its sessions act on the same
		// page. It does not take part in nameColdStart, because its browser is already running.
		in: slices.DeleteFunc(names(), func(name string) bool { return name == nameTasks || name == nameColdStart }),
	}
	return []*contender{first, second}, nil
}

// chromeWithPort starts a browser with a debugging port, to which several clients can connect.
func (b *bench) chromeWithPort(ctx context.Context, dir string) (port string, stop func(context.Context), err error) {
	profile, err := b.makeDir(dir)
	if err != nil {
		return "", nil, err
	}
	args := append([]string{"--headless=new", window, "--remote-debugging-port=0", "--user-data-dir=" + profile}, b.flags()...)
	cmd := exec.Command(b.browser, append(args, "about:blank")...) //nolint:noctx // stop ends it
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func(context.Context) {
		_ = cmd.Process.Signal(os.Interrupt) // fails if the process has exited
		_ = cmd.Wait()
	}
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline) && ctx.Err() == nil; time.Sleep(50 * time.Millisecond) {
		if raw, err := os.ReadFile(filepath.Join(profile, "DevToolsActivePort")); err == nil {
			port, _, _ = strings.Cut(string(raw), "\n")
			return port, stop, nil
		}
	}
	stop(ctx)
	return "", nil, fmt.Errorf("%s does not listen", b.browser)
}

func (b *bench) playwrightCLI(ctx context.Context) ([]*contender, error) {
	modules, err := b.npm(ctx, playwrightCLI)
	if err != nil {
		return nil, err
	}
	dir, err := b.makeDir("d")
	if err != nil {
		return nil, err
	}
	config := filepath.Join(dir, "config.json")
	raw, err := json.Marshal(map[string]any{"browser": map[string]any{"browserName": "chromium", "launchOptions": map[string]any{
		"executablePath": b.browser, "headless": true, "chromiumSandbox": os.Getuid() != 0, "args": b.flags(),
	}}})
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(config, raw, 0o600); err != nil {
		return nil, err
	}
	return []*contender{{
		name: "playwright-cli", program: []string{filepath.Join(modules, ".bin", "playwright-cli")}, dir: dir,
		words: playwrightWords(config), stopCommands: [][]string{{"close-all"}}, acceptAlert: []string{"-s=" + mainSession, "dialog-accept"},
	}}, nil
}
