package broker

import (
	"errors"
	"os"
	"sync"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// A browser that somebody else started has no process of ours and no pipe: the
// broker connects to it, and its keeper only keeps a broker. When the connection
// breaks both end; the next command starts others, which connect anew.

// foreign reports whether the settings name such a browser.
func foreign(s wire.Settings) bool { return s.CDP != "" }

// stranger is what a keeper holds of it: files that say nothing, in the places of
// a browser's.
func stranger() (*chromium, error) {
	c := &chromium{tail: &tail{}, began: time.Now(), exited: make(chan struct{}), leave: &sync.Once{}}
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

// isStranger reports whether the browser is somebody else's.
func (c *chromium) isStranger() bool { return c.leave != nil }

// part is the end of holding a browser of somebody else's. It goes on.
func (c *chromium) part() { c.leave.Do(func() { close(c.exited) }) }
