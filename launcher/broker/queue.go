package broker

import "sync"

// queue hands messages to the one goroutine that writes them. It is bounded in
// bytes: whoever does not read for so long is given up.
type queue struct {
	limit int
	wake  chan struct{} // one token: there is something to take, or it is closed

	mu     sync.Mutex // guards the fields below
	list   [][]byte
	bytes  int
	closed bool
}

func newQueue(limit int) *queue { return &queue{limit: limit, wake: make(chan struct{}, 1)} }

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
	q.signal()
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
	q.mu.Unlock()
}

// close ends the queue behind what is in it.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.signal()
	q.mu.Unlock()
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}
