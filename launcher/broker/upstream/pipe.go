package broker

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	pipeBuffer = 64 << 10
	// pipeLimit is how much may wait for a browser that does not read.
	pipeLimit = 1 << 30
)

// pipe is the line to the browser: messages that end with a NUL, both ways.
type pipe struct {
	in  *os.File // the browser reads from it
	out *os.File // the browser writes to it
	q   *queue
}

// read hands every message of the browser to take, until the browser is gone.
// The first bytes may be the rest of a message that a dead broker read half.
func (p *pipe) read(take func([]byte)) error {
	r := bufio.NewReaderSize(p.out, pipeBuffer)
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
		take(msg)
	}
}

// write writes what is queued, until ctx ends. It begins with a NUL: the end of
// what a dead broker wrote half.
func (p *pipe) write(ctx context.Context) error {
	w := bufio.NewWriterSize(p.in, pipeBuffer)
	if err := w.WriteByte(0); err != nil {
		return err
	}
	for {
		list, ok := p.q.take(ctx.Done())
		if !ok {
			return nil
		}
		for _, msg := range list {
			if bytes.IndexByte(msg, 0) >= 0 {
				return wire.Errorf(wire.CodeInternal, "a message for the browser has a NUL in it")
			}
			if _, err := w.Write(msg); err != nil {
				return err
			}
			if err := w.WriteByte(0); err != nil {
				return err
			}
			p.q.wrote(len(msg))
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
}

func (p *pipe) close() error { return errors.Join(p.in.Close(), p.out.Close()) }
