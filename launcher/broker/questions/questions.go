// Package questions keeps what tasks ask a person until a person has answered.
//
// A task asks by waiting for the answer, again and again. A question that nobody waits for is
// forgotten, so the questions of tasks that were killed do not stay.
package questions

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
)

// waitTime is how long a question is kept that nobody waits for. An answer is kept as long, for
// tasks that ask again.
const waitTime = 30 * time.Second

// Desk keeps the questions.
type Desk struct {
	ended <-chan struct{}

	mu   sync.Mutex // guards the fields below
	last int
	all  []*question // the oldest first
}

// New returns a desk without questions. When the channel ended is closed, nobody waits any more. The
// channel may be nil.
func New(ended <-chan struct{}) *Desk { return &Desk{ended: ended} }

type question struct {
	verbs.Question
	answer  *verbs.Answer
	done    chan struct{} // closed with the answer
	waiting int           // how many requests wait
	seen    time.Time     // when a request waited last
}

// Ask asks a question, and waits for the answer until ctx ends. The answer is nil if there is none
// yet. With q.ID, it waits for the answer to a question that was asked before; if that is not known,
// it is asked again. A question with Login joins one for the same site. If a question
// was added, Ask calls asked before the wait.
func (d *Desk) Ask(ctx context.Context, q verbs.Question, asked func(verbs.Question)) (verbs.Question, *verbs.Answer) {
	one, isNew := d.join(q)
	if isNew {
		asked(one.Question)
	}
	select {
	case <-one.done:
	case <-ctx.Done():
	case <-d.ended:
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	one.waiting--
	one.seen = time.Now()
	return one.Question, one.answer
}

// join returns the question that q is about, or adds it.
func (d *Desk) join(q verbs.Question) (one *question, isNew bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dropLocked()
	for _, known := range d.all {
		sameLogin := q.Login && known.Login && known.Site == q.Site && known.answer == nil
		if known.ID == q.ID || q.ID == "" && sameLogin {
			one = known
			break
		}
	}
	if one == nil {
		d.last++
		q.ID, q.AskedAt, q.Sessions = "p"+strconv.Itoa(d.last), time.Now(), nil
		one, isNew = &question{Question: q, done: make(chan struct{})}, true
		d.all = append(d.all, one)
	}
	if !slices.Contains(one.Sessions, q.Session) {
		one.Sessions = append(slices.Clone(one.Sessions), q.Session)
	}
	one.waiting++
	return one, isNew
}

// dropLocked forgets the questions that nobody waits for.
func (d *Desk) dropLocked() {
	d.all = slices.DeleteFunc(d.all, func(q *question) bool { return q.waiting == 0 && time.Since(q.seen) > waitTime })
}

// Withdraw says that a session does not wait for the answer any more. A question that no session
// waits for is forgotten.
func (d *Desk) Withdraw(id, session string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all = slices.DeleteFunc(d.all, func(q *question) bool {
		if q.ID != id || q.answer != nil {
			return false
		}
		q.Sessions = slices.DeleteFunc(slices.Clone(q.Sessions), func(s string) bool { return s == session })
		return len(q.Sessions) == 0
	})
}

// Open returns the questions that have no answer, the oldest first.
func (d *Desk) Open() []verbs.Question {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dropLocked()
	open := []verbs.Question{}
	for _, q := range d.all {
		if q.answer == nil {
			open = append(open, q.Question)
		}
	}
	return open
}

// OfSession returns the text of a question that a session waits for, or "".
func (d *Desk) OfSession(session string) string {
	for _, q := range d.Open() {
		if slices.Contains(q.Sessions, session) {
			return q.Text
		}
	}
	return ""
}

// Answer answers a question, and reports whether it was open.
func (d *Desk) Answer(id string, a verbs.Answer) (verbs.Question, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, q := range d.all {
		if strings.EqualFold(q.ID, id) && q.answer == nil {
			q.answer, q.seen = &a, time.Now()
			close(q.done)
			return q.Question, true
		}
	}
	return verbs.Question{}, false
}
