package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

const (
	reviewRounds = 5
	reviewTasks  = 10 // that work at once
)

// hide makes the review page believe that nobody can see it.
const hide = "Object.defineProperty(document, 'hidden', { get: () => true }), document.dispatchEvent(new Event('visibilitychange')), 42"

// measureReview measures how long ten tasks take that work at once: without a review page, and beside
// one that is hidden, that shows all tabs, and that shows one of the tasks live. The person's browser
// runs on the same machine, so its work is part of what is measured.
func measureReview(ctx context.Context, b *bench, name string) error {
	us := b.contenderNamed(self)
	url, stop, err := us.review(ctx)
	if err != nil {
		return err
	}
	defer stop()
	person := *us
	if person.dir, err = b.makeDir("person"); err != nil {
		return err
	}
	defer person.end(context.WithoutCancel(ctx))
	for _, args := range [][]string{{"open", url}, {"wait", "#grid"}} {
		if _, _, err := person.command(ctx, args...); err != nil {
			return err
		}
	}
	page, _, err := person.command(ctx, "get", "url")
	if err != nil {
		return err
	}
	page = firstLine(page)
	took := map[string]series{}
	for round := range reviewRounds + 1 { // the first round is not counted
		for _, place := range []struct {
			row      string
			commands [][]string // of the person
		}{
			{self, [][]string{{"open", "about:blank"}}},
			{"beside a hidden page", [][]string{{"open", page}, {"eval", hide}}},
			{"beside all tabs", [][]string{{"open", page}}},
			{"beside a live tab", [][]string{{"open", page + "#task0/t1"}}},
		} {
			for _, args := range place.commands {
				if _, _, err := person.command(ctx, args...); err != nil {
					return err
				}
			}
			began := time.Now()
			_, err := b.tasksOf(ctx, us, reviewTasks)
			wall := time.Since(began)
			for i := range reviewTasks {
				// If this command fails, the end of the run closes the session.
				_, _ = us.do(ctx, fmt.Sprintf("task%d", i), closeSession, "")
			}
			if err != nil {
				b.fail(name, place.row, err)
			} else if round > 0 {
				took[place.row] = append(took[place.row], wall)
			}
		}
	}
	for row, times := range took {
		b.time(name, row, times)
	}
	return nil
}

// review starts `abrowser review`, and returns the URL that it prints.
func (c *contender) review(ctx context.Context) (url string, stop func(), err error) {
	cmd := exec.CommandContext(ctx, c.program[0], "--json", "review", "--no-open")
	cmd.Dir, cmd.Stderr = c.dir, os.Stderr
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.dir, "LANG=C.UTF-8"}, c.env...)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = cmd.Process.Signal(os.Interrupt) // an error means that it has ended
		_ = cmd.Wait()                       // its status is of no interest
	}
	var answer struct{ Data struct{ URL string } }
	if err := json.NewDecoder(out).Decode(&answer); err != nil || answer.Data.URL == "" {
		stop()
		return "", nil, errors.Join(errors.New("abrowser review printed no URL"), err)
	}
	return answer.Data.URL, stop, nil
}
