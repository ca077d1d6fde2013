package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/tools"
)

const (
	toolRounds = 17 // of tools.Steps steps each, which makes about a hundred
	ownTasks   = 2  // tasks of abrowser that work meanwhile
	toolsTime  = 15 * time.Minute
)

// measureTools measures programs of others that speak CDP, at about a hundred steps each. They work
// at once in sessions of abrowser's browser, at once in a browser for each, and one after the other in
// both places. While they work at once, two tasks of abrowser work, too. A figure is the time of a round of steps, and fails if one step fails.
func measureTools(ctx context.Context, b *bench, name string) error {
	ctx, cancel := context.WithTimeout(ctx, toolsTime)
	defer cancel()
	dir, err := tools.Dir()
	if err != nil {
		return err
	}
	modules, err := tools.Install(ctx, dir)
	if err != nil {
		return err
	}
	for _, place := range []struct {
		row  string
		open openEndpoint
		size int // how many programs work at once
		own  int // how many tasks of abrowser work meanwhile
	}{
		{self, b.sessionEndpoint, len(tools.Names()), ownTasks},
		{"a browser for each", b.browserEndpoint, len(tools.Names()), ownTasks},
		{self + ", alone", b.sessionEndpoint, 1, 0},
		{"a browser for each, alone", b.browserEndpoint, 1, 0},
	} {
		for group := range slices.Chunk(tools.Names(), place.size) {
			took, err := b.together(ctx, modules, group, place.open, place.own)
			if err != nil {
				b.fail(name, place.row, err)
			}
			for tool, times := range took {
				b.time(name+": "+tool, place.row, times)
			}
		}
	}
	return nil
}

// openEndpoint opens a browser for a program, and returns the URL of its WebSocket. The function
// stop ends what was started.
type openEndpoint func(ctx context.Context, dir string) (url string, stop func(), err error)

// together runs programs at once, and own tasks of abrowser until the last program has ended. It
// returns the times of the rounds of each program. The browsers start before that.
func (b *bench) together(ctx context.Context, modules string, names []string, open openEndpoint, own int) (map[string]series, error) {
	var mu sync.Mutex // guards took and failed
	took := map[string]series{}
	var failed error
	note := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		failed = errors.Join(failed, err)
	}
	var work []tools.Work
	for _, name := range names {
		b.places++ // a profile is used once
		short := fmt.Sprint("p", b.places)
		dir, err := b.makeDir(short)
		if err != nil {
			return nil, err
		}
		url, stop, err := open(ctx, short)
		if err != nil {
			return nil, err
		}
		defer stop()
		work = append(work, tools.Work{
			Tool: name, Modules: modules, Endpoint: url, Dir: dir, Form: b.site.url("/form"), Button: "go", Label: "go", Rounds: toolRounds,
			Environ: []string{"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"},
		})
	}
	var programs, tasks sync.WaitGroup
	done := make(chan struct{})
	for i := range own {
		session := fmt.Sprint("meanwhile", i)
		tasks.Go(func() {
			c := b.contenderNamed(self)
			for isOpen(done) {
				if err := b.task(ctx, c, session); err != nil {
					note(fmt.Errorf("a task of abrowser: %w", err))
					return
				}
			}
			// If this command fails, the end of the run closes the session.
			_, _ = c.do(ctx, session, closeSession, "")
		})
	}
	for _, w := range work {
		programs.Go(func() {
			times, err := w.Run(ctx)
			if err != nil {
				note(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			took[w.Tool] = times
		})
	}
	programs.Wait()
	close(done)
	tasks.Wait()
	return took, failed
}

func isOpen(done <-chan struct{}) bool {
	select {
	case <-done:
		return false
	default:
		return true
	}
}

// sessionEndpoint starts `abrowser cdp` in the session with the given name.
func (b *bench) sessionEndpoint(ctx context.Context, name string) (url string, stop func(), err error) {
	c := b.contenderNamed(self)
	cmd := exec.CommandContext(ctx, c.program[0], "--session", name, "--json", "cdp")
	cmd.Dir, cmd.Stderr = c.dir, os.Stderr
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.dir, "LANG=C.UTF-8"}, c.env...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = in.Close() // ends the command
		_ = cmd.Wait() // its status is of no interest
		_, _, _ = c.command(context.WithoutCancel(ctx), "--session", name, "close", "--page")
	}
	var answer struct{ Data struct{ URL string } }
	if err := json.NewDecoder(out).Decode(&answer); err != nil || answer.Data.URL == "" {
		stop()
		return "", nil, errors.Join(fmt.Errorf("abrowser cdp printed no URL"), err)
	}
	return answer.Data.URL, stop, nil
}

// browserEndpoint starts a browser with a debugging port and a profile with the given name.
func (b *bench) browserEndpoint(ctx context.Context, name string) (url string, stop func(), err error) {
	port, end, err := b.chromeWithPort(ctx, "chrome-"+name)
	if err != nil {
		return "", nil, err
	}
	stop = func() { end(context.WithoutCancel(ctx)) }
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1:"+port+"/json/version", nil)
	var response *http.Response
	if err == nil {
		response, err = http.DefaultClient.Do(request)
	}
	if err != nil {
		stop()
		return "", nil, err
	}
	defer response.Body.Close()
	var version struct {
		URL string `json:"webSocketDebuggerUrl"`
	}
	if err := json.NewDecoder(response.Body).Decode(&version); err != nil {
		stop()
		return "", nil, fmt.Errorf("reading /json/version: %w", err)
	}
	return version.URL, stop, nil
}
