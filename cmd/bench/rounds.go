package main

import (
	"context"
	"time"
)

// leastRounds is the number of rounds that a contender runs even if they take more than its
// time budget.
const leastRounds = 3

// take measures a scenario in rounds; the parameter most is the largest number of rounds. In every
// round, take measures the contenders that take part, one after the other: it calls the given
// function and records the time that this function returns. A contender stops when it has run
// leastRounds and used up its time budget. If the function fails for a contender, take records the
// error in place of the contender's times and leaves the contender out of the remaining rounds.
func (b *bench) take(ctx context.Context, name string, most int, once func(c *contender, round int) (time.Duration, error)) {
	took := map[*contender]series{}
	used := map[*contender]time.Duration{}
	out := map[*contender]bool{}
	for round := range most {
		for _, c := range b.contenders {
			if out[c] || !c.takesPart(name) || round >= leastRounds && used[c] > b.budget || ctx.Err() != nil {
				continue
			}
			began := time.Now()
			one, err := once(c, round)
			if err != nil {
				out[c] = true
				b.fail(name, c.name, err)
				continue
			}
			used[c] += time.Since(began)
			took[c] = append(took[c], one)
		}
	}
	for _, c := range b.contenders {
		if len(took[c]) > 0 && !out[c] {
			b.time(name, c.name, took[c])
		}
	}
}

// fail records that a contender has no figure in a scenario, and the reason.
func (b *bench) fail(scenario, contender string, err error) {
	b.progress("%s: %s: %s", scenario, contender, firstLine(err.Error()))
	b.figures = append(b.figures, figure{Scenario: scenario, Contender: contender, Error: firstLine(err.Error())})
}
