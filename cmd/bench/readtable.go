package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// deltaShare is the goal for the second look with --delta: it may have at most 1/deltaShare of the
// tokens of the first look.
const deltaShare = 5

// readBlock returns the block of readings. It says how the readings were made. Then it has a table
// of the means over all apps, a table with a row for each app, and the readings that miss a goal.
func (r result) readBlock() string {
	var b strings.Builder
	names := r.apps()
	fmt.Fprintf(&b, "Measured on %s, with %s. Tokens of o200k_base.\n\n", r.Date, strings.Join(r.Versions, ", "))
	fmt.Fprintf(&b, "| tokens, the mean of %d apps from npm | abrowser | agent-browser | playwright-cli |\n|---|---|---|---|\n", len(names))
	fmt.Fprintf(&b, "| first look: `snapshot -i` | %s | %s | %s |\n",
		r.mean(self, interactive), r.mean("agent-browser", interactive), r.mean("playwright-cli", full))
	fmt.Fprintf(&b, "| second look, after a click: `snapshot -i --delta` | %s | %s | %s |\n",
		r.mean(self, delta), r.mean("agent-browser", again), r.mean("playwright-cli", again))
	b.WriteString("\n| app |")
	columns := 0
	for _, reader := range readers() {
		for i, l := range reader.looks {
			who := ""
			if i == 0 {
				who = reader.name + ": "
			}
			what := string(l)
			if !slices.Contains(reader.looks, interactive) {
				what = strings.TrimPrefix(what, "-i ") // this contender has no flag -i
			}
			b.WriteString(" " + who + what + " |")
			columns++
		}
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", columns) + "\n")
	for _, app := range names {
		b.WriteString("| " + app + " |")
		for _, reader := range readers() {
			for _, l := range reader.looks {
				b.WriteString(" " + r.cell(app, reader.name, l) + " |")
			}
		}
		b.WriteByte('\n')
	}
	b.WriteString("\n")
	missed := r.missedGoals()
	if len(missed) == 0 {
		b.WriteString("No goal is missed.\n")
	} else {
		b.WriteString("Missed goals:\n\n- " + strings.Join(missed, "\n- ") + "\n")
	}
	return b.String()
}

// readExtract returns the part of a block of readings that the project's README contains: the
// means over all apps.
func readExtract(block string) (string, error) {
	means, _, ok := strings.Cut(block, "\n\n| app |")
	if !ok {
		return "", fmt.Errorf("no table of apps among the readings")
	}
	return means + "\n", nil
}

// apps returns the names of the apps that were read, in alphabetical order.
func (r result) apps() []string {
	var names []string
	for _, one := range r.Readings {
		names = append(names, one.App)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// reading returns a contender's reading of an app. The second result is false if there is no such
// reading, or if it has failed.
func (r result) reading(app, contender string, l look) (reading, bool) {
	for _, one := range r.Readings {
		if one.App == app && one.Contender == contender && one.Look == l && one.Error == "" {
			return one, true
		}
	}
	return reading{}, false
}

// cell returns a reading as a table cell: the number of tokens, then the number of characters in
// parentheses.
func (r result) cell(app, contender string, l look) string {
	one, ok := r.reading(app, contender, l)
	if !ok {
		return "failed"
	}
	return fmt.Sprintf("%d (%d)", one.Tokens, one.Characters)
}

// mean returns the mean number of tokens over all apps, for one look of a contender.
func (r result) mean(contender string, l look) string {
	sum := 0
	names := r.apps()
	for _, app := range names {
		one, ok := r.reading(app, contender, l)
		if !ok {
			return "failed in " + app
		}
		sum += one.Tokens
	}
	return strconv.Itoa(sum / max(1, len(names)))
}

// missedGoals describes the readings of abrowser that miss a goal. There are two goals. A snapshot
// may have at most as many tokens as the shortest snapshot of the peers. The second look with
// --delta may have at most 1/deltaShare of the tokens of the first look.
func (r result) missedGoals() []string {
	var missed []string
	for _, app := range r.apps() {
		for _, goal := range []struct{ own, agentBrowser, playwrightCLI look }{
			{full, full, full},
			{interactive, interactive, full},
			{again, again, again},
		} {
			own, ok := r.reading(app, self, goal.own)
			var peers []reading
			for _, peer := range []struct {
				name string
				l    look
			}{{"agent-browser", goal.agentBrowser}, {"playwright-cli", goal.playwrightCLI}} {
				if one, ok := r.reading(app, peer.name, peer.l); ok {
					peers = append(peers, one)
				}
			}
			if !ok || len(peers) == 0 {
				continue
			}
			least := slices.MinFunc(peers, func(a, b reading) int { return cmp.Compare(a.Tokens, b.Tokens) })
			if own.Tokens > least.Tokens {
				missed = append(missed, fmt.Sprintf("%s, %s: %d tokens for %d refs, more than the %d for %d refs of %s",
					app, goal.own, own.Tokens, own.Refs, least.Tokens, least.Refs, least.Contender))
			}
		}
		first, ok := r.reading(app, self, interactive)
		if second, has := r.reading(app, self, delta); ok && has && second.Tokens*deltaShare > first.Tokens {
			missed = append(missed, fmt.Sprintf("%s, %s: %d tokens, more than a fifth of the %d of the first look", app, delta, second.Tokens, first.Tokens))
		}
	}
	return missed
}
