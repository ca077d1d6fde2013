//go:build linux

package soak_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
)

// A page counts each click once, even if the page navigates in the middle of the click event,
// submits a form, or is busy. This is a control experiment: the test clicks over a CDP connection
// of its own, without the product, so it knows the exact number of clicks.
func TestCounterLosesNothing(t *testing.T) {
	h := e2e.NewHome(t)
	s := startSite(t)
	person := e2e.NewPerson(t, h, "")
	const rounds = 12
	tab := person.Open(s.url("control", false, nil))
	clicked := map[string]int{}
	for i := range rounds {
		c := &plannedCase{Kind: "once", Role: roleTop, Spec: spec{ID: fmt.Sprintf("c%d", i), Slot: i, Hold: "once", Action: "click"}}
		if i%3 == 1 {
			c.Spec.Action = "submit"
		}
		if _, ok := s.arm(roleTop, c, 20*time.Second); !ok {
			t.Fatalf("the page does not begin case %d", i)
		}
		s.await(20*time.Second, func() bool { _, ok := s.find("ready", c.Spec.ID); return ok })
		for range 1 + i%2 {
			switch i % 3 {
			case 0: // the document is unloaded before it can send a report
				person.Eval(tab, "addEventListener('click', () => location.reload())")
			case 2:
				person.Eval(tab, "addEventListener('click', () => { for (const end = Date.now() + 300; Date.now() < end; ); })")
			}
			before := s.begun()
			person.Click(tab, 5+45+25+float64(i%5)*150, 5+30+12+float64(i/5)*90)
			clicked[c.Spec.ID]++
			if leaves := i%3 != 2; leaves && !e2e.Await(20*time.Second, func() bool { return s.begun() > before }) {
				t.Fatalf("the page does not go elsewhere after a click on case %d", i)
			}
		}
	}
	if !s.flush("control", []string{roleTop}, 20*time.Second) {
		t.Error("the page has not reported everything")
	}
	counted, requests := map[string]int{}, map[string]int{}
	for _, r := range s.take() {
		switch {
		case r.Type == "click" && r.Level == levelElement && r.Trusted:
			counted[r.On]++
		case r.Type == "request":
			requests[r.On]++
		}
	}
	for i := range rounds {
		id := fmt.Sprintf("c%d", i)
		if counted[id] != clicked[id] {
			t.Errorf("%s was clicked %d times, and the page counted %d", id, clicked[id], counted[id])
		}
		if i%3 == 1 && requests[id] != clicked[id] {
			t.Errorf("the form %s was sent %d times, and the server counted %d", id, clicked[id], requests[id])
		}
	}
}

// begun returns how many documents have reported that they have begun.
func (s *site) begun() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, r := range s.records {
		if r.Type == "begins" {
			n++
		}
	}
	return n
}
