package broker

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	leaseTime   = 15 * time.Second // for a keeper that ends to let go of the profile
	startTime   = 60 * time.Second // for browser and broker to come up
	silence     = 5 * time.Second  // after which a broker is taken for dead
	listenTime  = silence / 10     // between two notes that it has said nothing
	closeTime   = 10 * time.Second // for the browser to close when asked
	leaveTime   = 7 * time.Second  // for the broker to end
	lookTime    = 2 * time.Second  // between looks at our own socket
	crashWindow = 20 * time.Second // more than crashLimit deaths in it are too many
	crashLimit  = 5
)

// keeper holds the browser and sees to it that a broker serves it.
type keeper struct {
	KeepOptions
	place    home.Place
	lease    *sockets.Lease
	listener *net.UnixListener
	browser  *chromium
	instance string
	broker   *child
	fresh    bool
	told     bool        // that we are ready, or will not be
	ending   bool        // the keeper before us was ending the browser
	deaths   []time.Time // of brokers
	died     time.Time   // when the last browser died; zero where none has
	restarts int         // browsers that died
	short    int         // of them, the last ones in a row that did not live long
	log      *slog.Logger
}

// child is a broker's process.
type child struct {
	pid     int
	cmd     *exec.Cmd // nil where a keeper before us started it
	control *control
	words   chan word     // closed when it says no more
	exited  chan struct{} // closed when it has been waited for
}

// Keep holds the browser until it is stopped, by the verb, by the end of ctx, or
// because somebody closed it. It is the process `abrowser keeper`.
func Keep(ctx context.Context, o KeepOptions) error {
	k := &keeper{KeepOptions: o, log: logger(o.Log)}
	ready := o.Ready
	k.Ready = func(err error) {
		k.told = true
		if ready != nil {
			ready(err)
			ready = nil
		}
	}
	err := k.keep(ctx)
	k.Ready(err)
	return err
}

func (k *keeper) keep(ctx context.Context) error {
	takeUp := k.open
	if k.succeeds() {
		takeUp = k.succeed
	}
	if err := takeUp(ctx); err != nil {
		return err
	}
	defer k.closeFiles()
	for {
		again, err := k.serveBrowser(ctx)
		if err != nil || !again {
			return err
		}
		k.browser = nil
	}
}

// open takes the profile's lease and listens.
func (k *keeper) open(ctx context.Context) error {
	if err := k.Root.Make(); err != nil {
		return err
	}
	var err error
	if k.place, err = k.Root.BrowserOf(k.Settings); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, leaseTime)
	defer cancel()
	if k.lease, err = sockets.HoldWait(ctx, k.place.Lock); err != nil {
		return err
	}
	if err = k.rested(); err == nil {
		k.listener, err = sockets.Listen(k.place, k.lease)
	}
	if err != nil {
		return errors.Join(err, k.lease.Close())
	}
	return nil
}

func (k *keeper) closeFiles() {
	if err := errors.Join(sockets.Unlink(k.place, k.lease), k.listener.Close(), k.lease.Close()); err != nil {
		k.log.Error("letting go of the profile", "error", err)
	}
}

// serveBrowser starts a browser and keeps brokers serving it. It reports whether
// another browser is to be started: this one died, nobody closed it.
func (k *keeper) serveBrowser(ctx context.Context) (again bool, err error) {
	if k.browser == nil {
		if k.browser, err = k.startBrowser(ctx); err != nil {
			return false, err
		}
		k.instance, k.fresh = rand.Text(), true
		k.log.Info("browser started", "pid", k.browser.pid, "executable", k.Browser)
	}
	defer sweep(filepath.Dir(k.place.Lock))
	defer k.browser.close()
	defer k.endBrowser(ctx)
	for {
		stop, err := k.serveOnce(ctx)
		if err != nil || stop {
			return false, err
		}
		select {
		case <-k.browser.exited:
			switch {
			case k.browser.isStranger() && !k.told:
				return false, notAttached(k.Settings.CDP, wire.Errorf(wire.CodeNoBrowser, "it ended the connection"))
			case k.browser.isStranger():
				return false, nil
			case k.fresh && !k.told: // it would not come up the next time
				return false, k.browser.failure()
			case k.browser.well():
				return false, nil
			}
			return k.mourn(ctx)
		default:
		}
		if k.tooOften() {
			return false, wire.Errorf(wire.CodeStart, "the broker died %d times within %s", crashLimit, crashWindow)
		}
	}
}

