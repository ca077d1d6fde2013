package patches

import (
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// adoptTime is how long a client that comes to living pages waits for one to answer.
const adoptTime = 500 * time.Millisecond

// adopt introduces a browser-level session to the targets that its owner has already, in
// their order; then is called when the client has been told of them. A page is introduced
// when it answers. One that does not within adoptTime is introduced when it does: Chromium
// keeps all that is asked of a page that navigates until its server has answered, and
// Playwright waits for every page that it is told of before it has connected.
func (m *Mux) adopt(s *session, then func()) {
	all := m.targetsOf(s.client.tenant)
	answered := map[*target]bool{}
	next, late, untold := 0, false, 1
	told := func() {
		if untold--; untold == 0 {
			then()
		}
	}
	lives := func(t *target) bool {
		return m.targets[t.TargetID] == t && t.owner == s.client.tenant && !s.client.gone
	}
	introduce := func() {
		for ; next < len(all) && (late || answered[all[next]]); next++ {
			if t := all[next]; answered[t] && lives(t) {
				untold++
				m.attachClient(s, t, told)
			}
		}
	}
	finish := once(told)
	for _, t := range all {
		if t.tab == nil || t.paused || t.session == "" {
			answered[t] = true
			continue
		}
		m.call("Runtime.getIsolateId", nil, t.session, func(cdp.Message) {
			answered[t] = true
			if late && lives(t) {
				m.attachClient(s, t, nil)
			} else if introduce(); next == len(all) {
				finish()
			}
		})
	}
	if introduce(); next == len(all) {
		finish()
		return
	}
	m.after(adoptTime, func() {
		late = true
		introduce()
		finish()
	})
}
