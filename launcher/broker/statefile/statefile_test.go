package statefile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/abrowser/abrowser/launcher/broker/pool"
	"github.com/abrowser/abrowser/patches"
)

// If the file is damaged, at most the last change is lost, and the next save works.
func TestDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "browser.json")
	tenants := func(names ...string) patches.State {
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
		{"without an instance", write(`{"state":{"owners":[]}}`)},
		{"a directory", func() error { return os.Mkdir(path, 0o700) }},
		{"removed", func() error { return nil }},
	} {
		t.Run(damage.name, func(t *testing.T) {
			f := &File{path: path, instance: "i"}
			for _, s := range []patches.State{tenants("a"), tenants("a", "b")} {
				if err := f.Save(s, pool.State{}); err != nil {
					t.Fatal(err)
				}
			}
			if s, _, err := f.Load(); err != nil || len(s.Tenants) != 2 {
				t.Fatalf("Load() = %+v, %v", s, err)
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := damage.do(); err != nil {
				t.Fatal(err)
			}
			s, _, err := f.Load()
			if err == nil || len(s.Tenants) != 1 || s.Tenants[0].Name != "a" {
				t.Errorf("Load() = %+v, %v, want the previous state and an error", s, err)
			}
			if err := f.Save(tenants("c"), pool.State{}); err != nil {
				t.Fatal(err)
			}
			if s, _, err := f.Load(); err != nil || len(s.Tenants) != 1 || s.Tenants[0].Name != "c" {
				t.Errorf("after a save Load() = %+v, %v", s, err)
			}
			if err := write("")(); err != nil { // the file is damaged again, before another save
				t.Fatal(err)
			}
			if s, _, err := f.Load(); err == nil || len(s.Tenants) != 1 || s.Tenants[0].Name != "a" {
				t.Errorf("the second time Load() = %+v, %v, want the last state before the damage and an error", s, err)
			}
		})
	}
	if s, _, err := (&File{path: path + ".none", instance: "i"}).Load(); err != nil || len(s.Tenants) != 0 {
		t.Errorf("without a file Load() = %+v, %v", s, err)
	}
}

// If a broker is killed at any moment of a save, the newest state can be read. The previous state
// can be read too, and is in another file than the newest state, so that damage to one file does
// not affect the other.
func TestStateAtEachMomentOfASave(t *testing.T) {
	f := &File{path: filepath.Join(t.TempDir(), "browser.json"), instance: "i"}
	var saved, ended atomic.Int64
	save := func(n int64) {
		if err := f.Save(patches.State{Spare: strconv.FormatInt(n, 10)}, pool.State{}); err != nil {
			t.Error(err)
		}
		saved.Store(n)
	}
	save(1)
	save(2)
	checked := make(chan error, 1)
	go func() {
		for ended.Load() == 0 {
			if err := check(f, saved.Load()); err != nil {
				checked <- err
				return
			}
		}
		checked <- nil
	}()
	for n := range int64(1000) {
		save(3 + n)
	}
	ended.Store(1)
	if err := <-checked; err != nil {
		t.Error(err)
	}
}

// check reads the files during a save, after the first n saves have returned.
func check(f *File, n int64) error {
	atLeast := func(n int64, paths ...string) error {
		var why error
		for _, path := range paths {
			s, err := Read(path)
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
	held, err := os.Open(f.previous()) // while it is open, no new file gets its inode number
	if err != nil {
		return err
	}
	defer held.Close()
	before, err := held.Stat()
	if err != nil {
		return err
	}
	if now, err := os.Stat(f.path); err == nil && os.SameFile(before, now) {
		return errors.New("the state file and the previous one are the same file")
	}
	return errors.Join(atLeast(n, f.path, f.next(), f.previous()), atLeast(n-1, f.previous()))
}

// If a broker was killed between writing the new file and renaming it, Load uses the new file.
func TestUnfinishedSave(t *testing.T) {
	f := &File{path: filepath.Join(t.TempDir(), "browser.json"), instance: "i"}
	for _, spare := range []string{"old", "new"} {
		if err := f.Save(patches.State{Spare: spare}, pool.State{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(f.path, f.next()); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the broker that has read the new file may be killed too
		if s, _, err := f.Load(); err != nil || s.Spare != "new" {
			t.Errorf("Load() = %+v, %v", s, err)
		}
		if err := os.WriteFile(f.next(), []byte(`{"instance":"i","sta`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// If the browser was stopped, Load drops the agents' requests for tabs of that browser. It keeps
// the agents themselves, so that the broker can end the sessions of agents that no longer run.
func TestStateOfAStoppedBrowser(t *testing.T) {
	path := filepath.Join(t.TempDir(), "browser.json")
	previous := &File{path: path, instance: "one", Stopped: true}
	err := previous.Save(patches.State{Tenants: []patches.Tenant{{Name: "s", Agent: "a"}}}, pool.State{
		Queue: []pool.Request{{Agent: "a"}}, Reserved: &pool.Reservation{Agent: "b"}, Agents: map[string]pool.Agent{"a": {Process: "1:1"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s, agents, err := (&File{path: path, instance: "two"}).Load()
	if err != nil || len(s.Tenants) != 1 || s.Tenants[0].Agent != "a" || s.Tenants[0].Ended {
		t.Errorf("Load() = %+v, %v", s, err)
	}
	if agents.Agents["a"].Process != "1:1" || agents.Queue != nil || agents.Reserved != nil {
		t.Errorf("Load() = %+v, want the agents only", agents)
	}
}
