//go:build linux

package soak_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// table counts the results of the cases.
type table struct {
	mu        sync.Mutex // guards the fields below
	rows      map[string]*row
	said      []string
	run       int             // cases that were judged
	abandoned int             // pages whose last cases were not run
	uncounted int             // cases that were not judged because records are missing
	messages  map[string]int  // counts by error message, without its varying parts
	shown     map[string]int  // counts by class, kind and action: see isNew
	quick     []time.Duration // how long commands took for elements that were ready at once, sorted
}

// row counts the cases of one action or of one kind; the row "all" counts all cases. The fields
// unkilled, unknown, inTime, missed and givenUp stay 0 in a run with kills or stalls.
type row struct {
	cases, commands int
	outcomes        map[string]int
	wrong           map[string]int
	unkilled        int // cases of a run without kills and stalls
	unknown         int // cases with a command whose result is unknown, except those of givenUp
	inTime, missed  int // cases ready well in time (see well); those of them without success
	early           int // commands that succeeded before the element was ready
	elsewhere       int // cases in which another element got the input
	blocked         int // cases in which the input was kept from an element that had moved
	givenUp         int // cases whose only unknown result is that of a type command at its timeout
}

func (t *table) cases() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.run
}

func (t *table) lost() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.abandoned++
}

const (
	wellTime    = 2 * time.Second // the shortest result of well
	mostDetails = 3               // how many contradictions of a class, kind and action are printed in full
	enoughCases = 300             // with fewer cases, report does not check percentages
)

// tally judges a case and counts its result. If complete is false, records of its page are
// missing. Then tally does not judge the case, and only counts it as uncounted.
func (s *soak) tally(r *runner, one ran, over time.Time, records []record, complete bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !complete {
		s.uncounted++
		return
	}
	if len(one.commands) == 0 {
		return
	}
	v := judge(one.c, one.commands, over, records)
	s.run++
	for _, cmd := range one.commands {
		if cmd.Answered && !cmd.Success {
			s.tellMessage(cmd)
		}
	}
	disturbed := s.isDisturbed()
	for _, name := range []string{"all", one.c.Spec.Action, "kind " + one.c.Kind} {
		s.count(s.row(name), one, v, disturbed)
	}
	last := one.commands[len(one.commands)-1]
	if one.c.Kind == "once" && last.Success && one.c.Spec.Action != "type" {
		took := last.End.Sub(last.Start)
		at, _ := slices.BinarySearch(s.quick, took)
		s.quick = slices.Insert(s.quick, at, took)
	}
	for _, f := range v.Findings {
		s.said = append(s.said, fmt.Sprintf("%s: %s: %s %s, command %d: %s", f.Class, one.c.Spec.ID, one.c.Kind, one.c.Spec.Action, f.Command, f.Text))
	}
	switch {
	case len(v.Findings) > 0 && s.isNew(v.Findings[0].Class, one):
		s.note("CONTRADICTION %v\n%s", v.Findings, s.describe(r, one, records))
	case s.isMissed(one, v) && !disturbed && s.isNew("missed", one):
		s.note("no success, although the element was ready\n%s", s.describe(r, one, records))
	case len(v.Elsewhere) > 0 && s.isNew("elsewhere", one):
		s.note("input went elsewhere: %v\n%s", v.Elsewhere, s.describe(r, one, records))
	}
	if s.run%1000 == 0 {
		s.note("%d cases, %d contradictions", s.run, len(s.said))
	}
}

// isNew reports whether the case is one of the first mostDetails cases of its class, kind and
// action. It counts the case.
func (t *table) isNew(class string, one ran) bool {
	if t.shown == nil {
		t.shown = map[string]int{}
	}
	key := class + " " + one.c.Kind + " " + one.c.Spec.Action
	t.shown[key]++
	return t.shown[key] <= mostDetails
}

// well returns how long before the end of a command's timeout an element must become ready to count
// as ready well in time. The command should then succeed. The result is longer on a slow machine.
func (t *table) well() time.Duration {
	if len(t.quick) == 0 {
		return wellTime
	}
	return max(wellTime, 2*t.quick[len(t.quick)*95/100])
}

// tellMessage counts the error message of a command.
func (t *table) tellMessage(cmd command) {
	if t.messages == nil {
		t.messages = map[string]int{}
	}
	varying := regexp.MustCompile(`"[^"]*"|@?e?[0-9]+|<.*>`)
	t.messages[string(cmd.Code)+": "+varying.ReplaceAllString(cmd.Error, "…")]++
}

func (t *table) row(name string) *row {
	if t.rows == nil {
		t.rows = map[string]*row{}
	}
	if t.rows[name] == nil {
		t.rows[name] = &row{outcomes: map[string]int{}, wrong: map[string]int{}}
	}
	return t.rows[name]
}

