package patches

import (
	"container/heap"
	"time"
)

// timer is a function that the Mux has to call at a given time.
type timer struct {
	at time.Time
	fn func()
}

// timers is a heap with the earliest timer first.
type timers []timer

func (t timers) Len() int           { return len(t) }
func (t timers) Less(i, j int) bool { return t[i].at.Before(t[j].at) }
func (t timers) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }

// Push implements [heap.Interface].
func (t *timers) Push(x any) { *t = append(*t, x.(timer)) }

// Pop implements [heap.Interface].
func (t *timers) Pop() any {
	old := *t
	last := old[len(old)-1]
	old[len(old)-1] = timer{}
	*t = old[:len(old)-1]
	return last
}

// after calls fn when the duration d has passed; see [Mux.Tick].
func (m *Mux) after(d time.Duration, fn func()) {
	heap.Push(&m.timers, timer{m.Clock().Add(d), fn})
}

// Next returns the time at which the caller has to call [Mux.Tick] next. ok is false if no timer is
// set.
func (m *Mux) Next() (at time.Time, ok bool) {
	if len(m.timers) == 0 {
		return time.Time{}, false
	}
	return m.timers[0].at, true
}

// Tick runs the timers that are due.
func (m *Mux) Tick() {
	now := m.Clock()
	for len(m.timers) > 0 && !m.timers[0].at.After(now) {
		heap.Pop(&m.timers).(timer).fn()
	}
}

// once returns a function that calls fn when it is called for the first time, and then never again.
func once(fn func()) func() {
	ran := false
	return func() {
		if !ran {
			ran = true
			fn()
		}
	}
}
