package main

import (
	"context"
	"time"
)

// leastRounds is the number of rounds that every contender runs, even if they take longer than its
// time budget.
const leastRounds = 3

// take measures a scenario in at most maxRounds rounds. In every round, it calls the function
// measure for each contender that takes part, and records the time that measure returns. A
// contender that has run leastRounds rounds and used up its time budget runs no more rounds. If
// measure fails for a contender, take records the error instead of the contender's times, and the
// contender runs no more rounds.
func (b *bench) take(ctx context.Context, name string, maxRounds int, measure func(c *contender, round int) (time.Duration, error)) {
	took := map[*contender]series{}
	used := map[*contender]time.Duration{}
	out := map[*contender]bool{}
	for round := range maxRounds {
		for _, c := range b.contenders {
			if out[c] || !c.takesPart(name) || round >= leastRounds && used[c] > b.budget || ctx.Err() != nil {
				continue
			}
			began := time.Now()
			one, err := measure(c, round)
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

// fail records that a contender has no figure in a scenario. err is the reason.
func (b *bench) fail(scenario, contender string, err error) {
	b.progress("%s: %s: %s", scenario, contender, firstLine(err.Error()))
	b.figures = append(b.figures, figure{Scenario: scenario, Contender: contender, Error: firstLine(err.Error())})
}
