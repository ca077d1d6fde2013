//go:build linux

package soak_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// action is a command whose effect a page can count. For a new command of the product, add a
// line to [actions], and its element to page.js.
type action struct {
	name string
	// command returns the arguments that perform the action on an element.
	command func(selector string, s step) []string
	// once returns how often each event type occurs when the step's action is done once.
	once func(s step) map[string]int
	// shows lists the event types whose value shows which step caused the event. owns reports
	// whether step s caused event r, which has one of these types. Events of other types are
	// assigned to steps by their time.
	shows []string
	owns  func(s step, r record) bool
	// token returns the text or key that a step enters. It differs from the token of any step whose
	// events could be mistaken for events of this step.
	token     func(r *rand.Rand, c spec, step int) string
	noElement bool // the command takes no selector, so it waits for nothing
	keeps     bool // once the action is done, the command succeeds without doing it again
}

const (
	levelElement = "element"
	levelWindow  = "window"
	levelBubble  = "bubble"
)

func actions() []action {
	exactly := func(counts map[string]int) func(step) map[string]int {
		return func(step) map[string]int { return counts }
	}
	on := func(verb string) func(string, step) []string {
		return func(selector string, s step) []string {
			if s.Token == "" {
				return []string{verb, selector}
			}
			return []string{verb, selector, s.Token}
		}
	}
	named := func(_ *rand.Rand, c spec, step int) string { return fmt.Sprintf("%sk%d", c.ID, step) }
	holds := func(s step, r record) bool { return r.Value == s.Token }
	key := func(_ *rand.Rand, c spec, step int) string { // differs for each command of a page
		return string(letters[c.Slot*mostSteps+step])
	}
	return []action{
		{name: "click", command: on("click"), once: exactly(map[string]int{"click": 1})},
		{name: "dblclick", command: on("dblclick"), once: exactly(map[string]int{"click": 2, "dblclick": 1})},
		{name: "fill", command: on("fill"), once: exactly(map[string]int{"input": 1}), token: named, shows: []string{"input"}, owns: holds},
		{
			name: "type", token: keys, shows: []string{"keydown"}, owns: func(s step, r record) bool { return strings.Contains(s.Token, r.Value) },
			once: func(s step) map[string]int { return map[string]int{"keydown": len(s.Token), "input": len(s.Token)} },
			command: func(selector string, s step) []string {
				return []string{"type", selector, s.Token, "--delay", strconv.Itoa(s.Delay)}
			},
		},
		{name: "select", command: on("select"), once: exactly(map[string]int{"input": 1, "change": 1}), token: named, shows: []string{"input", "change"}, owns: holds},
		{name: "check", command: on("check"), once: exactly(map[string]int{"click": 1, "change": 1}), keeps: true},
		{name: "submit", command: on("click"), once: exactly(map[string]int{"click": 1, "submit": 1, "request": 1})},
		{
			name: "enter", once: exactly(map[string]int{"keydown": 1}), noElement: true,
			command: func(string, step) []string { return []string{"press", "Enter"} },
		},
		{
			name: "press", once: exactly(map[string]int{"keydown": 1}), noElement: true, token: key, shows: []string{"keydown"}, owns: holds,
			command: func(_ string, s step) []string { return []string{"press", s.Token} },
		},
		{
			name: "eval", once: exactly(map[string]int{"eval": 1}), noElement: true, token: named, shows: []string{"eval"}, owns: holds,
			command: func(_ string, s step) []string {
				id, _, _ := strings.Cut(s.Token, "k")
				return []string{"eval", fmt.Sprintf("{ const end = Date.now() + %d; while (Date.now() < end); } soakNote('%s', '%s')", s.Delay, id, s.Token)}
			},
		},
	}
}

// keys returns a text for a step. The keys of a step may go to the element of a nearby case if
// that element still has the focus. So the letters of the text occur in no other step of the same
// case, and in no step of the two cases before and the two cases after it.
func keys(r *rand.Rand, c spec, step int) string {
	const each = 3
	first := (c.Slot%3*mostSteps + step) * each
	set := letters[first : first+each]
	text := make([]byte, 3+r.IntN(22))
	for i := range text {
		text[i] = set[r.IntN(each)]
	}
	return string(text)
}

// letters are the keys that commands press, one byte each.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// fits reports whether cases of a kind can use the action. An action without an element does not
// wait for one, and it acts on the main frame. So it fits only the kinds that do not need to wait
// for the element and whose element is in the main frame.
func (a action) fits(kind string) bool {
	switch kind {
	case "once", "busy", "navigating", "dialog":
		return true
	case "far":
		// submit would reload the far frame, with the deep frame in it.
		return !a.noElement && a.name != "submit"
	}
	return !a.noElement
}

func actionOf(name string) action {
	for _, a := range actions() {
		if a.name == name {
			return a
		}
	}
	panic("no action " + name)
}
