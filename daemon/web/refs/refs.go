// Package refs numbers the elements of a session's pages. A snapshot shows the numbers as refs,
// such as e3. No number is used twice in a session.
package refs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// refBlock is how many numbers are reserved on disk at a time. Reserved numbers that a daemon
// has not used when it ends are skipped.
const refBlock = 1000

// Element is what a ref refers to: an element of a document, as long as it has this role and
// name. When the role or the name of an element changes, Playwright gives the element another
// PlaywrightRef. On each connection to the page, Playwright counts its refs from 1 again.
type Element struct {
	Target        string // the page
	Connection    string // identifies Playwright's connection: the Party of its [daemon.Endpoint]
	Document      string // the name of its frame's document
	PlaywrightRef string // Playwright's own ref
	Role          string
	Name          string
}

// Began returns when the element's document started. The document's name consists of the
// frame's name, "@" and that time.
func (e Element) Began() float64 {
	_, number, _ := strings.Cut(e.Document, "@")
	at, _ := strconv.ParseFloat(number, 64)
	return at
}

// Refs numbers elements. Each number is used once in a session, across all daemons of the
// session. An element keeps its number while its fields are the same.
type Refs struct {
	path string // of the file with the next free number

	mu       sync.Mutex // guards the fields below; held while a block is reserved
	next     int
	reserved int // numbers below this one are reserved on disk
	loaded   bool
	numbers  map[Element]int
	elements map[int]Element
}

// New returns the refs of a session. The file at path keeps the next free number for the session's
// next daemon.
func New(path string) *Refs {
	return &Refs{path: path, numbers: map[Element]int{}, elements: map[int]Element{}}
}

// Number returns the element's number. An element without a number gets a new one.
func (r *Refs) Number(e Element) (int, error) {
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

// Lookup returns the element with the given number. If the element was forgotten, or if an earlier
// daemon gave out the number, Lookup returns an error with the code [wire.CodeStaleRef].
func (r *Refs) Lookup(n int) (Element, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e, ok := r.elements[n]; ok {
		return e, nil
	}
	if err := r.loadLocked(); err != nil {
		return Element{}, err
	}
	if n < r.next {
		return Element{}, StaleError(n, "it is of an earlier page")
	}
	return Element{}, wire.Errorf(wire.CodeNotFound, "ref e%d not found in this session", n).WithHint(daemon.HintSnapshot)
}

// Forget removes elements of one page: those that belong to another connection, and those whose
// document is gone. The parameter target is the page's target id, connection identifies the present
// connection, and documents has the names of the page's present documents.
func (r *Refs) Forget(target, connection string, documents map[string]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for n, e := range r.elements {
		if e.Target == target && (e.Connection != connection || !documents[e.Document]) {
			delete(r.elements, n)
			delete(r.numbers, e)
		}
	}
}

// StaleError returns the error of a ref that no longer leads to its element. The parameter why is
// the reason.
func StaleError(n int, why string) error {
	return wire.Errorf(wire.CodeStaleRef, "the ref e%d is stale: %s", n, why).WithHint(daemon.HintSnapshot)
}

type refState struct {
	Next int `json:"next"`
}

func (r *Refs) loadLocked() error {
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
			return wire.Errorf(wire.CodeInternal, "%s is damaged; refs could be given out twice", r.path).WithHint("rm %s", wire.ShellWord(r.path))
		}
	}
	r.next, r.reserved, r.loaded = st.Next, st.Next, true
	return nil
}

// reserveLocked makes sure that the next number is reserved on disk. If it is not, reserveLocked
// reserves the next refBlock numbers.
func (r *Refs) reserveLocked() error {
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
