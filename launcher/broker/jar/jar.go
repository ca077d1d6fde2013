// Package jar keeps a copy of a browser's cookies in a file, and puts back those that a killed
// browser lost. Chromium writes its own file up to 30 s late, and never writes session cookies.
//
// A [Jar] reaches the browser only through [Options].Call. It logs no cookie's value.
package jar

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	saveTime    = 3 * time.Second        // for the browser to list its cookies
	restoreTime = 15 * time.Second       // for Restore in a browser that has just started; clients wait
	settleTime  = 300 * time.Millisecond // between a navigation and the save after it
	saveEvery   = 5 * time.Second        // between two saves while clients and pages exchange messages
	commandTime = time.Second            // how long a save may delay the response to a command

	// Listing few cookies takes the browser half a millisecond, so they are saved before the
	// response to a command that contacted a server. Listing a few thousand, as many as in a
	// person's browser, takes a tenth of a second, so they are saved after the response.
	// smallSize is the limit between few and many, in bytes of the browser's reply. Run lets the
	// browser spend at most 1/idleShare of its time on listing cookies.
	smallSize = 16 << 10
	idleShare = 20
)

// Options are for [Open]. All fields are required.
type Options struct {
	File    string // the copy of the cookies
	Profile string // the directory of the browser's profile
	// Call sends a CDP command to the browser and decodes the result, unless result is nil.
	Call func(ctx context.Context, method string, params, result any) error
	Log  *slog.Logger
}

// Jar saves and restores the cookies of the browser's shared context. The methods of a nil Jar do
// nothing. A broker of an external browser has a nil Jar, since that browser keeps its cookies.
type Jar struct {
	Options
	wake   chan struct{} // holds one token: a page has navigated, or a command has ended
	active atomic.Bool   // messages were exchanged since the last save
	size   atomic.Int64  // bytes of the browser's last reply

	mu      sync.Mutex // guards the fields below; held while the browser is called, so that saves are in order
	record  *record
	saved   json.RawMessage // the browser's reply at the last save; nil before the first save
	unsaved bool            // record has changes that could not be written
}

// Open returns a jar that continues from the file, unless the file belongs to another profile.
func Open(o Options) *Jar {
	j := &Jar{Options: o, wake: make(chan struct{}, 1), record: &record{}}
	id, err := profileID(o.Profile)
	if err == nil {
		j.record, err = load(o.File, id)
	}
	if err != nil {
		o.Log.Error("reading the saved cookies; starting without them", "error", err)
	}
	return j
}

