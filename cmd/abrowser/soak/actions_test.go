//go:build linux

package soak_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// action is a command whose effect a page can count. A new command of the product is a
// new line in [actions], and its element in page.js.
type action struct {
	name string
	// command returns the arguments that perform the action on an element.
	command func(selector string, s step) []string
	// once counts what the element sees when the action is done once.
	once func(s step) map[string]int
	// shows are the events that show what a step entered, by which owns tells them from
	// those of the other steps. Of all others only the time tells.
	shows []string
	owns  func(s step, r record) bool
	// token makes what a step enters, which differs from what the other steps enter.
	token     func(r *rand.Rand, c spec, step int) string
	noElement bool // it takes no selector, so it waits for nothing
	keeps     bool // done already, it succeeds without doing it again
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
	key := func(_ *rand.Rand, c spec, step int) string { // another for each command of a page
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

// keys is a text for a step, of letters that no other step of the case has, nor of the two
// cases before and after: what they type may go to an element that kept the keyboard.
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

// letters are the keys that are pressed, each of one character.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// fits reports whether an action shows anything with a kind of readiness: what takes no
// element waits for none, and what is pressed or evaluated is the main frame's.
func (a action) fits(kind string) bool {
	switch kind {
	case "once", "busy", "navigating", "dialog":
		return true
	case "far":
		return !a.noElement && a.name != "submit" // its frame would begin anew, with the frame in it
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
