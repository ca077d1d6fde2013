package broker

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	cookieTime  = 3 * time.Second        // for the browser to tell its cookies
	restoreTime = 15 * time.Second       // for one that has just started to tell them and take some: who comes now waits
	settleTime  = 300 * time.Millisecond // after a page went somewhere
	cookieEvery = 5 * time.Second        // while clients and pages are at work

	// Of few cookies, in bytes of the browser's answer, it tells in half a millisecond:
	// they are saved before a command answers that asked a server for something. Of a
	// few thousand, which a person's browser has, it tells in a tenth of a second: those
	// are saved a moment later, and telling takes no more than a twentieth of the
	// browser's time.
	fewCookies  = 16 << 10
	cookieShare = 20
)

// cookies saves what the browser would lose if it died now. It is nil, and does
// nothing, for a browser of somebody else's.
type cookies struct {
	b    *broker
	path string
	wake chan struct{} // one token: a page went somewhere, or a command ended
	size atomic.Int64  // of the browser's last answer

	mu      sync.Mutex // guards the fields below; held while the browser is asked, so that looks are in order
	jar     *jar
	saved   json.RawMessage // the browser's answer that is in the file; nil where none is
	unsaved bool            // the file could not be written
}

// newCookies takes up the file of the profile.
func newCookies(b *broker) *cookies {
	c := &cookies{
		b: b, path: b.Root.Path("state", "cookies-"+filepath.Base(b.Root.Path("x", b.browser.Name))+".json"), wake: make(chan struct{}, 1),
	}
	profile, err := profileWord(b.browser.Profile)
	if err == nil {
		c.jar, err = loadJar(c.path, profile)
	} else {
		c.jar = &jar{}
	}
	if err != nil {
		b.log.Error("reading the saved cookies; they begin anew", "error", err)
	}
	return c
}

// profileWord is a word that lies in the profile. Who removes the profile wants its
// logins gone.
func profileWord(dir string) (string, error) {
	path := filepath.Join(dir, "abrowser.id")
	raw, err := os.ReadFile(path)
	if word := strings.TrimSpace(string(raw)); err == nil && word != "" {
		return word, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	word := rand.Text()
	return word, os.WriteFile(path, []byte(word+"\n"), 0o600)
}

// run looks when a page went somewhere, and now and then while something goes on,
// until ctx ends.
func (c *cookies) run(ctx context.Context) {
	if c == nil {
		return
	}
	tick := time.NewTicker(cookieEvery)
	defer tick.Stop()
	settled := time.NewTimer(settleTime)
	var rested time.Time // from when on the browser may be asked again
	wake := c.wake       // nil while a look is due: who wakes us then, has another one made after it
	for {
		select {
		case <-ctx.Done():
			return
		case <-wake:
			wake = nil
			settled.Reset(max(settleTime, time.Until(rested)))
			continue
		case <-settled.C:
			wake = c.wake
		case <-tick.C:
			if time.Now().Before(rested) || !c.b.active.Swap(false) {
				continue
			}
		}
		began := time.Now()
		if err := c.look(ctx, false); err != nil && ctx.Err() == nil {
			c.b.log.Warn("looking at the cookies", "error", err)
		}
		rested = time.Now().Add(cookieShare * time.Since(began))
	}
}

// moved says that a page went somewhere, or that a command ended.
func (c *cookies) moved() {
	if c == nil {
		return
	}
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// look saves what has changed since the last look. last is before the browser is
// asked to end.
func (c *cookies) look(ctx context.Context, last bool) error {
	if c == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, cookieTime)
	defer cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	raw, err := c.have(ctx)
	if err != nil {
		return err
	}
	if bytes.Equal(raw, c.saved) && !last { // as at the end of most commands
		return nil
	}
	have, err := cookiesIn(raw)
	if err != nil {
		return err
	}
	c.unsaved = c.jar.look(time.Now(), have) || c.unsaved || last
	c.jar.Clean = last
	if c.unsaved {
		if err := c.jar.save(c.path); err != nil {
			return err
		}
	}
	c.saved, c.unsaved = raw, false
	return nil
}

// have asks for the cookies of the shared context.
func (c *cookies) have(ctx context.Context) (raw json.RawMessage, err error) {
	err = c.b.ask(ctx, "Storage.getCookies", struct{}{}, "", &raw)
	if err == nil {
		c.size.Store(int64(len(raw)))
	}
	return raw, err
}

// few reports whether asking for the cookies is next to nothing.
func (c *cookies) few() bool { return c != nil && c.size.Load() <= fewCookies }

func cookiesIn(raw json.RawMessage) ([]cookie, error) {
	var out struct{ Cookies []cookie }
	if json.Unmarshal(raw, &out) != nil {
		return nil, errors.New("the browser's cookies are none") // what is wrong might quote a value
	}
	return out.Cookies, nil
}

// restore puts back what the browser before lost.
func (c *cookies) restore(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, restoreTime)
	defer cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	raw, err := c.have(ctx)
	if err != nil {
		return err
	}
	have, err := cookiesIn(raw)
	if err != nil {
		return err
	}
	died := c.b.browser.Died
	if died.IsZero() {
		died = c.jar.At // it lived then; how much longer nobody knows
	}
	lost := c.jar.missing(time.Now(), died, have)
	if len(lost) == 0 {
		return nil
	}
	refused := 0
	if err := c.set(ctx, lost...); err != nil { // one that is not taken is a refusal of all
		if ctx.Err() != nil {
			return err
		}
		for _, one := range lost {
			if err := c.set(ctx, one); err != nil {
				refused++
			}
		}
	}
	c.jar.putBack(lost, time.Now())
	c.b.log.Info("put cookies back", "count", len(lost)-refused, "refused", refused)
	if refused > 0 {
		return fmt.Errorf("the browser does not take %d of %d cookies", refused, len(lost))
	}
	return nil
}

