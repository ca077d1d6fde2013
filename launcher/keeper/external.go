package keeper

import (
	"errors"
	"os"
	"sync"
	"time"
)

// An external browser was not started by abrowser. It has no process here and no pipe: the
// broker connects to it, and the keeper only keeps the broker running. When the connection
// is lost, both end, and the next command starts others, which connect again.

// external returns a chromium for an external browser, with files that are never read or
// written in place of the browser's.
func external() (*chromium, error) {
	c := &chromium{stderr: &tail{}, began: time.Now(), exited: make(chan struct{}), leave: &sync.Once{}}
	var in, out *os.File
	var err error
	for _, f := range []**os.File{&in, &out, &c.errors} {
		opened, failed := os.OpenFile(os.DevNull, os.O_RDWR, 0)
		*f, err = opened, errors.Join(err, failed)
	}
	if err == nil {
		err = c.hold(in, out)
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

func (c *chromium) isExternal() bool { return c.leave != nil }

// disconnect ends the holding of an external browser, which goes on.
func (c *chromium) disconnect() { c.leave.Do(func() { close(c.exited) }) }