// profileID returns a random name that is stored in the profile. It creates the name if it is
// missing. The saved cookies are used only for the profile with the same name, because a user who
// removes the profile wants its logins removed too.
func profileID(dir string) (string, error) {
	path := filepath.Join(dir, "abrowser.id")
	raw, err := os.ReadFile(path)
	if id := strings.TrimSpace(string(raw)); err == nil && id != "" {
		return id, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	id := rand.Text()
	return id, os.WriteFile(path, []byte(id+"\n"), 0o600)
}

// Run saves the cookies after navigations and commands, and regularly while messages are
// exchanged, until ctx ends.
func (j *Jar) Run(ctx context.Context) {
	if j == nil {
		return
	}
	tick := time.NewTicker(saveEvery)
	defer tick.Stop()
	settled := time.NewTimer(settleTime)
	defer settled.Stop()
	var next time.Time // the earliest time of the next call of the browser
	wake := j.wake     // nil while a save is due; a token that arrives then causes a further save
	for {
		select {
		case <-ctx.Done():
			return
		case <-wake:
			wake = nil
			settled.Reset(max(settleTime, time.Until(next)))
			continue
		case <-settled.C:
			wake = j.wake
		case <-tick.C:
			if time.Now().Before(next) || !j.active.Swap(false) {
				continue
			}
		}
		began := time.Now()
		if err := j.save(ctx, false); err != nil && ctx.Err() == nil {
			j.Log.Warn("saving the cookies", "error", err)
		}
		next = time.Now().Add(idleShare * time.Since(began))
	}
}

// SaveSoon makes Run save the cookies a moment later. It is called when a page has navigated or a
// command has ended.
func (j *Jar) SaveSoon() {
	if j == nil {
		return
	}
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

// Touch records that a client and the browser have exchanged a message, so that the next regular
// save is not skipped.
func (j *Jar) Touch() {
	if j != nil {
		j.active.Store(true)
	}
}

// SaveBeforeResponse saves the cookies before the response to a command, which may have logged in.
// If the browser is slow to list its cookies, or has many, SaveBeforeResponse does not wait for
// them, and the cookies are saved a moment later.
func (j *Jar) SaveBeforeResponse(ctx context.Context) {
	if j == nil {
		return
	}
	if j.size.Load() > smallSize {
		j.SaveSoon()
		return
	}
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	if err := j.save(ctx, false); err != nil {
		j.Log.Warn("saving the cookies", "error", err)
		j.SaveSoon()
	}
}

// SaveLast saves the cookies before the browser is asked to exit. A browser that is asked to exit
// completes its own file, so the next [Jar.Restore] puts back only session cookies.
func (j *Jar) SaveLast(ctx context.Context) {
	if j == nil {
		return
	}
	if err := j.save(ctx, true); err != nil {
		j.Log.Warn("saving the cookies", "error", err)
	}
}

// save writes the file if the cookies have changed since the previous save, or if the parameter
// last is true, which means that the browser is about to be asked to exit.
func (j *Jar) save(ctx context.Context, last bool) error {
	ctx, cancel := context.WithTimeout(ctx, saveTime)
	defer cancel()
	j.mu.Lock()
	defer j.mu.Unlock()
	raw, err := j.list(ctx)
	if err != nil || bytes.Equal(raw, j.saved) && !last { // equal after most commands
		return err
	}
	cookies, err := decode(raw)
	if err != nil {
		return err
	}
	j.unsaved = j.record.update(time.Now(), cookies) || j.unsaved || last
	j.record.Clean = last
	if j.unsaved {
		if err := j.record.write(j.File); err != nil {
			return err
		}
	}
	j.saved, j.unsaved = raw, false
	return nil
}

// list returns the cookies of the shared context as the browser sends them.
func (j *Jar) list(ctx context.Context) (raw json.RawMessage, err error) {
	err = j.Call(ctx, "Storage.getCookies", struct{}{}, &raw)
	if err == nil {
		j.size.Store(int64(len(raw)))
	}
	return raw, err
}

func decode(raw json.RawMessage) ([]cookie, error) {
	var out struct{ Cookies []cookie }
	if json.Unmarshal(raw, &out) != nil {
		return nil, errors.New("the browser's list of cookies is invalid") // the cause might quote a value
	}
	return out.Cookies, nil
}

// Restore sets the cookies that the previous browser lost. died is the time at which that browser
// died, or zero if the time is not known.
func (j *Jar) Restore(ctx context.Context, died time.Time) error {
	if j == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, restoreTime)
	defer cancel()
	j.mu.Lock()
	defer j.mu.Unlock()
	raw, err := j.list(ctx)
	if err != nil {
		return err
	}
	cookies, err := decode(raw)
	if err != nil {
		return err
	}
	if died.IsZero() {
		died = j.record.At // the browser lived at least until then
	}
	lost := j.record.lost(time.Now(), died, cookies)
	if len(lost) == 0 {
		return nil
	}
	refused := 0
	if err := j.set(ctx, lost...); err != nil { // one refused cookie makes the browser refuse all
		if ctx.Err() != nil {
			return err
		}
		for _, c := range lost {
			if err := j.set(ctx, c); err != nil {
				refused++
			}
		}
	}
	j.record.restored(lost, time.Now())
	j.Log.Info("put cookies back", "count", len(lost)-refused, "refused", refused)
	if refused > 0 {
		return fmt.Errorf("the browser refused %d of %d cookies", refused, len(lost))
	}
	return nil
}

func (j *Jar) set(ctx context.Context, cookies ...cookie) error {
	params := make([]param, len(cookies))
	for i, c := range cookies {
		params[i] = c.param()
	}
	return j.Call(ctx, "Storage.setCookies", map[string]any{"cookies": params}, nil)
}
