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

// commandTime is when a command is given up: a scenario in which one hangs fails.
const commandTime = 90 * time.Second

// action is one command of a task, as each contender spells it.
type action int

const (
	openURL  action = iota // the session's first command, with a URL
	navigate               // the same later
	getURL
	evaluate
	fill
	snapshot
	click
	clickRef // with the ref that a snapshot gave
	getText
	screenshot
	fullScreenshot
	closeSession
)

// contender is one tool in one way of using it.
type contender struct {
	name    string
	program []string // and its first arguments
	env     []string // beside PATH
	dir     string   // where its commands run, and below which its processes live
	words   func(session string, a action, text string) []string
	onEnd   func(ctx context.Context)
	in      []string // the scenarios that it takes part in; nil: all
	one     bool     // all its sessions are in one browser
	spares  bool     // after some new sessions it holds a page ready for the next one
	// leaves are commands that end all it has running.
	leaves [][]string
}

// takesPart reports whether the contender has a row in the scenario.
func (c *contender) takesPart(scenario string) bool {
	return c.in == nil || slices.Contains(c.in, scenario)
}

// command runs a command and returns what it printed and how long its process took.
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

// do runs an action of a session and checks its answer, where it has one.
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
		// What takes a smaller one has less to do.
		if err != nil || a == screenshot && (picture.Width != 1280 || picture.Height != 720) {
			return took, fmt.Errorf("%s %s made a picture of %dx%d: %v", c.name, strings.Join(words, " "), picture.Width, picture.Height, err)
		}
		_ = os.Remove(text) // the next one writes it anew
	}
	return took, nil
}

// verify has the contender's main session on the form, and sees that a click and a
// fill really arrive there.
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

// mainSession is the one whose commands are warm.
const mainSession = "main"

// end stops what the contender has running.
func (c *contender) end(ctx context.Context) {
	for _, args := range c.leaves {
		if _, _, err := c.command(ctx, args...); err != nil && !errors.Is(err, os.ErrNotExist) {
			fmt.Fprintln(os.Stderr, "bench: ending", c.name+":", err)
		}
	}
	if c.onEnd != nil {
		c.onEnd(ctx)
	}
}