// startBrowser starts the browser, where it is ours to start.
func (k *keeper) startBrowser(ctx context.Context) (*chromium, error) {
	if foreign(k.Settings) {
		return stranger()
	}
	profile := filepath.Dir(k.place.Lock)
	if err := checkUnheld(ctx, profile); err != nil {
		return nil, err
	}
	sweep(profile) // where nobody was left to do it
	return startChromium(k.KeepOptions, profile, k.log)
}

// endBrowser leaves no process of the browser behind, however serving it ended.
func (k *keeper) endBrowser(ctx context.Context) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	cancel()
	k.browser.end(ctx)
}

// awaitBrowser waits for the end of a browser that has closed its pipe. What
// does not end then is ended.
func (k *keeper) awaitBrowser(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, killTime)
	defer cancel()
	k.browser.end(ctx)
}

// tooOften notes a death and reports whether there were too many lately.
func (k *keeper) tooOften() bool {
	now := time.Now()
	k.deaths = append(k.deaths, now)
	if len(k.deaths) > crashLimit {
		k.deaths = k.deaths[1:]
	}
	return len(k.deaths) == crashLimit && now.Sub(k.deaths[0]) < crashWindow
}

// serveOnce runs one broker until it, the browser or ctx ends. It reports whether
// the end was meant.
func (k *keeper) serveOnce(ctx context.Context) (stop bool, err error) {
	up := k.broker != nil
	if !up {
		if k.broker, err = k.startBroker(); err != nil {
			return false, err
		}
	}
	defer k.endBroker()
	if k.ending {
		k.stopBrowser(ctx)
		return true, nil
	}
	patience := startTime
	if up { // it was another keeper's, and may be silent already
		patience = silence
	}
	// Silence is counted while we listen: what a keeper that was stopped, or a
	// machine that stood still, has not heard yet, the broker may have said.
	quiet, listen := time.Duration(0), time.NewTicker(listenTime)
	defer listen.Stop()
	look := time.NewTicker(lookTime)
	defer look.Stop()
	for {
		select {
		case <-look.C:
			if up && k.listensAgain() {
				return false, nil
			}
		case <-ctx.Done():
			k.stopBrowser(ctx)
			return true, nil
		case <-k.browser.exited:
			return false, nil
		case <-k.broker.exited:
			k.log.Error("broker ended", "pid", k.broker.pid)
			return false, nil
		case <-listen.C:
			switch quiet += listenTime; {
			case quiet < patience:
				continue
			case !up:
				return false, wire.Errorf(wire.CodeNoBrowser, "the browser does not answer").WithHint("abrowser doctor").
					With("stderr", lastLines(k.browser.tail.String(), 20))
			}
			k.log.Error("broker is silent", "for", silence.String())
			return false, nil
		case s, ok := <-k.broker.words:
			switch {
			case !ok:
				k.broker.words = nil
			case s.Error != nil && s.Error.Code == wire.CodeBrowserGone:
				k.awaitBrowser(ctx)
				return false, nil
			case s.Error != nil:
				return false, s.Error
			case s.Stop:
				k.stopBrowser(ctx)
				return true, nil
			case s.Lost:
				k.awaitBrowser(ctx)
				return false, nil
			case s.Ready:
				up, k.fresh = true, false
				k.Ready(nil)
			}
			if up {
				quiet, patience = 0, silence
			}
		}
	}
}

