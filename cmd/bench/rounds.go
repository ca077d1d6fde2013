package main

import (
	"context"
	"time"
)

// leastRounds are run by every contender, however long one takes.
const leastRounds = 3

// take has the contenders that take part do one thing in turn, again and again: most
// times, or until one has used its time up. One that fails is out, and told of.
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

// fail keeps that a contender has no figure in a scenario, and why.
func (b *bench) fail(scenario, contender string, err error) {
	b.progress("%s: %s: %s", scenario, contender, firstLine(err.Error()))
	b.figures = append(b.figures, figure{Scenario: scenario, Contender: contender, Error: firstLine(err.Error())})
}
