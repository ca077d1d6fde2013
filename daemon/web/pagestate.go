package web

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// pageState describes the page as data, without a picture and without Playwright's scripts. An
// agent can use it instead of a screenshot, which may have to wait while another agent uses the
// visible tab of the window: see [daemon.Call.HoldFront].
func (c *pageCall) pageState(ctx context.Context, _ verbs.TabIn) (verbs.PageStateOut, error) {
	limit := daemon.TimeLeft(ctx, readTime) + time.Second
	value, err := readFor(c.call, limit, func() (json.RawMessage, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit+daemon.SlowTime)
		defer cancel()
		if c.frame != "" {
			result, err := frameCall{c}.run(ctx, "Runtime.evaluate", map[string]any{"expression": pageStateScript, "returnByValue": true})
			return result.Value, err
		}
		return c.page.evaluate(ctx, pageStateScript)
	})
	c.AddNotices()
	switch {
	case errors.Is(err, errLost):
		return verbs.PageStateOut{}, daemon.ConnectionLostError()
	case err != nil:
		return verbs.PageStateOut{}, codeError(err)
	}
	var out verbs.PageStateOut
	var text string
	if json.Unmarshal(value, &text) != nil || json.Unmarshal([]byte(text), &out) != nil {
		return out, wire.Errorf(wire.CodeEvaluation, "reading the page: unexpected result").WithHint(daemon.HintSnapshot)
	}
	return out, nil
}

// pageStateScript returns what the page shows, also in open shadow roots, as JSON.
const pageStateScript = `(() => {
	const most = 200
	const out = {url: location.href, title: document.title, headings: [], links: [], buttons: [], inputs: [], landmarks: [], errors: [], truncated: false}
	const cut = s => (s ?? '').replace(/\s+/g, ' ').trim().slice(0, 200)
	const put = (list, item) => { if (list.length < most) list.push(item); else out.truncated = true }
	const byIds = (e, name) => (e.getAttribute(name) ?? '').split(/\s+/).filter(Boolean)
		.map(id => e.getRootNode().getElementById?.(id)?.textContent ?? '').join(' ')
	const named = e => cut(byIds(e, 'aria-labelledby') || e.getAttribute('aria-label') || '')
	const shown = e => cut(named(e) || e.innerText || e.value || e.title || e.querySelector('img[alt]')?.alt)
	const label = e => cut(named(e) || [...(e.labels ?? [])].map(l => l.innerText).join(' ') || e.placeholder || e.title)
	const regions = {MAIN: 'main', NAV: 'navigation', ASIDE: 'complementary', SEARCH: 'search'}
	const roles = ['main', 'navigation', 'complementary', 'search', 'banner', 'contentinfo', 'region', 'form']
	const top = e => !e.closest('article, aside, main, nav, section')
	const landmark = e => {
		const role = e.getAttribute('role')
		if (role) return roles.includes(role) ? role : ''
		if (regions[e.tagName]) return regions[e.tagName]
		if (e.tagName === 'HEADER' && top(e)) return 'banner'
		if (e.tagName === 'FOOTER' && top(e)) return 'contentinfo'
		if (e.tagName === 'FORM' && named(e)) return 'form'
		return e.tagName === 'SECTION' && named(e) ? 'region' : ''
	}
	const secret = e => e.type === 'password' || /^(cc-|one-time-code|current-password|new-password)/.test(e.autocomplete ?? '')
	const see = e => {
		if (e.shadowRoot) walk(e.shadowRoot)
		if (e.checkVisibility && !e.checkVisibility({visibilityProperty: true})) return
		const tag = e.tagName, role = e.getAttribute('role')
		const region = landmark(e)
		if (region) put(out.landmarks, {role: region, name: named(e)})
		if (/^H[1-6]$/.test(tag) || role === 'heading')
			put(out.headings, {level: +(e.getAttribute('aria-level') ?? tag[1]) || 2, text: shown(e)})
		if (tag === 'A' && e.href || role === 'link') put(out.links, {text: shown(e), url: String(e.href?.baseVal ?? e.href ?? '')})
		const press = tag === 'BUTTON' || role === 'button' || tag === 'INPUT' && /^(button|submit|reset|image)$/.test(e.type)
		if (press) put(out.buttons, {text: shown(e), disabled: !!e.disabled || e.getAttribute('aria-disabled') === 'true'})
		else if (/^(INPUT|SELECT|TEXTAREA)$/.test(tag) && e.type !== 'hidden' || e.isContentEditable && e.contentEditable !== 'inherit') {
			const ticks = e.type === 'checkbox' || e.type === 'radio'
			const invalid = e.getAttribute('aria-invalid') === 'true' || !!e.matches(':user-invalid')
			put(out.inputs, {
				type: e.type ?? 'text', name: cut(e.name), label: label(e), value: ticks || secret(e) ? '' : cut(e.value ?? e.innerText),
				checked: ticks && e.checked, required: !!e.required, disabled: !!e.disabled, invalid,
			})
			const why = invalid && cut(byIds(e, 'aria-errormessage') || e.validationMessage)
			if (why) put(out.errors, label(e) ? label(e) + ': ' + why : why)
		}
		if (role === 'alert' || e.getAttribute('aria-live') === 'assertive') {
			const text = cut(e.innerText)
			if (text) put(out.errors, text)
		}
	}
	const walk = root => { for (const e of root.querySelectorAll('*')) see(e) }
	walk(document)
	return JSON.stringify(out)
})()`
