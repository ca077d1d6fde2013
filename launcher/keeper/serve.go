package keeper

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/abrowser/abrowser/launcher/handover"
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	listenTime  = handover.Silence / 10 // the keeper counts the broker's silence in steps of this length
	closeTime   = 10 * time.Second      // for the browser to end after it was asked to close
	leaveTime   = 7 * time.Second       // for the broker to end
	lastTime    = time.Second           // for reading the messages of a broker that has exited
	crashWindow = 20 * time.Second      // crashLimit deaths of brokers within this time are too many
	crashLimit  = 5
)

// serveBrowser starts a browser and keeps brokers serving it. It reports whether another browser
// has to be started, because this one died without being closed by a person.
func (k *keeper) serveBrowser(ctx context.Context) (again bool, err error) {
	if k.browser == nil {
		if k.browser, err = k.startBrowser(ctx); err != nil {
			return false, err
		}
		k.instance, k.fresh = rand.Text(), true
		k.log.Info("browser started", "pid", k.browser.pid, "executable", k.Browser)
	}
	defer removeSingleton(k.profile())
	defer k.browser.close()
	defer k.browser.end(0)
	for {
		stop, err := k.serveOnce(ctx)
		if err != nil || stop {
			return false, err
		}
		select {
		case <-k.browser.exited:
			switch {
			case k.browser.isExternal() && !k.told:
				return false, handover.AttachError(k.Settings.CDP, "it closed the connection")
			case k.browser.isExternal():
				return false, nil
			case k.fresh && !k.told: // the next start would fail as well
				return false, k.browser.failure()
			case k.browser.wasClosed():
				return false, nil
			}
			return k.restart(ctx)
		default:
		}
		if k.tooOften() {
			return false, wire.Errorf(wire.CodeStart, "the broker died %d times within %s", crashLimit, crashWindow)
		}
	}
}

// startBrowser starts the browser, unless it is external.
func (k *keeper) startBrowser(ctx context.Context) (*chromium, error) {
	if k.Settings.External() {
		return external()
	}
	if err := checkProfile(ctx, k.profile()); err != nil {
		return nil, err
	}
	removeSingleton(k.profile()) // the directory of a browser that died together with its keeper
	return startChromium(k.Options, k.profile(), k.log)
}

// tooOften records the death of a broker and reports whether too many have died lately.
func (k *keeper) tooOften() bool {
	now := time.Now()
	k.deaths = append(k.deaths, now)
	if len(k.deaths) > crashLimit {
		k.deaths = k.deaths[1:]
	}
	return len(k.deaths) == crashLimit && now.Sub(k.deaths[0]) < crashWindow
}

// serveOnce runs one broker until the broker, the browser or ctx ends. It reports whether
// the browser was stopped on purpose.
func (k *keeper) serveOnce(ctx context.Context) (stop bool, err error) {
	up := k.broker != nil
	if !up {
		if k.broker, err = k.startBroker(); err != nil {
			return false, err
		}
	}
	defer k.endBroker()
	if k.ending {
		k.stopBrowser()
		return true, nil
	}
	patience := startTime
	if up { // a previous keeper started the broker, which may be silent already
		patience = handover.Silence
	}
	// The broker's silence is measured in ticks and not by the clock, so that only the time in
	// which this process runs counts. After this process was stopped, or the machine was
	// suspended, the broker's messages may be waiting unread.
	quiet, listen := time.Duration(0), time.NewTicker(listenTime)
	defer listen.Stop()
	exited, messages := k.broker.exited, k.broker.messages
	var allRead <-chan time.Time // fires when the time to read the messages of an exited broker is over
	for {
		select {
		case <-ctx.Done():
			k.stopBrowser()
			return true, nil
		case <-k.browser.exited:
			return false, nil
		case <-exited: // its last message, which says why, may still be unread
			exited, allRead = nil, time.After(lastTime)
			if messages == nil {
				return k.brokerEnded()
			}
		case <-allRead:
			return k.brokerEnded()
		case <-listen.C:
			switch quiet += listenTime; {
			case quiet < patience:
				continue
			case !up:
				return false, wire.Errorf(wire.CodeNoBrowser, "the browser does not answer").WithHint("abrowser doctor").
					With("stderr", lastLines(k.browser.stderr.String(), 20))
			}
			k.log.Error("broker is silent", "for", handover.Silence.String())
			return false, nil
		case m, ok := <-messages:
			switch {
			case !ok && exited == nil:
				return k.brokerEnded()
			case !ok:
				messages = nil
			case m.Error != nil && m.Error.Code == wire.CodeBrowserGone:
				k.browser.end(killTime) // the browser has closed its pipe
				return false, nil
			case m.Error != nil:
				return false, m.Error
			case m.Stop:
				k.stopBrowser()
				return true, nil
			case m.Lost:
				k.browser.end(killTime) // the browser has closed its pipe
				return false, nil
			case m.Unbound && k.rebind():
				return false, nil
			case m.Ready:
				up, k.fresh = true, false
				k.Ready(nil)
			}
			if up {
				quiet, patience = 0, handover.Silence
			}
		}
	}
}

func (k *keeper) brokerEnded() (stop bool, err error) {
	k.log.Error("broker ended", "pid", k.broker.pid)
	return false, nil
}

// stopBrowser ends the browser, in this order:
//
//  1. The keeper removes the socket, so that the next command starts another browser.
//  2. The broker closes the browser, which then saves its state. An external browser is not
//     closed.
//  3. If the browser does not end, the keeper ends it by signals.
//  4. The keeper tells the broker that the browser has ended. The broker then answers the
//     request to stop the browser.
func (k *keeper) stopBrowser() {
	if err := sockets.Unlink(k.place, k.lease); err != nil {
		k.log.Error("removing the socket", "error", err)
	}
	if !k.browser.isExternal() {
		if err := k.broker.conn.Send(handover.Message{Close: true}); err != nil {
			k.log.Error("asking the broker to close the browser", "error", err)
		}
	}
	k.browser.end(closeTime)
	if err := k.broker.conn.Send(handover.Message{Gone: true}); err != nil {
		k.log.Debug("telling the broker that the browser has ended", "error", err)
	}
	select {
	case <-k.broker.exited:
	case <-time.After(leaveTime):
	}
}
