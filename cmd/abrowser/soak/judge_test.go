//go:build linux

package soak_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/sockets/wire"
)

// command is a step that was run, and what it answered.
type command struct {
	Step       step
	Args       []string
	Selector   string // of the element
	Start, End time.Time
	Timeout    time.Duration
	Success    bool
	Code       wire.Code // of a failure
	Error      string
	Killed     string // the signal that its process got; empty is none
	Answered   bool
	Result     e2e.Result
}

// outcome is the answer as the table counts it.
func (c command) outcome() string {
	switch {
	case !c.Answered:
		return "no answer"
	case c.Success:
		return "success"
	}
	return string(c.Code)
}

// mayBeDone reports whether the answer leaves open if the command has done anything.
func (c command) mayBeDone() bool { return !c.Answered || c.Code == wire.CodeResultUnknown }

// The classes of contradiction between an answer and what the page counted.
const (
	wrongDouble  = "double"  // success or unknown, and more than once
	wrongMissing = "missing" // success, and not even once
	wrongPartial = "partial" // success, and some of it is missing
	wrongDone    = "done"    // failure, and something was done before the answer
	wrongLate    = "late"    // failure, and something was done after the answer
	wrongOrder   = "order"   // keys in another order
	wrongStray   = "stray"   // no effect too many, but input that the element should not have seen
	wrongReason  = "reason"  // failure for a reason that was not so
)

func classes() []string {
	return []string{wrongDouble, wrongMissing, wrongPartial, wrongDone, wrongLate, wrongOrder, wrongStray, wrongReason}
}

// finding is one contradiction.
type finding struct {
	Class   string
	Command int
	Text    string
}

// verdict is what became of a case.
type verdict struct {
	Findings  []finding
	Elsewhere []string // what else got input that was for the element
	Blocked   []string // input that was kept from an element that moved away from it
	Ready     float64  // when the element became ready, 0 where it never did
	Unknown   bool     // a command has not said whether it was done
	GivenUp   bool     // its time was over in the middle of its keys, of which nothing else can be said
}

// clockError is how much later than the test's clock a page's may say that an event was,
// or earlier, in milliseconds.
const clockError = 2

