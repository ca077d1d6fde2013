package patches

import (
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// createTime limits how long an unanswered createTarget call delays the decision about which tenant
// owns a new tab. While the call is unanswered, it may have created any new tab that has no opener.
const createTime = 10 * time.Second

// createTarget opens a page in the background for the tenant, or takes the spare page. The
// Mux makes the call on its own root session, so that it gets the reply and sets the page's
// owner even if the client disconnects before the reply.
func createTarget(m *Mux, s *session, r cdp.Request, f fields) *cdp.Error {
	context, err := f.text("browserContextId")
	if err != nil {
		return err
	}
	tn := s.client.tenant
	if context == "" {
		context = m.defaultContext(tn)
	}
	if context != m.defaultContext(tn) && !tn.hasContext(context) {
		return noContext(context)
	}
	if err := f.refuseBrowserPage(); err != nil {
		return err
	}
	for _, name := range []string{"forTab", "hidden", "focus", "enableBeginFrameControl", "windowState"} {
		delete(f, name)
	}
	settle, refusal := m.reserveTab(tn)
	if refusal != nil {
		return refusal
	}
	if t := m.spare.take(context, f); t != nil {
		m.setOwner(t, tn)
		settle(true)
		m.respondCreated(s, r, t)
		return nil
	}
	f["background"] = []byte("true")
	if context != "" {
		f["browserContextId"] = encode(context)
	}
	if context != m.shared && !m.hasWindow(context) {
		f["newWindow"] = []byte("true")
	}
	var id int64
	id = m.callFor(s, r, encode(f), func(in cdp.Message) {
		var out targetParam
		err := in.Result(&out)
		settle(err == nil)
		if err != nil {
			delete(m.creates, id)
			m.assignRemaining()
			m.forwardResult(s, r, in)
			return
		}
		if t := m.targetCreated(id, tn, out.TargetID); t != nil {
			m.respondCreated(s, r, t)
			return
		}
		m.respond(s, r, out)
	})
	m.creates[id] = tn
	m.after(createTime, func() {
		if _, waiting := m.creates[id]; waiting {
			delete(m.creates, id)
			m.assignRemaining()
		}
	})
	return nil
}

// respondCreated answers a createTarget call when the client has got the attachedToTarget event of
// the new target t, or after [Options.PauseLimit] at the latest. Playwright asserts that the event
// comes before the reply.
func (m *Mux) respondCreated(s *session, r cdp.Request, t *target) {
	m.spare.pageCreated(t)
	answer := once(func() { m.respond(s, r, targetParam{t.TargetID}) })
	if !s.autoAttach || t.attaching == 0 {
		answer()
		return
	}
	t.whenAnnounced = append(t.whenAnnounced, answer)
	m.after(m.PauseLimit, answer)
}

// hasWindow reports whether a browser context has a page. If so, it also has a window.
func (m *Mux) hasWindow(context string) bool {
	for _, t := range m.targets {
		if t.ContextID == context && t.Type == "page" {
			return true
		}
	}
	return false
}
