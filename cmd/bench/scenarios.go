package main

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// scenario is one measurement, for every contender that takes part in it.
type scenario struct {
	name    string
	measure func(ctx context.Context, b *bench, name string) error
}

// These are the names of the scenarios in which abrowser also takes part with other settings (see
// variants).
const (
	nameGetURL     = "get url"
	nameNewSession = "new session"
	nameColdStart  = "cold start"
	nameTasks      = "many tasks at once"
	nameClick      = "click"
	nameNavigate   = "navigate"
	nameScreenshot = "screenshot"
	nameWorkflow   = "workflow of 8"
	nameTools      = "tools of others at once"
)

func scenarios() []scenario {
	return []scenario{
		{"dial a socket (floor)", measureFloor},
		{"a question over the pipe (floor)", measurePipe},
		{nameGetURL, alternate(getURL, "/form")},
		{"get url, and a bare process that asks for it (floor)", measureAsked},
		{"eval", alternate(evaluate, "21*2")},
		{"fill", alternate(fill, "Ada Lovelace")},
		{"snapshot", alternate(snapshot, "")},
		{nameClick, alternate(click, "#go")},
		{nameNavigate, alternate(navigate, "/next")},
		{nameScreenshot, alternate(screenshot, "shot.png")},
		{"agent loop", flow(onForm, []step{{snapshot, ""}, {click, "#go"}, {snapshot, ""}})},
		{nameWorkflow, flow(nowhere, workflow())},
		{"workflow of 8, batch", measureBatch},
		{"workflow of 8, repl", measureREPL},
		{"workflow of 8, client package", measureClient},
		{"snapshot of 10,000 elements", flow(onBig, []step{{snapshot, ""}})},
		{"click by ref among 10,000 elements", measureClickRef},
		{"screenshot of 30 MB", flow(onNoise, []step{{fullScreenshot, "noise.png"}})},
		{"Playwright in process, over CDP", measureLibrary},
		{nameReading, measureReading},
		{nameNewSession, measureNewSession},
		{nameColdStart, measureColdStart},
		{nameTasks, measureTasks},
		{nameTools, measureTools},
		{"ten tasks beside a review page", measureReview},
		{"growth", measureGrowth},
		{"growth: new page of a bare browser", measureBareGrowth},
	}
}

func names() []string {
	var all []string
	for _, s := range scenarios() {
		all = append(all, s.name)
	}
	return all
}

type step struct {
	a    action
	text string // the action's argument; a path of the site if the action takes a URL
}

func workflow() []step {
	return []step{{navigate, "/form"}, {snapshot, ""}, {fill, "Ada"}, {click, "#go"}, {getText, "#count"}, {evaluate, "21*2"}, {getURL, "/form"}, {screenshot, "flow.png"}}
}

const (
	nowhere = ""
	onForm  = "/form"
	onBig   = "/big"
	onNoise = "/noise"
)

// text returns the argument with which a contender runs a step's action. For a screenshot, this is
// the path of a file in the contender's directory. For a path of the site, it is the full URL.
// Otherwise it is the step's text unchanged.
func (b *bench) text(c *contender, s step) string {
	switch {
	case s.a == screenshot, s.a == fullScreenshot:
		return filepath.Join(c.dir, s.text)
	case strings.HasPrefix(s.text, "/"):
		return b.site.url(s.text)
	}
	return s.text
}

// alternate returns a measurement in which the contenders run an action in turn. Each contender
// runs the action in its main session, on the page /form.
func alternate(a action, text string) func(context.Context, *bench, string) error {
	return flow(onForm, []step{{a, text}})
}

// flow returns a measurement in which the contenders run the given steps in turn, each in its main
// session. Each contender first opens the page whose path is start, unless start is nowhere. It
// opens the page before every round if the first step navigates away from it, and otherwise only
// before its first round. The time for this is not measured.
func flow(start string, steps []step) func(context.Context, *bench, string) error {
	return func(ctx context.Context, b *bench, name string) error {
		b.take(ctx, name, max(leastRounds, b.rounds/len(steps)), func(c *contender, round int) (time.Duration, error) {
			if start != nowhere && (steps[0].a == navigate || round == 0) {
				if _, err := c.do(ctx, mainSession, navigate, b.site.url(start)); err != nil {
					return 0, err
				}
			}
			var sum time.Duration
			for _, s := range steps {
				one, err := c.do(ctx, mainSession, s.a, b.text(c, s))
				if err != nil {
					return 0, err
				}
				sum += one
			}
			return sum, nil
		})
		return nil
	}
}

// measureClickRef measures clicks on a button of the large page /big. The contender names the
// button by the ref that a snapshot gave it. measureClickRef checks that the page has counted each
// click.
func measureClickRef(ctx context.Context, b *bench, name string) error {
	named := regexp.MustCompile(`"go"[^\n]*\[ref=(\w+)\]`)
	refs := map[*contender]string{}
	b.take(ctx, name, max(leastRounds, b.rounds/2), func(c *contender, round int) (time.Duration, error) {
		if round == 0 {
			if _, err := c.do(ctx, mainSession, navigate, b.site.url(onBig)); err != nil {
				return 0, err
			}
			out, _, err := c.command(ctx, c.words(mainSession, snapshot, "")...)
			if err != nil {
				return 0, err
			}
			found := named.FindStringSubmatch(out)
			if found == nil {
				return 0, fmt.Errorf("the snapshot names no button: %.200s", out)
			}
			refs[c] = found[1]
		}
		one, err := c.do(ctx, mainSession, clickRef, refs[c])
		if err != nil {
			return 0, err
		}
		out, _, err := c.command(ctx, c.words(mainSession, getText, "#count")...)
		if err == nil && !strings.Contains(out, strconv.Itoa(round+1)) {
			err = fmt.Errorf("after %d clicks the page says %q", round+1, out)
		}
		return one, err
	})
	return nil
}

// beforeSpare is the number of sessions that are opened before new sessions are measured. After 5
// sessions (defaultSpareAfter of package broker), abrowser always keeps a page ready for the next
// session. One more session makes sure that this page exists when the measurement begins.
const beforeSpare = 6

// measureNewSession measures the first command of a new session while other sessions exist. It
// pauses for a second before each measurement, because in practice tasks do not start all at the
// same time.
func measureNewSession(ctx context.Context, b *bench, name string) error {
	for _, c := range b.contenders {
		for i := range beforeSpare {
			if !c.spares || !c.takesPart(name) {
				break
			}
			if _, err := b.newSession(ctx, c, fmt.Sprintf("first%d", i)); err != nil {
				return err
			}
		}
	}
	b.take(ctx, name, max(5, b.rounds/2), func(c *contender, round int) (time.Duration, error) {
		if err := pause(ctx, time.Second); err != nil {
			return 0, err
		}
		return b.newSession(ctx, c, fmt.Sprintf("new%d", round))
	})
	return nil
}

func (b *bench) newSession(ctx context.Context, c *contender, session string) (time.Duration, error) {
	one, err := c.do(ctx, session, openURL, b.site.url("/next"))
	if err != nil {
		return 0, err
	}
	_, err = c.do(ctx, session, closeSession, "")
	return one, err
}

// measureColdStart measures the first command of a session when no process of the contender is
// running.
func measureColdStart(ctx context.Context, b *bench, name string) error {
	b.take(ctx, name, max(leastRounds, b.rounds/6), func(c *contender, _ int) (time.Duration, error) {
		c.end(ctx)
		return c.do(ctx, mainSession, openURL, b.site.url("/form"))
	})
	return nil
}

// pause waits for d. It returns an error if ctx ends first.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
