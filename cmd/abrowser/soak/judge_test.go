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

// command is a step that was run, with its answer.
type command struct {
	Step       step
	Args       []string
	Selector   string // selector or ref of the element
	Start, End time.Time
	Timeout    time.Duration
	Success    bool
	Code       wire.Code // why the command failed
	Error      string
	Killed     string // the signal that the test sent to the command's process, or empty
	Answered   bool
	Result     e2e.Result
}

// outcome returns the answer as the table counts it: success, an error code or no answer.
func (c command) outcome() string {
	switch {
	case !c.Answered:
		return "no answer"
	case c.Success:
		return "success"
	}
	return string(c.Code)
}

// mayBeDone reports whether the answer leaves open whether the command had an effect.
func (c command) mayBeDone() bool { return !c.Answered || c.Code == wire.CodeResultUnknown }

// The classes of contradiction between an answer and what the page counted.
const (
	wrongDouble  = "double"  // success or result_unknown, and more than one effect
	wrongMissing = "missing" // success, and no effect
	wrongPartial = "partial" // success, and a part of the effect is missing
	wrongDone    = "done"    // failure, and an effect that came before the answer, at least in part
	wrongLate    = "late"    // failure, and an effect that came after the answer
	wrongOrder   = "order"   // keys in a wrong order
	wrongStray   = "stray"   // the right effects, and further input for the element
	wrongReason  = "reason"  // failure, and the error's reason contradicts the records
)

func classes() []string {
	return []string{wrongDouble, wrongMissing, wrongPartial, wrongDone, wrongLate, wrongOrder, wrongStray, wrongReason}
}

// finding is one contradiction between a command's answer and what happened.
type finding struct {
	Class   string
	Command int
	Text    string
}

// verdict is the result of judge for one case.
type verdict struct {
	Findings  []finding
	Elsewhere []string // input that other elements got instead of the case's element
	Blocked   []string // input for the element that did not reach it, because the element had moved
	Ready     float64  // when the element became ready, in milliseconds since 1970; 0 if it did not
	Unknown   bool     // a command's result is unknown; commands that set GivenUp do not count
	GivenUp   bool     // a type command's timeout ended after some keys, so its result is unknown
}

// clockError is how much the clocks of a page and of the test may differ, in milliseconds.
const clockError = 2

