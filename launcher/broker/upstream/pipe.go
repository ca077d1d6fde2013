package upstream

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/abrowser/abrowser/launcher/broker/queue"
	"github.com/abrowser/abrowser/sockets/wire"
)

const pipeBuffer = 64 << 10

// Pipe is the connection to a browser that the keeper started. In both directions, each message
// ends with a NUL.
type Pipe struct {
	In    *os.File // the browser reads from it
	Out   *os.File // the browser writes to it
	Queue *queue.Queue
}

// Read implements [Conn]. A previous broker may have died after it had read the beginning of a
// message. Read skips the rest of that message.
func (p *Pipe) Read(onMessage func([]byte)) error {
	r := bufio.NewReaderSize(p.Out, pipeBuffer)
	for first := true; ; first = false {
		msg, err := r.ReadBytes(0)
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		msg = msg[:len(msg)-1]
		if first && !json.Valid(msg) {
			continue
		}
		onMessage(msg)
	}
}

// Write implements [Conn]. It first writes a NUL, since a previous broker may have died after it
// had written only a part of a message. The NUL ends that message.
func (p *Pipe) Write(ctx context.Context) error {
	w := bufio.NewWriterSize(p.In, pipeBuffer)
	_ = w.WriteByte(0) // Flush returns the error of an earlier write
	for {
		list, ok := p.Queue.Take(ctx.Done())
		if !ok {
			return nil
		}
		for _, msg := range list {
			if bytes.IndexByte(msg, 0) >= 0 {
				return wire.Errorf(wire.CodeInternal, "a message for the browser contains a NUL")
			}
			_, _ = w.Write(msg)
			_ = w.WriteByte(0)
			p.Queue.Written(len(msg))
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
}

// Close implements [Conn].
func (p *Pipe) Close() error { return errors.Join(p.In.Close(), p.Out.Close()) }
