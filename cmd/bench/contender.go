package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// commandTime is the time limit of a command. A command that takes longer fails.
const commandTime = 90 * time.Second

// action is one kind of command. Each contender has its own arguments for it.
type action int

const (
	openURL  action = iota // opens a URL as the first command of a session
	navigate               // opens a URL later in the session
	getURL
	evaluate
	fill
	snapshot
	click
	clickRef // clicks an element by the ref that a snapshot gave it
	getText
	screenshot
	fullScreenshot
	closeSession
)

// contender is a tool in a particular way of using it.
type contender struct {
	name        string
	program     []string // the executable and its first arguments
	env         []string // environment variables besides PATH, HOME and LANG
	dir         string   // working directory and HOME of its commands; see processesBelow
	words       func(session string, a action, text string) []string
	onEnd       func(ctx context.Context)
	in          []string // the names of its scenarios; nil means all
	one         bool     // all sessions share one browser
	spares      bool     // after beforeSpare sessions, it keeps a page ready for the next session
	acceptAlert []string // arguments to accept an alert; nil if an alert does not block it
	// stopCommands lists the commands that together stop all processes of the contender. Each
	// element has the arguments of one command.
	stopCommands [][]string
}

// takesPart reports whether the contender takes part in the scenario.
func (c *contender) takesPart(scenario string) bool {
	return c.in == nil || slices.Contains(c.in, scenario)
}

// command runs a command of the contender, and returns its output and how long its process took.
func (c *contender) command(ctx context.Context, args ...string) (string, time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.program[0], append(c.program[1:len(c.program):len(c.program)], args...)...)
	cmd.Dir = c.dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.dir, "LANG=C.UTF-8"}, c.env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	began := time.Now()
	err := cmd.Run()
	took := time.Since(began)
	if err != nil {
		return "", took, fmt.Errorf("%s %s: %w: %s\n%s%s", c.name, strings.Join(args, " "), err, firstLine(strings.TrimSpace(stderr.String())), &stdout, &stderr)
	}
	return stdout.String(), took, nil
}

// do runs an action in a session and returns how long the process took. It checks the output of
// getURL, evaluate and snapshot, and the file that a screenshot writes.
func (c *contender) do(ctx context.Context, session string, a action, text string) (time.Duration, error) {
	words := c.words(session, a, text)
	out, took, err := c.command(ctx, words...)
	if err != nil {
		return took, err
	}
	want := map[action]string{getURL: text, evaluate: "42", snapshot: "go"}[a]
	if !strings.Contains(out, want) {
		return took, fmt.Errorf("%s %s answered %q, want %q in it", c.name, strings.Join(words, " "), out[:min(len(out), 200)], want)
	}
	if a == screenshot || a == fullScreenshot {
		raw, err := os.ReadFile(text)
		if err != nil {
			return took, fmt.Errorf("%s %s made no picture: %w", c.name, strings.Join(words, " "), err)
		}
		picture, err := png.DecodeConfig(bytes.NewReader(raw))
		// Screenshots of the viewport must all have the same size, since a smaller one is less work.
		if err != nil {
			return took, fmt.Errorf("%s %s made no picture: %w", c.name, strings.Join(words, " "), err)
		}
		if a == screenshot && (picture.Width != 1280 || picture.Height != 720) {
			return took, fmt.Errorf("%s %s made a picture of %dx%d", c.name, strings.Join(words, " "), picture.Width, picture.Height)
		}
		_ = os.Remove(text) // so that the next check finds only a new screenshot
	}
	return took, nil
}

// verify opens the page /form in the contender's main session and runs several actions there, among
// them a click. It checks that the page has counted this click.
func (c *contender) verify(ctx context.Context, s *site) error {
	for _, step := range []struct {
		a    action
		text string
	}{
		{openURL, s.url("/form")},
		{fill, "Ada"},
		{click, "#go"},
		{snapshot, ""},
		{getURL, s.url("/form")},
		{evaluate, "21*2"},
		{screenshot, filepath.Join(c.dir, "verify.png")},
	} {
		if _, err := c.do(ctx, mainSession, step.a, step.text); err != nil {
			return err
		}
	}
	out, _, err := c.command(ctx, c.words(mainSession, getText, "#count")...)
	if err == nil && !strings.Contains(out, "1") {
		err = fmt.Errorf("after a click the page says %q", out)
	}
	return err
}

// mainSession is the session in which warm commands are measured. A command is warm if its session
// already exists when the command starts.
const mainSession = "main"

// end stops the contender's processes.
func (c *contender) end(ctx context.Context) {
	for _, args := range c.stopCommands {
		if _, _, err := c.command(ctx, args...); err != nil && !errors.Is(err, os.ErrNotExist) {
			fmt.Fprintln(os.Stderr, "bench: ending", c.name+":", err)
		}
	}
	if c.onEnd != nil {
		c.onEnd(ctx)
	}
}