// judge compares the answers of a case with what its page recorded. The records are all
// of the page, in order; over is when the page's next case began.
func judge(c *plannedCase, commands []command, over time.Time, records []record) verdict {
	var v verdict
	act := actionOf(c.Spec.Action)
	done := false             // by a command before
	spare := map[string]int{} // what a command before may still do
	for _, r := range records {
		if r.Type == "ready" && r.On == c.Spec.ID {
			v.Ready = r.At
		}
	}
	for i, cmd := range commands {
		own := recordsOf(c, act, commands, i, over, records)
		counts, window, reachedIt, late := map[string]int{}, map[string]int{}, map[string]int{}, 0
		keys, bubbled := "", map[string]bool{}
		once := act.once(cmd.Step)
		if act.name == "enter" && (reached(own, c.Spec.ID) || cmd.mayBeDone()) {
			once = map[string]int{"keydown": 1, "submit": 1, "request": 1} // as far as the element has the focus
		}
		for _, r := range own {
			switch {
			case once[r.Type] > 0 && r.counts(c, act): // a change may come of a field that loses the keyboard, too
				counts[r.Type]++
				reachedIt[r.Type]++
				if r.At > milliseconds(cmd.End)+clockError {
					late++
				}
				if r.Type == "keydown" {
					keys += r.Value
				}
			case r.Level == levelWindow && r.On == c.Spec.ID && isPress(r.Type):
				window[r.Type]++
			case r.Level == levelElement && r.On == c.Spec.ID && isPress(r.Type):
				reachedIt[r.Type]++
			case r.Level != levelWindow && r.On != c.Spec.ID && isPress(r.Type):
				bubbled[r.Type+" on "+r.On] = true
			}
		}
		if counts["request"] == 0 && leavesAfterSubmit(own, c.Spec.ID) {
			once = maps.Clone(once)
			delete(once, "request") // the page's own navigation has replaced the form's
		}
		for what := range bubbled {
			if !act.noElement {
				v.Elsewhere = append(v.Elsewhere, fmt.Sprintf("command %d (%s): %s", i, cmd.outcome(), what))
			}
		}
		found := func(class, format string, args ...any) {
			v.Findings = append(v.Findings, finding{class, i, fmt.Sprintf(format, args...)})
		}
		any, before := total(counts), len(v.Findings)
		switch {
		case cmd.Success && any == 0 && (act.keeps && done || act.noElement && changedDocument(records, cmd)):
		case cmd.Success && any == 0:
			found(wrongMissing, "success, and the page counted nothing")
		case (cmd.Success || cmd.mayBeDone()) && isOver(counts, once, spare):
			found(wrongDouble, "%s, and the page counted %v, want %v", cmd.outcome(), counts, once)
		case cmd.Success && isOver(once, counts, nil):
			found(wrongPartial, "success, and the page counted %v, want %v", counts, once)
		case !cmd.Success && !cmd.mayBeDone() && isOver(counts, nil, spare):
			class := wrongDone
			if late == any {
				class = wrongLate
			}
			found(class, "%s, and the page counted %v, %d of them after the answer", cmd.Code, counts, late)
		case act.name == "type" && any > 0 && (cmd.Success && keys != cmd.Step.Token || !isPartOf(keys, cmd.Step.Token)):
			found(wrongOrder, "%s, and the keys were %q, want %q", cmd.outcome(), keys, cmd.Step.Token)
		}
		if len(v.Findings) == before && !act.noElement {
			seen, got := strays(act, cmd, window, once, spare), strays(act, cmd, reachedIt, once, spare)
			switch {
			case got != "":
				found(wrongStray, "%s, and the element got %s", cmd.outcome(), got)
			case seen != "" && c.moves(): // where it was is something else by then, or another node
				v.Blocked = append(v.Blocked, fmt.Sprintf("command %d (%s): %s", i, cmd.outcome(), seen))
			case seen != "":
				found(wrongStray, "%s, and the element's window saw %s, kept from the element", cmd.outcome(), seen)
			}
		}
		if reason := falseReason(c, commands, i); reason != "" {
			found(wrongReason, "%s, and %s", cmd.Code, reason)
		}
		switch {
		case !cmd.mayBeDone():
		case act.name == "type" && any > 0 && cmd.End.Sub(cmd.Start) >= cmd.Timeout:
			v.GivenUp = true
		default:
			v.Unknown = true
		}
		if cmd.mayBeDone() { // what of it comes later is no other command's
			spare = map[string]int{}
			for what, n := range once {
				spare[what] = max(0, n-counts[what])
			}
			for what, n := range presses(act, once) {
				spare["window "+what] = max(0, n-window[what])
			}
		}
		done = done || any > 0
	}
	return v
}

// moves reports whether the element may be elsewhere, or another node, when input comes
// that was sent to it. Nobody can know that before; the input must be kept from whatever
// is there.
func (c *plannedCase) moves() bool {
	return slices.Contains([]string{"css", "raf", "interval", "replaced"}, c.Spec.Hold)
}

// counts reports whether a record is part of what the action does.
func (r record) counts(c *plannedCase, act action) bool {
	if act.noElement && r.Type == "keydown" {
		return r.Level == levelWindow && r.Trusted && (act.name != "enter" || r.Value == "Enter")
	}
	return r.On == c.Spec.ID && r.Level == levelElement
}

func isPress(kind string) bool {
	return slices.Contains([]string{"pointerdown", "mousedown", "click", "keydown"}, kind)
}

