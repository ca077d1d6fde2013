//go:build linux

package soak_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// constants returns the durations, in milliseconds, after which the product itself does something.
// They are time slices, polling intervals and grace times in the packages daemon, launcher/driver
// and patches.
func constants() []int { return []int{20, 50, 100, 200, 250, 500, 1000, 2000, 3000, 4000} }

// spec is the part of a case that the page needs; page.js reads it. All times are in milliseconds.
// Ready, SpinAt and Alert count from the moment at which the case begins. At the time Ready, the
// page makes the element ready. If Nav is set, the page instead reloads itself or assigns its
// location at that time, and the element is ready in the new document.
type spec struct {
	ID      string   `json:"id"`
	Slot    int      `json:"slot"`
	Action  string   `json:"action"`
	Hold    string   `json:"hold"`               // what keeps the element from being ready
	Ready   int      `json:"ready"`              // when the element becomes ready
	Every   int      `json:"every,omitempty"`    // between two moves or replacements of the element
	Shadow  bool     `json:"shadow,omitempty"`   // the element is in a shadow root
	Spin    int      `json:"spin,omitempty"`     // how long the page runs a busy loop
	SpinAt  int      `json:"spinAt,omitempty"`   // when the busy loop begins
	Alert   int      `json:"alert,omitempty"`    // when the page opens a dialog
	Nav     string   `json:"navigate,omitempty"` // reload or assign
	Delay   int      `json:"delay,omitempty"`    // how long the server delays the document of assign
	Options []string `json:"options,omitempty"`
}

// step is one command of a case. Its times are in milliseconds.
type step struct {
	// If IsLong is false, the command's timeout ends Edge after the element becomes ready. If Edge
	// is negative, the timeout ends before that moment. The timeout is at least Least. If IsLong
	// is true, the timeout is Long, where 0 means that the command has no timeout: see stillTime.
	Edge, Least int
	IsLong      bool
	Long        int
	Token       string // what the command enters, if it enters anything
	Delay       int    // the time between two keys of a type command
	Full        bool   // run by the full program instead of the thin command line
}

// plannedCase is one element and the commands for it.
type plannedCase struct {
	Spec  spec
	Kind  string
	Role  string
	First bool // the case begins when its page has loaded
	Steps []step
}

// plannedPage is a document with its cases. The elements of a framed page are in its frames.
type plannedPage struct {
	Name   string
	Framed bool
	Cases  []*plannedCase
}

// kinds returns the ways in which an element becomes ready.
func kinds() []string {
	return []string{"once", "covered", "disabled", "hidden", "css", "raf", "interval", "replaced", "shadow", "busy", "navigating", "dialog", "far", "deep"}
}

const (
	casesPerPage = 10
	mostSteps    = 6
)

// planner plans the pages of one session. The same seed gives the same pages.
type planner struct {
	r       *rand.Rand
	session int
	page    int
	kinds   []string
	actions []action
}

func newPlanner(seed uint64, session int, only string) *planner {
	p := &planner{r: rand.New(rand.NewPCG(seed, uint64(session))), session: session, kinds: kinds(), actions: actions()}
	words := strings.Split(only, ",")
	named := func(name string) bool { return slices.Contains(words, name) }
	if slices.ContainsFunc(p.kinds, named) {
		p.kinds = slices.DeleteFunc(p.kinds, func(k string) bool { return !named(k) })
	}
	if slices.ContainsFunc(p.actions, func(a action) bool { return named(a.name) }) {
		p.actions = slices.DeleteFunc(p.actions, func(a action) bool { return !named(a.name) })
	}
	return p
}

// next plans a page.
func (p *planner) next() plannedPage {
	p.page++
	page := plannedPage{Name: fmt.Sprintf("s%dp%d", p.session, p.page)}
	isFramed := func(kind string) bool { return kind == "far" || kind == "deep" }
	for i := range casesPerPage {
		kind := p.kinds[p.r.IntN(len(p.kinds))]
		if i == 0 {
			page.Framed = isFramed(kind)
		}
		for tries := 0; isFramed(kind) != page.Framed && tries < 100; tries++ {
			kind = p.kinds[p.r.IntN(len(p.kinds))]
		}
		if isFramed(kind) != page.Framed {
			break
		}
		page.Cases = append(page.Cases, p.newCase(fmt.Sprintf("%sc%d", page.Name, i), i, kind))
	}
	return page
}

