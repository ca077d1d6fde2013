package broker

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/abrowser/abrowser/launcher/broker/pool"
	"github.com/abrowser/abrowser/patches"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Whatever became of the file, the owners are known, but for the latest change at
// most, and what is saved next is read again.
func TestTableOutlivesDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "browser.json")
	owners := func(names ...string) patches.State {
		var s patches.State
		for _, name := range names {
			s.Tenants = append(s.Tenants, patches.Tenant{Name: name})
		}
		return s
	}
	write := func(text string) func() error {
		return func() error { return os.WriteFile(path, []byte(text), 0o600) }
	}
	for _, damage := range []struct {
		name string
		do   func() error
	}{
		{"empty", write("")},
		{"garbage", write("\x00{")},
		{"of no browser", write(`{"state":{"owners":[]}}`)},
		{"no file", func() error { return os.Mkdir(path, 0o700) }},
		{"gone", func() error { return nil }},
	} {
		t.Run(damage.name, func(t *testing.T) {
			b := &table{path: path, instance: "i"}
			for _, s := range []patches.State{owners("a"), owners("a", "b")} {
				if err := b.save(s); err != nil {
					t.Fatal(err)
				}
			}
			if s, err := b.load(); err != nil || len(s.Tenants) != 2 {
				t.Fatalf("load = %+v, %v", s, err)
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := damage.do(); err != nil {
				t.Fatal(err)
			}
			s, err := b.load()
			if err == nil || len(s.Tenants) != 1 || s.Tenants[0].Name != "a" {
				t.Errorf("load = %+v, %v, want the state before it, and why", s, err)
			}
			if err := b.save(owners("c")); err != nil {
				t.Fatal(err)
			}
			if s, err := b.load(); err != nil || len(s.Tenants) != 1 || s.Tenants[0].Name != "c" {
				t.Errorf("after a save load = %+v, %v", s, err)
			}
			if err := write("")(); err != nil { // and once more, before anything else is saved
				t.Fatal(err)
			}
			if s, err := b.load(); err == nil || len(s.Tenants) != 1 || s.Tenants[0].Name != "a" {
				t.Errorf("the second time load = %+v, %v, want the last state before the damage, and why", s, err)
			}
		})
	}
	if s, err := (&table{path: path + ".none", instance: "i"}).load(); err != nil || len(s.Tenants) != 0 {
		t.Errorf("of a browser that never was, load = %+v, %v", s, err)
	}
}

// A broker may be killed at any moment of a save: what is read then is the newest state,
// and were that file damaged, the one before, which is never the same file.
func TestTableIsThereAtEveryMoment(t *testing.T) {
	b := &table{path: filepath.Join(t.TempDir(), "browser.json"), instance: "i"}
	var saved, ended atomic.Int64
	save := func(n int64) {
		if err := b.save(patches.State{Spare: strconv.FormatInt(n, 10)}); err != nil {
			t.Error(err)
		}
		saved.Store(n)
	}
	save(1)
	save(2)
	looked := make(chan error, 1)
	go func() {
		for ended.Load() == 0 {
			if err := lookAt(b, saved.Load()); err != nil {
				looked <- err
				return
			}
		}
		looked <- nil
	}()
	for n := range int64(1000) {
		save(3 + n)
	}
	ended.Store(1)
	if err := <-looked; err != nil {
		t.Error(err)
	}
}

// lookAt looks at the files of a table while it is saved, of which so many saves are over.
func lookAt(b *table, saved int64) error {
	least := func(n int64, paths ...string) error {
		var why error
		for _, path := range paths {
			s, err := read(path)
			if got, _ := strconv.ParseInt(s.State.Spare, 10, 64); err == nil && got < n {
				return fmt.Errorf("%s has state %d, want %d", path, got, n)
			}
			if err == nil {
				return nil
			}
			why = errors.Join(why, err)
		}
		return why
	}
	held, err := os.Open(b.before()) // or another file would get its number
	if err != nil {
		return err
	}
	defer held.Close()
	before, err := held.Stat()
	if err != nil {
		return err
	}
	if now, err := os.Stat(b.path); err == nil && os.SameFile(before, now) {
		return errors.New("the table and the one before are the same file")
	}
	return errors.Join(least(saved, b.path, b.next(), b.before()), least(saved-1, b.before()))
}

// A save that did not come to its end is read where it is the newest that can be.
func TestTableOfASaveThatDidNotEnd(t *testing.T) {
	b := &table{path: filepath.Join(t.TempDir(), "browser.json"), instance: "i"}
	for _, spare := range []string{"old", "new"} {
		if err := b.save(patches.State{Spare: spare}); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(b.path, b.next()); err != nil {
		t.Fatal(err)
	}
	for range 2 { // who has read it may be killed, too
		if s, err := b.load(); err != nil || s.Spare != "new" {
			t.Errorf("load = %+v, %v", s, err)
		}
		if err := os.WriteFile(b.next(), []byte(`{"instance":"i","sta`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// What could not be written is written as soon as it can be, also where nothing else
// happens, and no broker that comes after lacks it.
func TestTableIsWrittenLater(t *testing.T) {
	r := start(t, wire.Settings{})
	a := r.connect("a")
	a.open()
	path := r.root.Path("state", "browser-default.json")
	inTheWay := path + ".new"
	if err := os.MkdirAll(filepath.Join(inTheWay, "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	a.open()
	if s, err := read(path); err != nil || len(s.State.Tenants) != 1 || len(s.State.Tenants[0].Tabs) != 1 {
		t.Fatalf("the table can be written: %+v %v", s.State.Tenants, err)
	}
	time.Sleep(time.Second) // until the new tab gives no more reasons to write
	if err := os.RemoveAll(inTheWay); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	until(t, "the table is written", func() bool {
		s, err := read(path)
		return err == nil && len(s.State.Tenants) == 1 && len(s.State.Tenants[0].Tabs) == 2
	})
	if took := time.Since(began); took > 4*beatEvery { // later it would be for another reason
		t.Errorf("it was written after %s", took)
	}
}

// Of a browser that was stopped nobody waits for a tab any more; which agents there
// were is known, so that those that end meanwhile have what they began ended, too.
func TestTableOfAStoppedBrowserKnowsItsAgents(t *testing.T) {
	path := filepath.Join(t.TempDir(), "browser.json")
	before := &table{path: path, instance: "one", stopped: true, agents: pool.State{
		Queue: []pool.Request{{Agent: "a"}}, Kept: &pool.Kept{Agent: "b"}, Agents: map[string]pool.Agent{"a": {Process: "1:1"}},
	}}
	if err := before.save(patches.State{Tenants: []patches.Tenant{{Name: "s", Agent: "a"}}}); err != nil {
		t.Fatal(err)
	}
	next := &table{path: path, instance: "two"}
	s, err := next.load()
	if err != nil || len(s.Tenants) != 1 || s.Tenants[0].Agent != "a" || s.Tenants[0].Ended {
		t.Errorf("load = %+v, %v", s, err)
	}
	if got := next.agents; got.Agents["a"].Process != "1:1" || got.Queue != nil || got.Kept != nil {
		t.Errorf("of its agents is known %+v", got)
	}
}
