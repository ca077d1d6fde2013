package keeper

import (
	"errors"
	"os"
	"sync"
	"time"
)

// An external browser is a browser that abrowser did not start. The keeper has no child
// process and no pipe for it: the broker connects to the browser, and the keeper only keeps
// the broker running. When the connection is lost, broker and keeper both end. The next
// command starts both again, and the new broker connects again.

// external returns the chromium of an external browser. Its pipe and its stderr are /dev/null,
// which is never read or written.
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

// disconnect makes the keeper treat an external browser as ended. The browser keeps running.
func (c *chromium) disconnect() { c.leave.Do(func() { close(c.exited) }) }