// wasInTime reports whether the element was ready well before the timeout of the case's last
// command.
func (t *table) wasInTime(one ran, v verdict) bool {
	last := one.commands[len(one.commands)-1]
	left := last.Timeout
	if late := last.Start.Add(last.Timeout).Sub(time.UnixMilli(int64(v.Ready))); late < left {
		left = late
	}
	well := t.well()
	if one.c.Spec.Action == "type" { // each key takes its time
		well += time.Duration(len(last.Step.Token)) * (well/8 + time.Duration(last.Step.Delay)*time.Millisecond)
	}
	return v.Ready > 0 && left >= well
}

func (t *table) isMissed(one ran, v verdict) bool {
	return t.wasInTime(one, v) && !one.commands[len(one.commands)-1].Success
}

func (s *soak) count(w *row, one ran, v verdict, disturbed bool) {
	w.cases++
	if !disturbed {
		w.unkilled++
		switch {
		case v.Unknown:
			w.unknown++
		case v.GivenUp:
			w.givenUp++
		}
	}
	for _, cmd := range one.commands {
		w.commands++
		w.outcomes[cmd.outcome()]++
		if cmd.Success && v.Ready > milliseconds(cmd.End) {
			w.early++
		}
	}
	if s.wasInTime(one, v) && !disturbed {
		w.inTime++
		if s.isMissed(one, v) {
			w.missed++
		}
	}
	if len(v.Elsewhere) > 0 {
		w.elsewhere++
	}
	if len(v.Blocked) > 0 {
		w.blocked++
	}
	for _, f := range v.Findings {
		w.wrong[f.Class]++
	}
}

// report prints the table. It fails the test if there is a contradiction, if no case was run, or
// if too many cases could not be counted. In an undisturbed run with at least enoughCases cases,
// it also fails the test in these cases:
//
//   - more than 1 % of the cases have a command whose result is unknown;
//   - the last command failed in more than 1 % of the cases whose element was ready well in time.
func (s *soak) report() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.quick); n > 0 {
		s.t.Logf("commands for what was ready at once: median %v, 95%% within %v, 99%% within %v; well in time is %v before the end",
			s.quick[n/2], s.quick[n*95/100], s.quick[n*99/100], s.well())
	}
	s.t.Logf("%d cases, %d not counted, %d pages abandoned\n%s", s.run, s.uncounted, s.abandoned, s.table.String())
	for _, message := range slices.Sorted(maps.Keys(s.messages)) {
		s.t.Logf("%6d %s", s.messages[message], message)
	}
	if len(s.said) > 0 {
		s.t.Errorf("%d contradictions (-soak.seed=%d):\n%s", len(s.said), s.seed, strings.Join(s.said, "\n"))
	}
	if s.run == 0 {
		s.t.Fatal("no case was run")
	}
	all := s.rows["all"]
	if s.uncounted*50 > s.run {
		s.t.Errorf("%d of %d cases could not be counted", s.uncounted, s.run)
	}
	if all.cases < enoughCases || s.isDisturbed() {
		return
	}
	if all.unknown*100 > all.unkilled {
		s.t.Errorf("%d of %d cases have a command whose result is unknown, want at most 1%%", all.unknown, all.unkilled)
	}
	if all.missed*100 > all.inTime {
		s.t.Errorf("%d of %d cases had no success although the element was ready well in time, want at most 1%%", all.missed, all.inTime)
	}
}

// String returns the table as text.
func (t *table) String() string {
	codes := map[string]bool{}
	for _, w := range t.rows {
		for code := range w.outcomes {
			codes[code] = true
		}
	}
	columns := slices.Sorted(maps.Keys(codes))
	var b strings.Builder
	header := append([]string{"", "cases", "commands"}, columns...)
	header = append(append(header, "cases with unknown", "given up", "early", "inTime", "missed", "elsewhere", "blocked"), classes()...)
	fmt.Fprintln(&b, strings.Join(header, " | "))
	for _, name := range slices.Sorted(maps.Keys(t.rows)) {
		w := t.rows[name]
		cells := []any{name, w.cases, w.commands}
		for _, code := range columns {
			cells = append(cells, w.outcomes[code])
		}
		cells = append(cells, w.unknown, w.givenUp, w.early, w.inTime, w.missed, w.elsewhere, w.blocked)
		for _, class := range classes() {
			cells = append(cells, w.wrong[class])
		}
		for i, cell := range cells {
			cells[i] = fmt.Sprint(cell)
		}
		fmt.Fprintln(&b, strings.Trim(strings.ReplaceAll(fmt.Sprintf("%q", cells), `" "`, " | "), `[]"`))
	}
	return b.String()
}