// param is a cookie as it is set.
type param struct {
	URL          string     `json:"url,omitempty"`
	Name         string     `json:"name"`
	Value        string     `json:"value"`
	Domain       string     `json:"domain,omitempty"`
	Path         string     `json:"path,omitempty"`
	Expires      *float64   `json:"expires,omitempty"`
	HTTPOnly     bool       `json:"httpOnly,omitempty"`
	Secure       bool       `json:"secure,omitempty"`
	SameSite     string     `json:"sameSite,omitempty"`
	Priority     string     `json:"priority,omitempty"`
	SourceScheme string     `json:"sourceScheme,omitempty"`
	SourcePort   int        `json:"sourcePort,omitempty"`
	Partition    *partition `json:"partitionKey,omitempty"`
}

func (c *cookies) set(ctx context.Context, all ...cookie) error {
	params := make([]param, len(all))
	for i, one := range all {
		params[i] = one.param()
	}
	return c.b.ask(ctx, "Storage.setCookies", map[string]any{"cookies": params}, "", nil)
}

// param is how the cookie is set as it was. One for a single host is named by a URL:
// a domain would make it one for the hosts below, too.
func (c cookie) param() param {
	p := param{
		Name: c.Name, Value: c.Value, Path: c.Path, HTTPOnly: c.HTTPOnly, Secure: c.Secure, SameSite: c.SameSite,
		Priority: c.Priority, SourceScheme: c.SourceScheme, SourcePort: c.SourcePort, Partition: c.Partition,
	}
	if !c.Session && c.Expires >= 0 {
		p.Expires = &c.Expires
	}
	if strings.HasPrefix(c.Domain, ".") {
		p.Domain = c.Domain
		return p
	}
	scheme, host := "http", c.Domain
	if c.Secure || c.SourceScheme == "Secure" {
		scheme = "https"
	}
	if strings.Contains(host, ":") && !strings.HasPrefix(host, "[") {
		host = "[" + host + "]"
	}
	if c.SourcePort > 0 {
		host += ":" + strconv.Itoa(c.SourcePort)
	}
	p.URL = scheme + "://" + host + c.Path
	return p
}
