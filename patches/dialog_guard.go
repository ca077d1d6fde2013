package patches

import (
	"maps"
	"slices"

	"github.com/abrowser/abrowser/patches/cdp"
)

// dialogGuard records the dialogs that open while a Mux takes over from the previous Mux. The guard
// is needed between the end of the previous Mux's sessions and Page.enable on the new sessions. In
// this time, the browser would report a dialog to no session, and the dialog would block its page
// forever (see [Mux.watchDialogs]).
//
// So the guard attaches a session of its own to each page before the previous sessions end, and
// enables the Page domain on it. It detaches its sessions when the new Mux's sessions are set up.
type dialogGuard struct {
	m        *Mux
	listing  bool            // the guard's getTargets call is unanswered
	previous []string        // ids of the previous Mux's sessions
	targets  map[string]bool // targets for which the guard's attachToTarget call is unanswered
	sessions map[string]*guardSession
}

// guardSession is one of the guard's CDP sessions.
type guardSession struct {
	target string
	dialog string // the type of the page's open dialog; empty if no dialog is open
}

// start attaches the guard to the browser's pages. In an external browser it attaches only to the
// tabs of the saved state, and not to a person's tabs. When the browser has answered every
// attachToTarget call, start calls done() with the ids of the previous Mux's sessions.
func (g *dialogGuard) start(done func(previous []string)) {
	g.previous, g.listing = slices.Clone(g.m.journal), true
	g.targets, g.sessions = map[string]bool{}, map[string]*guardSession{}
	g.m.call("Target.getTargets", []byte(`{"filter":[{"type":"page"},{"exclude":true}]}`), "", func(in cdp.Message) {
		var out struct {
			Infos []targetParam `json:"targetInfos"`
		}
		if err := in.Result(&out); err != nil {
			g.m.Log.Warn("listing the pages", "error", err)
		}
		g.listing = false
		for _, page := range out.Infos {
			if !g.m.External || g.m.tabOwner(page.TargetID) != nil {
				g.targets[page.TargetID] = true
			}
		}
		g.attach(func() { done(g.previous) })
	})
}

// attach attaches the guard to its targets, and calls done() when every attachToTarget call is
// answered. Each session is saved in the journal before it is used.
func (g *dialogGuard) attach(done func()) {
	outstanding := len(g.targets)
	if outstanding == 0 {
		done()
		return
	}
	for _, id := range slices.Sorted(maps.Keys(g.targets)) {
		g.m.call("Target.attachToTarget", encode(attachParams{id, true}), "", func(in cdp.Message) {
			delete(g.targets, id)
			var out sessionParam
			if in.Result(&out) == nil { // otherwise the tab was closed after getTargets
				g.sessions[out.SessionID] = &guardSession{target: id}
				g.m.journal = append(g.m.journal, out.SessionID)
				g.m.save()
				g.m.call("Page.enable", nil, out.SessionID, nil)
			}
			if outstanding--; outstanding == 0 {
				done()
			}
		})
	}
}

// attachment reports whether an attachedToTarget event belongs to a call of the guard or of the
// previous Mux, and not to a call of the new Mux. If the new session belongs to the previous Mux,
// attachment adds it to the sessions that the new Mux detaches.
//
// attachment relies on the order of the browser's messages. The browser reports the previous Mux's
// attachments before it answers the guard's getTargets call. It reports each attachment of the
// guard before it answers the attachToTarget call that caused it.
func (g *dialogGuard) attachment(p attachedParams) bool {
	if g.listing {
		g.previous = append(g.previous, p.SessionID)
		g.m.journal = append(g.m.journal, p.SessionID)
		return true
	}
	return !p.Waiting && g.targets[p.Info.parse().TargetID]
}

// handleEvent reports whether an event came on one of the guard's sessions. If so, it records
// whether the event opens or closes a dialog.
func (g *dialogGuard) handleEvent(in cdp.Message) bool {
	s := g.sessions[in.Session]
	if s == nil {
		return false
	}
	switch in.Method {
	case "Page.javascriptDialogOpening":
		var p struct{ Type string }
		if in.Params(&p) == nil {
			s.dialog = p.Type
		}
	case "Page.javascriptDialogClosed":
		s.dialog = ""
	}
	return true
}

// end closes the dialogs that were reported to the guard and not to the new Mux's sessions, and
// detaches the guard's sessions. Call end after Page.enable was sent on the new sessions. end first
// makes one more call and waits for the reply. The browser handles the messages of its pipe in
// order. So before this reply it has reported to the guard every dialog that it did not report on a
// new session.
func (g *dialogGuard) end() {
	if len(g.sessions) == 0 {
		return
	}
	g.m.call("Browser.getVersion", nil, "", func(cdp.Message) {
		for _, id := range slices.Sorted(maps.Keys(g.sessions)) {
			s := g.sessions[id]
			if t := g.m.targets[s.target]; t == nil || t.dialogs.open == "" {
				g.m.answerDialog(s.dialog, id)
			}
			g.m.detachSession(id)
		}
		clear(g.sessions)
	})
}