func (p *planner) newCase(id string, slot int, kind string) *plannedCase {
	fitting := slices.DeleteFunc(slices.Clone(p.actions), func(a action) bool { return !a.fits(kind) })
	if len(fitting) == 0 { // no chosen action fits: take any of them
		fitting = p.actions
	}
	act := fitting[p.r.IntN(len(fitting))]
	c := &plannedCase{Kind: kind, Role: roleTop, Spec: spec{ID: id, Slot: slot, Action: act.name, Every: 10 + p.r.IntN(50)}}
	c.First = slot == 0 && kind != "far" && kind != "deep" && p.r.IntN(2) == 0
	c.Spec.Ready = p.moment(c.First)
	static := []string{"covered", "disabled", "hidden"}
	if act.noElement {
		static = []string{"once"}
	}
	c.Spec.Hold = static[p.r.IntN(len(static))]
	switch kind {
	case "once", "covered", "disabled", "hidden", "css", "raf", "interval", "replaced":
		c.Spec.Hold = kind
		if kind == "once" {
			c.Spec.Ready = 0
		}
	case "shadow":
		c.Spec.Shadow = true
	case "far", "deep":
		c.Role, c.Spec.Hold = kind, []string{"covered", "disabled", "once", "css"}[p.r.IntN(4)]
	case "busy":
		c.Spec.Spin, c.Spec.SpinAt = 30+p.r.IntN(700), max(0, c.Spec.Ready-p.r.IntN(600))
		if p.r.IntN(3) == 0 {
			c.Spec.Hold = "once"
		}
	case "navigating":
		c.Spec.Nav = []string{"reload", "assign"}[p.r.IntN(2)]
		c.Spec.Hold = []string{"absent", "disabled", "covered", "once"}[p.r.IntN(4)]
		if act.noElement {
			c.Spec.Hold = "once"
		}
		if p.r.IntN(2) == 0 {
			c.Spec.Delay = p.r.IntN(300)
		}
	case "dialog":
		c.Spec.Alert = 1 + p.r.IntN(c.Spec.Ready+200)
	}
	p.addSteps(c, act)
	return c
}

// moment returns when an element becomes ready, in milliseconds after the case begins. About half
// of these times are random. The other half is near a constant, or near a sum or a multiple of
// constants: at most 60 ms before it and 260 ms after it. Few times are later than 1.8 s. If the
// case begins with the load of its page, the time is 120 to 260 ms after a constant, sum or
// multiple.
func (p *planner) moment(afterLoad bool) int {
	all := constants()
	constant := all[p.r.IntN(len(all))]
	switch p.r.IntN(3) {
	case 0:
		constant *= 1 + p.r.IntN(4)
	case 1:
		constant += all[p.r.IntN(len(all))]
	}
	most := 1500
	if p.r.IntN(10) == 0 {
		most = 4300
	}
	switch n := p.r.IntN(10); {
	case afterLoad:
		return min(constant, most) + 120 + p.r.IntN(140)
	case n < 2:
		return p.r.IntN(300)
	case n < 5 || constant > most:
		return p.r.IntN(most)
	default:
		return max(0, constant-60+p.r.IntN(320))
	}
}

// addSteps plans the commands of a case. Some cases begin with commands whose timeouts end around
// the moment at which the element becomes ready. Some other cases begin with commands that have
// short timeouts, from 20 to 299 ms. The last command of every case, which can be the only one,
// has plenty of time. It has no timeout only if the element becomes ready so early that the product
// waits for it even if the page does not change.
func (p *planner) addSteps(c *plannedCase, act action) {
	switch n := p.r.IntN(10); {
	case n < 5:
		edges := []int{-p.r.IntN(51), p.r.IntN(21) - 10, p.r.IntN(61), 60 + p.r.IntN(200)}
		for _, edge := range edges[:1+p.r.IntN(len(edges))] {
			c.Steps = append(c.Steps, step{Edge: edge, Least: 10 + p.r.IntN(90)})
		}
	case n < 7:
		for range 1 + p.r.IntN(mostSteps-1) {
			c.Steps = append(c.Steps, step{IsLong: true, Long: 20 + p.r.IntN(280)})
		}
	}
	last := step{IsLong: true, Long: []int{6000, 8000, 10000, 0}[p.r.IntN(4)]}
	if early := int((stillTime - time.Second).Milliseconds()); last.Long == 0 && c.Spec.Ready > early {
		last.Long = 6000
	}
	if last.Long > 0 {
		last.Long += c.Spec.Ready
	}
	if act.name == "type" {
		last.Long = 20000
	}
	c.Steps = append(c.Steps, last)
	for i := range c.Steps {
		s := &c.Steps[i]
		s.Full = p.r.IntN(4) == 0
		if act.token != nil {
			s.Token = act.token(p.r, c.Spec, i)
			c.Spec.Options = append(c.Spec.Options, s.Token)
		}
		if act.name == "type" && p.r.IntN(3) == 0 {
			s.Delay = 1 + p.r.IntN(20)
		}
	}
	if act.name != "select" {
		c.Spec.Options = nil
	}
}

// hasTimeout reports whether the command has a timeout.
func (s step) hasTimeout() bool { return !s.IsLong || s.Long > 0 }

// timeout returns the step's timeout in milliseconds from now, if the element becomes ready at the
// given time. The result 0 means that the command has no timeout.
func (s step) timeout(ready time.Time) int {
	if s.IsLong {
		return s.Long
	}
	return max(s.Least, int(time.Until(ready).Milliseconds())+s.Edge)
}

// shortTime is the default of -soak.for, which CI uses.
const shortTime = 25 * time.Second
