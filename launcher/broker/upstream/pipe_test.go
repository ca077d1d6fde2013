package broker

import (
	"bufio"
	"context"
	"os"
	"slices"
	"testing"
	"time"
)

// TestPipeAfterAHalfMessage is a broker after one that died while it wrote and
// while it read.
func TestPipeAfterAHalfMessage(t *testing.T) {
	browserIn, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, browserOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer browserIn.Close()
	if _, err := in.WriteString(`{"id":1,"meth`); err != nil {
		t.Fatal(err)
	}
	if _, err := browserOut.WriteString(`sult":{}}` + "\x00" + `{"id":2,"result":{}}` + "\x00" + `{"method":"A.b"}` + "\x00"); err != nil {
		t.Fatal(err)
	}
	if err := browserOut.Close(); err != nil {
		t.Fatal(err)
	}
	p := &pipe{in: in, out: out, q: newQueue(1 << 10)}
	p.q.put([]byte(`{"id":3,"method":"C.d"}`))
	p.q.close()
	if err := p.write(context.Background()); err != nil {
		t.Fatal(err)
	}
	in.Close()
	var got []string
	for r := bufio.NewReader(browserIn); ; {
		msg, err := r.ReadString(0)
		if err != nil {
			break
		}
		got = append(got, msg)
	}
	if want := []string{`{"id":1,"meth` + "\x00", `{"id":3,"method":"C.d"}` + "\x00"}; !slices.Equal(got, want) {
		t.Errorf("the browser reads %q, want %q", got, want)
	}
	got = nil
	if err := p.read(func(msg []byte) { got = append(got, string(msg)) }); err != nil {
		t.Fatal(err)
	}
	if want := []string{`{"id":2,"result":{}}`, `{"method":"A.b"}`}; !slices.Equal(got, want) {
		t.Errorf("the broker reads %q, want %q", got, want)
	}
}

func TestQueue(t *testing.T) {
	q := newQueue(10)
	if !q.put(make([]byte, 20)) {
		t.Error("an empty queue refuses a message larger than itself")
	}
	if q.put(make([]byte, 1)) {
		t.Error("a full queue takes a message")
	}
	list, ok := q.take(nil)
	if !ok || len(list) != 1 {
		t.Fatalf("take = %d messages, %v", len(list), ok)
	}
	if q.put(make([]byte, 1)) {
		t.Error("there is room before the message is written")
	}
	q.wrote(20)
	if !q.put(make([]byte, 10)) {
		t.Error("there is no room after the message was written")
	}
	calm := make(chan struct{})
	go func() { q.below(10, nil); close(calm) }()
	select {
	case <-calm:
		t.Error("below does not wait while as much is waiting")
	case <-time.After(10 * time.Millisecond):
	}
	q.wrote(1)
	<-calm
	q.wrote(-1)
	q.close()
	q.below(1, nil)
	if !q.put(make([]byte, 100)) {
		t.Error("a closed queue is given up instead of dropping what comes")
	}
	if list, ok := q.take(nil); !ok || len(list) != 1 {
		t.Errorf("take = %d messages, %v; want what was put before the end", len(list), ok)
	}
	if _, ok := q.take(nil); ok {
		t.Error("take gives something behind the end")
	}
}
