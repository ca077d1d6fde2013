package upstream

import (
	"bufio"
	"context"
	"os"
	"slices"
	"testing"

	"github.com/abrowser/abrowser/launcher/broker/queue"
)

// If the previous broker died while it was writing one message and reading another, all other
// messages arrive.
func TestPipeAfterPartialMessages(t *testing.T) {
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
	p := &Pipe{In: in, Out: out, Queue: queue.New(1 << 10)}
	p.Queue.Put([]byte(`{"id":3,"method":"C.d"}`))
	p.Queue.Close()
	if err := p.Write(context.Background()); err != nil {
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
	if err := p.Read(func(msg []byte) { got = append(got, string(msg)) }); err != nil {
		t.Fatal(err)
	}
	if want := []string{`{"id":2,"result":{}}`, `{"method":"A.b"}`}; !slices.Equal(got, want) {
		t.Errorf("the broker reads %q, want %q", got, want)
	}
}
