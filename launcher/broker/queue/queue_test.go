package queue

import (
	"testing"
	"time"
)

func TestQueue(t *testing.T) {
	q := New(10)
	if !q.Put(make([]byte, 20)) {
		t.Error("an empty queue refuses a message larger than its limit")
	}
	if q.Put(make([]byte, 1)) {
		t.Error("a full queue accepts a message")
	}
	list, ok := q.Take(nil)
	if !ok || len(list) != 1 {
		t.Fatalf("Take() = %d messages, %v", len(list), ok)
	}
	if q.Put(make([]byte, 1)) {
		t.Error("there is room before the message is written")
	}
	q.Written(20)
	if !q.Put(make([]byte, 10)) {
		t.Error("there is no room after the message was written")
	}
	below := make(chan struct{})
	go func() { q.AwaitBelow(10, nil); close(below) }()
	select {
	case <-below:
		t.Error("AwaitBelow(10) returns with 10 bytes waiting")
	case <-time.After(10 * time.Millisecond):
	}
	q.Written(1)
	<-below
	q.Written(-1)
	q.Close()
	q.AwaitBelow(1, nil)
	if !q.Put(make([]byte, 100)) {
		t.Error("a closed queue reports that it is full; it should drop the message")
	}
	if list, ok := q.Take(nil); !ok || len(list) != 1 {
		t.Errorf("Take() = %d messages, %v; want the one put before Close", len(list), ok)
	}
	if _, ok := q.Take(nil); ok {
		t.Error("Take() returns a message that was put after Close")
	}
}