// recordsOf are the records that belong to a command: those that show what it entered,
// else those between its start and the next one's. What did not go to the element
// belongs to no command after over, when the page's next case began.
func recordsOf(c *plannedCase, act action, commands []command, i int, over time.Time, records []record) []record {
	from, to := milliseconds(commands[i].Start)-clockError, math.Inf(1)
	if i+1 < len(commands) {
		to = milliseconds(commands[i+1].Start) - clockError
	}
	var own []record
	for _, r := range records {
		mine := r.On == c.Spec.ID || act.noElement && r.At < milliseconds(over)
		switch {
		case r.At < from:
		case mine && slices.Contains(act.shows, r.Type):
			if act.owns(commands[i].Step, r) {
				own = append(own, r)
			}
		case r.At >= to, r.At >= milliseconds(over) && (r.On != c.Spec.ID || act.name == "type" && r.Type == "input"):
			// Another command's; an element that keeps the keyboard gets what is typed after it.
		default:
			own = append(own, r)
		}
	}
	return own
}

// reached reports whether the element itself got a key.
func reached(records []record, id string) bool {
	return slices.ContainsFunc(records, func(r record) bool { return r.Type == "keydown" && r.On == id && r.Level == levelElement })
}

// leavesAfterSubmit reports whether the page itself navigates after the form was submitted.
func leavesAfterSubmit(records []record, id string) bool {
	submitted := slices.IndexFunc(records, func(r record) bool { return r.Type == "submit" && r.On == id })
	return submitted >= 0 && slices.ContainsFunc(records[submitted:], func(r record) bool { return r.Type == "leaves" && r.On == id })
}

// isOver reports whether more was counted of anything than once and spare allow.
func isOver(counts, once, spare map[string]int) bool {
	for what, n := range counts {
		if n > once[what]+spare[what] {
			return true
		}
	}
	return false
}

// isPartOf reports whether all keys are in a text, in its order. Between two documents a
// page may miss some.
func isPartOf(keys, text string) bool {
	for _, key := range keys {
		at := strings.IndexRune(text, key)
		if at < 0 {
			return false
		}
		text = text[at+1:]
	}
	return true
}

// falseReason says why the reason that a failure names is not so.
func falseReason(c *plannedCase, commands []command, i int) string {
	switch commands[i].Code {
	case wire.CodeStaleRef:
		if last := commands[len(commands)-1]; last.Success && last.Selector == commands[i].Selector {
			return "a later command used the same ref with success"
		}
	case wire.CodeNotFound:
		if c.Kind != "navigating" && c.Kind != "replaced" && c.Spec.Hold != "absent" {
			return "the element was there all the time"
		}
	}
	return ""
}

func total(counts map[string]int) int {
	n := 0
	for _, count := range counts {
		n += count
	}
	return n
}

// presses is how often the window sees each kind of input when the action is done once.
func presses(act action, once map[string]int) map[string]int {
	if act.noElement {
		return nil
	}
	clicks := once["click"]
	return map[string]int{"pointerdown": clicks, "mousedown": clicks, "click": clicks, "keydown": once["keydown"]}
}

// strays is the input for an element beyond what the answer allows.
func strays(act action, cmd command, seen, once, spare map[string]int) string {
	most := map[string]int{}
	if cmd.Success || cmd.mayBeDone() {
		most = presses(act, once)
	}
	var said []string
	for _, what := range []string{"pointerdown", "mousedown", "click", "keydown"} {
		if what == "keydown" && once[what] == 0 {
			continue // a key that was meant for something else
		}
		if allowed := most[what] + spare["window "+what]; seen[what] > allowed {
			said = append(said, fmt.Sprintf("%d %s, want at most %d", seen[what], what, allowed))
		}
	}
	return strings.Join(said, ", ")
}

// changedDocument reports whether the page was between two documents while a command
// ran, when a key may reach neither.
func changedDocument(records []record, cmd command) bool {
	const around = 100
	return slices.ContainsFunc(records, func(r record) bool {
		return (r.Type == "leaves" || r.Type == "begins") && r.At > milliseconds(cmd.Start)-around && r.At < milliseconds(cmd.End)+around
	})
}
