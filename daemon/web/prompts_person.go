package daemon

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// question is a page's request that a person is to decide.
type question struct {
	record wire.Record
	asked  asked
	answer chan struct{} // closed when allow is set
	allow  bool
	until  time.Time
}

// askPerson notes a question for a person, and has the page wait for the answer.
func (a *asks) askPerson(r wire.Record, q asked) verdict {
	a.mu.Lock()
	defer a.mu.Unlock()
	for id, one := range a.pending {
		if time.Now().After(one.until) {
			delete(a.pending, id)
		}
	}
	if len(a.pending) >= mostPending {
		return verdict{Do: doDeny}
	}
	a.last++
	id := fmt.Sprintf("q%d", a.last)
	r.Handled = handledAsked
	r.Hint = "abrowser policy answer " + id + " allow (or deny)"
	a.pending[id] = &question{record: r, asked: q, answer: make(chan struct{}), until: time.Now().Add(humanTime)}
	a.news.add(r)
	return verdict{Wait: id}
}

// awaitPerson waits for a person's answer, for as long as one question of the page's
// may take, or until gone is closed.
func (a *asks) awaitPerson(gone <-chan struct{}, id string) verdict {
	a.mu.Lock()
	one := a.pending[id]
	a.mu.Unlock()
	if one == nil || time.Now().After(one.until) {
		return verdict{Do: doDeny}
	}
	timer := time.NewTimer(askSlice)
	defer timer.Stop()
	select {
	case <-one.answer:
	case <-timer.C:
		return verdict{Wait: id}
	case <-gone:
		return verdict{Do: doDeny}
	}
	a.mu.Lock()
	delete(a.pending, id)
	a.mu.Unlock()
	if !one.allow {
		return verdict{Do: doDeny}
	}
	return a.grant(one.asked)
}

// reply is a person's answer to a question.
func (a *asks) reply(id string, allow bool) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	one := a.pending[id]
	if one == nil || time.Now().After(one.until) {
		return wire.Errorf(wire.CodeNotFound, "no question %s waits for a person", id).WithHint("abrowser policy status")
	}
	select {
	case <-one.answer:
		return wire.Errorf(wire.CodeNotFound, "the question %s has been answered", id).WithHint("abrowser policy status")
	default:
	}
	one.allow = allow
	close(one.answer)
	return nil
}

// waiting lists the questions that wait for a person, the oldest first.
func (a *asks) waiting() []verbs.PendingQuestion {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all []verbs.PendingQuestion
	for id, one := range a.pending {
		select {
		case <-one.answer:
			continue
		default:
		}
		if r := one.record; time.Now().Before(one.until) {
			all = append(all, verbs.PendingQuestion{ID: id, Kind: r.Kind, Name: r.Name, Message: r.Message, Origin: r.Origin})
		}
	}
	slices.SortFunc(all, func(x, y verbs.PendingQuestion) int {
		return cmp.Or(cmp.Compare(len(x.ID), len(y.ID)), strings.Compare(x.ID, y.ID))
	})
	return all
}
