package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// refBlock is how many numbers are reserved on disk at a time. Reserved numbers that a daemon
// has not used when it ends are skipped.
const refBlock = 1000

// element is what a ref refers to: an element of a document, as long as it has this role and
// name. When the role or the name of an element changes, Playwright gives the element another
// pwRef. On each connection to the page, Playwright counts its refs from 1 again.
type element struct {
	target     string // the page
	connection string // identifies Playwright's connection: the Party of its [daemon.Endpoint]
	document   string // the name of its frame's document
	pwRef      string // Playwright's own ref
	role       string
	name       string
}

// refs numbers elements. Each number is used once in a session, across all daemons of the
// session. An element keeps its number while its fields are the same.
type refs struct {
	path string // of the file with the next free number

	mu       sync.Mutex // guards the fields below; held while a block is reserved
	next     int
	reserved int // numbers below this one are reserved on disk
	loaded   bool
	numbers  map[element]int
	elements map[int]element
}

func newRefs(path string) *refs {
	return &refs{path: path, numbers: map[element]int{}, elements: map[int]element{}}
}

// number returns the element's number. An element without a number gets a new one.
func (r *refs) number(e element) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n, ok := r.numbers[e]; ok {
		return n, nil
	}
	if err := r.reserveLocked(); err != nil {
		return 0, err
	}
	n := r.next
	r.next++
	r.numbers[e], r.elements[n] = n, e
	return n, nil
}

// lookup returns the element with the given number. If the element was forgotten, or if an earlier
// daemon gave out the number, lookup returns an error with the code [wire.CodeStaleRef].
func (r *refs) lookup(n int) (element, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e, ok := r.elements[n]; ok {
		return e, nil
	}
	if err := r.loadLocked(); err != nil {
		return element{}, err
	}
	if n < r.next {
		return element{}, staleError(n, "it is of an earlier page")
	}
	return element{}, wire.Errorf(wire.CodeNotFound, "ref e%d not found in this session", n).WithHint(daemon.HintSnapshot)
}

// forget removes elements of one page: those that belong to another connection, and those whose
// document is gone. The parameter target is the page's target id, connection identifies the present
// connection, and documents has the names of the page's present documents.
func (r *refs) forget(target, connection string, documents map[string]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for n, e := range r.elements {
		if e.target == target && (e.connection != connection || !documents[e.document]) {
			delete(r.elements, n)
			delete(r.numbers, e)
		}
	}
}

func staleError(n int, why string) error {
	return wire.Errorf(wire.CodeStaleRef, "the ref e%d is stale: %s", n, why).WithHint(daemon.HintSnapshot)
}

type refState struct {
	Next int `json:"next"`
}

func (r *refs) loadLocked() error {
	if r.loaded {
		return nil
	}
	st := refState{Next: 1}
	raw, err := os.ReadFile(r.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("reading %s: %w", r.path, err)
	default:
		if err := json.Unmarshal(raw, &st); err != nil || st.Next < 1 {
			return wire.Errorf(wire.CodeInternal, "%s is damaged; refs could be given out twice", r.path).WithHint("rm %s", r.path)
		}
	}
	r.next, r.reserved, r.loaded = st.Next, st.Next, true
	return nil
}

// reserveLocked makes sure that the next number is reserved on disk. If it is not, reserveLocked
// reserves the next refBlock numbers.
func (r *refs) reserveLocked() error {
	if err := r.loadLocked(); err != nil {
		return err
	}
	if r.next < r.reserved {
		return nil
	}
	raw, err := json.Marshal(refState{Next: r.next + refBlock})
	if err != nil {
		return err
	}
	if err := home.WriteFile(r.path, raw); err != nil {
		return err
	}
	r.reserved = r.next + refBlock
	return nil
}