// judge compares the answers of a case's commands with what the case's page recorded. The slice
// records has all records of the page, ordered by time. The time end is when the next case of the
// page began. For the last case, end is later than all records.
func judge(c *plannedCase, commands []command, end time.Time, records []record) verdict {
	var v verdict
	act := actionOf(c.Spec.Action)
	done := false             // an earlier command had an effect
	spare := map[string]int{} // effects that an earlier command may still have
	for _, r := range records {
		if r.Type == "ready" && r.On == c.Spec.ID {
			v.Ready = r.At
		}
	}
	for i, cmd := range commands {
		own := recordsOf(c, act, commands, i, end, records)
		counts, window, reachedIt, late := map[string]int{}, map[string]int{}, map[string]int{}, 0
		keys, bubbled := "", map[string]bool{}
		once := act.once(cmd.Step)
		if act.name == "enter" && (reached(own, c.Spec.ID) || cmd.mayBeDone()) {
			// The key submits the form if the element has the focus.
			once = map[string]int{"keydown": 1, "submit": 1, "request": 1}
		}
		for _, r := range own {
			switch {
			// Other events do not count, such as the change event of a field that loses the focus.
			case once[r.Type] > 0 && r.counts(c, act):
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
			delete(once, "request") // the page's own navigation has replaced that of the form
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
			case seen != "" && c.moves(): // the input met another element at the old place
				v.Blocked = append(v.Blocked, fmt.Sprintf("command %d (%s): %s", i, cmd.outcome(), seen))
			case seen != "":
				found(wrongStray, "%s, and the element's window saw %s, kept from the element", cmd.outcome(), seen)
			}
		}
		if reason := falseReason(c, commands, i, records); reason != "" {
			found(wrongReason, "%s, and %s", cmd.Code, reason)
		}
		switch {
		case !cmd.mayBeDone():
		case act.name == "type" && any > 0 && cmd.End.Sub(cmd.Start) >= cmd.Timeout:
			v.GivenUp = true
		default:
			v.Unknown = true
		}
		if cmd.mayBeDone() { // an effect that this command has later is not blamed on a later command
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

// moves reports whether the element can move, or be replaced by another node, before input for it
// arrives. The product cannot prevent that, but it must ensure that the node at the old place does
// not get the input.
func (c *plannedCase) moves() bool {
	return slices.Contains([]string{"css", "raf", "interval", "replaced"}, c.Spec.Hold)
}

// counts reports whether the record is an effect of the case's action.
func (r record) counts(c *plannedCase, act action) bool {
	if act.noElement && r.Type == "keydown" {
		return r.Level == levelWindow && r.Trusted && (act.name != "enter" || r.Value == "Enter")
	}
	return r.On == c.Spec.ID && r.Level == levelElement
}

func isPress(kind string) bool {
	return slices.Contains([]string{"pointerdown", "mousedown", "click", "keydown"}, kind)
}

// recordsOf returns the records that belong to command i. If a record shows what was entered, it
// belongs to the command that entered this. Any other record belongs to the last command that began
// before the record. A record that is not about the case's element belongs to a command only if it
// is earlier than caseEnd.
func recordsOf(c *plannedCase, act action, commands []command, i int, caseEnd time.Time, records []record) []record {
	from, to := milliseconds(commands[i].Start)-clockError, math.Inf(1)
	if i+1 < len(commands) {
		to = milliseconds(commands[i+1].Start) - clockError
	}
	var own []record
	for _, r := range records {
		mine := r.On == c.Spec.ID || act.noElement && r.At < milliseconds(caseEnd)
		switch {
		case r.At < from:
		case mine && slices.Contains(act.shows, r.Type):
			if act.owns(commands[i].Step, r) {
				own = append(own, r)
			}
		case r.At >= to, r.At >= milliseconds(caseEnd) && (r.On != c.Spec.ID || act.name == "type" && r.Type == "input"):
			// The record does not belong to this command. The last condition is for type: if the
			// element of this case keeps the focus, it also gets the text that the next case types.
		default:
			own = append(own, r)
		}
	}
	return own
}

// reached reports whether a keydown event reached the element of the case with the given id.
func reached(records []record, id string) bool {
	return slices.ContainsFunc(records, func(r record) bool { return r.Type == "keydown" && r.On == id && r.Level == levelElement })
}

// leavesAfterSubmit reports whether the page itself navigates after the form is submitted.
func leavesAfterSubmit(records []record, id string) bool {
	submitted := slices.IndexFunc(records, func(r record) bool { return r.Type == "submit" && r.On == id })
	return submitted >= 0 && slices.ContainsFunc(records[submitted:], func(r record) bool { return r.Type == "leaves" && r.On == id })
}

// isOver reports whether, for any event type, the number in the map counts is greater than the sum
// of the numbers in the maps once and spare.
func isOver(counts, once, spare map[string]int) bool {
	for what, n := range counts {
		if n > once[what]+spare[what] {
			return true
		}
	}
	return false
}

// isPartOf reports whether the characters of keys occur in text in the same order. There may be
// others between them in text, because a page that replaces its document can miss some keys.
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

// falseReason returns why the error of command i is wrong, or an empty string if nothing
// contradicts it.
func falseReason(c *plannedCase, commands []command, i int, records []record) string {
	cmd := commands[i]
	switch cmd.Code {
	case wire.CodeStaleRef:
		if last := commands[len(commands)-1]; last.Success && last.Selector == cmd.Selector {
			return "a later command used the same ref with success"
		}
	case wire.CodeNotFound:
		if c.Kind != "navigating" && c.Kind != "replaced" && c.Spec.Hold != "absent" {
			return "the element was there all the time"
		}
	}
	if !strings.Contains(cmd.Error, "the page has not changed for") {
		return ""
	}
	if cmd.Step.hasTimeout() {
		return "the command had a timeout, and did not wait for it"
	}
	if took := cmd.End.Sub(cmd.Start); took < stillTime {
		return fmt.Sprintf("the command gave up after %v", took)
	}
	// The answer comes up to mostLag after the command has given up.
	from, to := milliseconds(cmd.End)-float64(stillTime.Milliseconds()), milliseconds(cmd.End.Add(-mostLag))
	for _, r := range records {
		if r.At > from+clockError && r.At < to && r.On == c.Spec.ID && c.changesPage(r) {
			return fmt.Sprintf("the page changed %.0f ms before the answer: %s", milliseconds(cmd.End)-r.At, r.Type)
		}
	}
	return ""
}

// changesPage reports whether the record shows a change of the page for which the product waits. A
// "ready" record shows no such change if an endless animation kept the element from being ready, or
// if the element was ready from the beginning.
func (c *plannedCase) changesPage(r record) bool {
	switch r.Type {
	case "armed", "leaves":
		return true
	case "ready":
		return c.Spec.Hold != "css" && c.Spec.Hold != "once"
	}
	return false
}

func total(counts map[string]int) int {
	n := 0
	for _, count := range counts {
		n += count
	}
	return n
}

// presses returns how often the window gets each type of input event when the action is done once.
func presses(act action, once map[string]int) map[string]int {
	if act.noElement {
		return nil
	}
	clicks := once["click"]
	return map[string]int{"pointerdown": clicks, "mousedown": clicks, "click": clicks, "keydown": once["keydown"]}
}

// strays describes the input events that exceed what the command's answer allows. The map seen has
// the number of events of each type. If no number is too high, strays returns an empty string.
func strays(act action, cmd command, seen, once, spare map[string]int) string {
	most := map[string]int{}
	if cmd.Success || cmd.mayBeDone() {
		most = presses(act, once)
	}
	var said []string
	for _, what := range []string{"pointerdown", "mousedown", "click", "keydown"} {
		if what == "keydown" && once[what] == 0 {
			continue // the action presses no key, so another action has pressed it
		}
		if allowed := most[what] + spare["window "+what]; seen[what] > allowed {
			said = append(said, fmt.Sprintf("%d %s, want at most %d", seen[what], what, allowed))
		}
	}
	return strings.Join(said, ", ")
}

// changedDocument reports whether the page changed its document while the command ran, or up to
// 100 ms before or after that. If a key is pressed during the change, it may reach neither the old
// nor the new document.
func changedDocument(records []record, cmd command) bool {
	const around = 100
	return slices.ContainsFunc(records, func(r record) bool {
		return (r.Type == "leaves" || r.Type == "begins") && r.At > milliseconds(cmd.Start)-around && r.At < milliseconds(cmd.End)+around
	})
}
