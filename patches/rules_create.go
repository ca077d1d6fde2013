package patches

import (
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// createTime is how long other tabs without an opener wait for a createTarget
// call that is not answered.
const createTime = 10 * time.Second

// createTarget opens a page that is the owner's, behind the others. The call is
// our own, so that a page is not lost whose maker has left by then.
func createTarget(m *Mux, s *session, r cdp.Request) *cdp.Error {
	f, err := fieldsOf(r)
	if err != nil {
		return err
	}
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

// answerCreated answers a createTarget call when its client has been told of the
// target: Playwright asserts on that order.
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

// hasWindow reports whether a browser context has a page, and so a window.
func (m *Mux) hasWindow(context string) bool {
	for _, t := range m.targets {
		if t.ContextID == context && t.Type == "page" {
			return true
		}
	}
	return false
}
