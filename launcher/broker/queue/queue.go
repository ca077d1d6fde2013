package broker

import "sync"

// queue hands messages to the one goroutine that writes them. It is bounded in
// bytes: whoever does not read for so long is given up.
type queue struct {
	limit int
	wake  chan struct{} // one token: there is something to take, or it is closed
	drain chan struct{} // one token: less is waiting than before, or it is closed

	mu     sync.Mutex // guards the fields below
	list   [][]byte
	bytes  int
	closed bool
}

func newQueue(limit int) *queue {
	return &queue{limit: limit, wake: make(chan struct{}, 1), drain: make(chan struct{}, 1)}
}

// put reports whether there was room. What is put behind the end is dropped.
func (q *queue) put(msg []byte) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return true
	}
	if q.bytes+len(msg) > q.limit && q.bytes > 0 {
		return false
	}
	q.list = append(q.list, msg)
	q.bytes += len(msg)
	nudge(q.wake)
	return true
}

// take waits for messages and returns all there are; false when there will be no
// more, or done is closed.
func (q *queue) take(done <-chan struct{}) ([][]byte, bool) {
	for {
		q.mu.Lock()
		list, closed := q.list, q.closed
		q.list = nil
		q.mu.Unlock()
		if len(list) > 0 {
			return list, true
		}
		if closed {
			return nil, false
		}
		select {
		case <-q.wake:
		case <-done:
			return nil, false
		}
	}
}

// wrote gives the room of a taken message back.
func (q *queue) wrote(n int) {
	q.mu.Lock()
	q.bytes -= n
	nudge(q.drain)
	q.mu.Unlock()
}

// lying is how many bytes wait.
func (q *queue) lying() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.bytes
}

// below waits until less than n bytes are waiting, the queue is closed, or done
// is. One goroutine calls it.
func (q *queue) below(n int, done <-chan struct{}) {
	for {
		q.mu.Lock()
		calm := q.bytes < n || q.closed
		q.mu.Unlock()
		if calm {
			return
		}
		select {
		case <-q.drain:
		case <-done:
			return
		}
	}
}

// close ends the queue behind what is in it.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	nudge(q.wake)
	nudge(q.drain)
	q.mu.Unlock()
}

// nudge leaves a token, where there is none yet.
func nudge(token chan<- struct{}) {
	select {
	case token <- struct{}{}:
	default:
	}
}