// listensAgain binds the socket anew where somebody has taken it away, or the
// directory that it is in, and reports whether it did: the next broker is found there.
func (k *keeper) listensAgain() bool {
	if sockets.Bound(k.place, k.lease) {
		return false
	}
	err := k.Root.Make()
	var listener *net.UnixListener
	if err == nil {
		listener, err = sockets.Listen(k.place, k.lease)
	}
	if err != nil {
		k.log.Error("the socket is gone", "error", err)
		return false
	}
	k.log.Warn("the socket was gone, and is there again")
	_ = k.listener.Close() // nobody finds it any more
	k.listener = listener
	return true
}

// stopBrowser is the end of the browser, and of us:
//
//  1. the socket is gone, so that the next command starts another browser
//  2. the broker closes the browser, which saves what it has to save; one of
//     somebody else's goes on
//  3. a browser that does not is ended by signals
//  4. the broker learns that it is gone, and answers who asked for it
func (k *keeper) stopBrowser(ctx context.Context) {
	if err := sockets.Unlink(k.place, k.lease); err != nil {
		k.log.Error("removing the socket", "error", err)
	}
	if !k.browser.isStranger() {
		if err := k.broker.control.send(word{Close: true}); err != nil {
			k.log.Error("asking the broker to close the browser", "error", err)
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	k.browser.end(ctx)
	if err := k.broker.control.send(word{Gone: true}); err != nil {
		k.log.Debug("telling the broker that the browser is gone", "error", err)
	}
	select {
	case <-k.broker.exited:
	case <-time.After(leaveTime):
	}
}

func (k *keeper) startBroker() (*child, error) {
	control, theirs, err := newControl()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	files, err := opened(k.browser.in.file, k.browser.out.file, k.listener.File)
	defer closeAll(files)
	if err != nil {
		return nil, errors.Join(err, control.conn.Close())
	}
	cmd := exec.Command(k.Executable, "broker") //nolint:noctx // it is ended by endBroker
	cmd.Args[0] = "abrowser"
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	cmd.Dir, cmd.Env = "/", k.Environ
	cmd.ExtraFiles = slices.Concat([]*os.File{theirs}, files, []*os.File{k.lease.File(), k.browser.errors})
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, control.conn.Close())
	}
	c := &child{pid: cmd.Process.Pid, cmd: cmd, control: control, words: make(chan word), exited: make(chan struct{})}
	go func() {
		defer close(c.exited)
		_ = cmd.Wait() // how it ended makes no difference
	}()
	go c.listen()
	k.log.Info("broker started", "pid", c.pid)
	return c, control.send(word{Charge: k.charge()})
}

// listen hands on what the broker says, until it says no more.
func (c *child) listen() {
	defer close(c.words)
	for {
		s, err := c.control.receive()
		if err != nil {
			return
		}
		select {
		case c.words <- s:
		case <-c.exited:
			return
		}
	}
}

func (k *keeper) charge() *charge {
	return &charge{
		Name: k.place.Name, Instance: k.instance, Fresh: k.fresh, Restarts: k.restarts, Died: k.died,
		BrowserPID: k.browser.pid, KeeperPID: os.Getpid(), Executable: k.Browser, Keeper: k.Executable,
		Profile: k.profile(), NoSandbox: k.NoSandbox, Began: k.browser.began,
	}
}

// profile is the browser's, empty where that is somebody else's.
func (k *keeper) profile() string {
	if foreign(k.Settings) {
		return ""
	}
	return filepath.Dir(k.place.Lock)
}

// endBroker leaves no broker behind: two of them would both read the pipe.
func (k *keeper) endBroker() {
	select {
	case <-k.broker.exited:
	default:
		_ = syscall.Kill(k.broker.pid, syscall.SIGKILL) // it may be ending by itself
	}
	<-k.broker.exited
	k.broker.control.close()
	k.broker = nil
}
