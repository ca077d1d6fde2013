package patches

import (
	"container/heap"
	"time"
)

type timer struct {
	at time.Time
	do func()
}

// timers is a heap, the earliest first.
type timers []timer

func (t timers) Len() int           { return len(t) }
func (t timers) Less(i, j int) bool { return t[i].at.Before(t[j].at) }
func (t timers) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }

// Push is for container/heap.
func (t *timers) Push(x any) { *t = append(*t, x.(timer)) }

// Pop is for container/heap.
func (t *timers) Pop() any {
	old := *t
	last := old[len(old)-1]
	old[len(old)-1] = timer{}
	*t = old[:len(old)-1]
	return last
}

func (m *Mux) after(d time.Duration, do func()) {
	heap.Push(&m.timers, timer{m.Clock().Add(d), do})
}

// Next returns when [Board.Tick] is due, and whether it ever is.
func (m *Mux) Next() (time.Time, bool) {
	if len(m.timers) == 0 {
		return time.Time{}, false
	}
	return m.timers[0].at, true
}

// Tick does what is due.
func (m *Mux) Tick() {
	now := m.Clock()
	for len(m.timers) > 0 && !m.timers[0].at.After(now) {
		heap.Pop(&m.timers).(timer).do()
	}
}

func once(do func()) func() {
	ran := false
	return func() {
		if !ran {
			ran = true
			do()
		}
	}
}
