package web

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// pendingPrompt is a page's request that a person is to decide.
type pendingPrompt struct {
	record wire.Record
	asked  promptRequest
	answer chan struct{} // closed when allow is set
	allow  bool
	until  time.Time
}

// askPerson notes a question for a person, and has the page wait for the answer.
func (a *prompts) askPerson(r wire.Record, q promptRequest) decision {
	a.mu.Lock()
	defer a.mu.Unlock()
	for id, one := range a.pending {
		if time.Now().After(one.until) {
			delete(a.pending, id)
		}
	}
	if len(a.pending) >= maxPending {
		return decision{Do: doDeny}
	}
	a.last++
	id := fmt.Sprintf("q%d", a.last)
	r.Handled = daemon.HandledAsked
	r.Hint = "abrowser policy answer " + id + " allow (or deny)"
	a.pending[id] = &pendingPrompt{record: r, asked: q, answer: make(chan struct{}), until: time.Now().Add(personTime)}
	a.notices.Add(r)
	return decision{Wait: id}
}

// awaitPerson waits for a person's answer, for as long as one question of the page's
// may take, or until gone is closed.
func (a *prompts) awaitPerson(gone <-chan struct{}, id string) decision {
	a.mu.Lock()
	one := a.pending[id]
	a.mu.Unlock()
	if one == nil || time.Now().After(one.until) {
		return decision{Do: doDeny}
	}
	timer := time.NewTimer(waitSlice)
	defer timer.Stop()
	select {
	case <-one.answer:
	case <-timer.C:
		return decision{Wait: id}
	case <-gone:
		return decision{Do: doDeny}
	}
	a.mu.Lock()
	delete(a.pending, id)
	a.mu.Unlock()
	if !one.allow {
		return decision{Do: doDeny}
	}
	return a.grant(one.asked)
}

// answer is a person's answer to a question.
func (a *prompts) answer(id string, allow bool) error {
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

// pendingQuestions lists the questions that wait for a person, the oldest first.
func (a *prompts) pendingQuestions() []verbs.PendingQuestion {
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
