package daemon

import (
	"context"
	"slices"
	"sync"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Tabs stores the session's tabs as the broker listed them last, and what replies have reported
// about them. Only the broker decides which tabs belong to the session.
type Tabs struct {
	broker *Broker

	mu      sync.Mutex        // guards the fields below; never held during I/O
	list    []verbs.Tab       // as the broker listed them last
	active  verbs.Tab         // the tab that commands act on; zero before the first command
	told    map[string]bool   // by tab id: the agent knows the tab
	openers map[string]string // from a target to the target that opened it
	events  int               // see Events
	// newest and first are numbers of the session's downloads: see Downloads.
	newest, first int
	listed        bool // this daemon has listed the tabs
	// choosers is the newest [verbs.TabsOut.FileChoosers], and toldChoosers the number of those
	// that replies have reported.
	choosers, toldChoosers int
}

func newTabs(b *Broker) *Tabs {
	return &Tabs{broker: b, told: map[string]bool{}, openers: map[string]string{}}
}

// List asks the broker for the session's tabs. The broker responds after it has handled all
// earlier events.
func (t *Tabs) List(ctx context.Context) ([]verbs.Tab, error) {
	return t.update(t.broker.tabs(ctx, false))
}

// ListSettled lists the session's tabs like List, at the end of a command. The broker also saves
// the cookies of a login that the command may have made, before it responds.
func (t *Tabs) ListSettled(ctx context.Context) ([]verbs.Tab, error) {
	return t.update(t.broker.tabs(ctx, true))
}

func (t *Tabs) update(out verbs.TabsOut, err error) ([]verbs.Tab, error) {
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.list, t.events, t.newest = out.Tabs, out.Notified, out.LastDownload
	if !t.listed {
		t.listed, t.first, t.toldChoosers = true, out.LastDownload, out.FileChoosers
		for _, tab := range out.Tabs {
			t.told[tab.TabID] = true // an earlier daemon has named it in its replies
		}
	}
	t.choosers = out.FileChoosers
	t.toldChoosers = min(t.toldChoosers, t.choosers) // a new broker counts from 0
	for _, tab := range out.Tabs {
		if t.active.TargetID == tab.TargetID {
			t.active = tab
		}
	}
	return out.Tabs, nil
}

// Known returns the tabs as they were listed last.
func (t *Tabs) Known() []verbs.Tab {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.list
}

// Active returns the tab that commands act on, or a zero Tab before the first command.
func (t *Tabs) Active() verbs.Tab {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.active
}

// Activate makes a tab the active one, for this daemon and the session's next daemon. Commands
// act on the active tab.
func (t *Tabs) Activate(ctx context.Context, tab verbs.Tab) error {
	t.mu.Lock()
	t.active = tab
	t.told[tab.TabID] = true
	t.mu.Unlock()
	return t.broker.Note(ctx, verbs.NoteIn{Target: tab.TargetID, Active: true})
}

// Events returns [verbs.TabsOut.Notified] from the most recent list of the tabs. That is the
// number of CDP events about pages that the broker had sent to the session's clients by then.
func (t *Tabs) Events() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.events
}

// TakeFileChooser reports whether a page has opened a file chooser since the last call, or since this
// daemon's first list of the tabs. It uses the most recent list.
func (t *Tabs) TakeFileChooser() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	isNew := t.choosers > t.toldChoosers
	t.toldChoosers = t.choosers
	return isNew
}

// Downloads returns the number of the session's newest download at two moments. The result newest
// is from the most recent list of the tabs. The result first is from the first list that this
// daemon requested. Downloads with numbers up to first were started before that list.
func (t *Tabs) Downloads() (newest, first int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.newest, t.first
}

// MarkTold records that the agent knows the tab, so that no reply reports it as new.
func (t *Tabs) MarkTold(tab verbs.Tab) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.told[tab.TabID] = true
}

// Untold returns those of the tabs that the agent does not know yet, and records that the agent
// knows them from now on.
func (t *Tabs) Untold(tabs []verbs.Tab) []verbs.Tab {
	t.mu.Lock()
	defer t.mu.Unlock()
	var fresh []verbs.Tab
	for _, tab := range tabs {
		if !t.told[tab.TabID] {
			t.told[tab.TabID] = true
			fresh = append(fresh, tab)
		}
	}
	return fresh
}

// SetOpener records that the target opener has opened the other target.
func (t *Tabs) SetOpener(target, opener string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.openers[target] = opener
}

// Opener returns the target that opened the given target, or "" if that is not known.
func (t *Tabs) Opener(target string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.openers[target]
}

// Lists reports whether the broker lists a target as the session's. If the broker does not
// respond, Lists reports true.
func (t *Tabs) Lists(ctx context.Context, target string) bool {
	tabs, err := t.List(ctx)
	return err != nil || slices.ContainsFunc(tabs, func(tab verbs.Tab) bool { return tab.TargetID == target })
}

// activeName returns the name by which other sessions address the active tab, such as task/t2.
func (t *Tabs) activeName(session string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.active.TabID != "" {
		return session + "/" + t.active.TabID
	}
	name := session + "/t1"
	for _, tab := range t.list {
		if tab.Active {
			name = session + "/" + tab.TabID
		}
	}
	return name
}

// Successor returns the tab that commands act on next, and whether there is such a tab. The
// parameter tabs lists the open tabs, and active is the tab that was active until now.
//
//   - If active is still open, it is its own successor. A restart of the browser may have changed
//     its target id.
//   - If active was closed, its successor is the tab that opened it. If that tab is not open, there
//     is no successor.
//   - If active is zero, this daemon had no active tab yet. The successor is then the tab that was
//     active under an earlier daemon. If no such tab is open, it is the last tab in tabs.
func (c *Call) Successor(tabs []verbs.Tab, active verbs.Tab) (verbs.Tab, bool) {
	if active.TargetID == "" {
		for _, tab := range tabs {
			if tab.Active {
				return tab, true
			}
		}
		if len(tabs) > 0 {
			return tabs[len(tabs)-1], true
		}
		return verbs.Tab{}, false
	}
	for _, tab := range tabs {
		if tab.TargetID == active.TargetID || tab.TabID == active.TabID {
			return tab, true
		}
	}
	opener := c.Tabs.Opener(active.TargetID)
	for _, tab := range tabs {
		if opener != "" && tab.TargetID == opener {
			c.Warn("tab %s was closed; %s, which opened it, is active again", active.TabID, tab.TabID)
			return tab, true
		}
	}
	return verbs.Tab{}, false
}

// tabList lists the tabs. It neither waits for a page nor starts a browser.
func (s *Session) tabList(ctx context.Context, _ *wire.Call, in verbs.TabListIn) (verbs.TabsOut, error) {
	list := s.Tabs.List
	if in.All {
		list = s.Broker.AllTabs
	}
	tabs, err := list(ctx)
	if isNotRunning(err) {
		err = nil
	}
	all := []verbs.Tab{}
	for _, tab := range tabs {
		if !in.All {
			tab.SessionID, tab.State, tab.Mode, tab.Browser = "", "", "", ""
		}
		all = append(all, tab)
	}
	return verbs.TabsOut{Tabs: all}, err
}
