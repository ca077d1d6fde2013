package patches

import (
	"slices"
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// createTime is how long other tabs without an opener wait for a createTarget
// call that is not answered.
const createTime = 10 * time.Second

// createBrowserContext is done on our own root and without disposeOnDetach, which
// would bind the context's life to a CDP session.
func createBrowserContext(b *Board, s *session, r cdp.Request) *cdp.Error {
	f, err := fieldsOf(r)
	if err != nil {
		return err
	}
	delete(f, "disposeOnDetach")
	o := s.client.owner
	b.askFor(s, r, encode(f), func(in cdp.Message) {
		var out contextParam
		if err := in.Result(&out); err != nil {
			b.relay(s, r, in)
			return
		}
		o.Contexts = append(o.Contexts, out.ContextID)
		o.makers[out.ContextID] = s.client
		b.acceptDownloads(out.ContextID, nil)
		b.save()
		b.done(s, r, out)
	})
	return nil
}

func disposeBrowserContext(b *Board, s *session, r cdp.Request) *cdp.Error {
	f, err := fieldsOf(r)
	if err != nil {
		return err
	}
	id, err := f.text("browserContextId")
	if err != nil {
		return err
	}
	o := s.client.owner
	if !o.hasContext(id) {
		return &cdp.Error{Code: -32000, Message: "Failed to find context with id " + id}
	}
	b.askFor(s, r, encode(contextParam{id}), func(in cdp.Message) {
		if in.Result(nil) == nil {
			o.Contexts = slices.DeleteFunc(o.Contexts, func(x string) bool { return x == id })
			delete(o.makers, id)
			b.forgetWorkers(id)
			b.save()
		}
		b.relay(s, r, in)
	})
	return nil
}

func getBrowserContexts(b *Board, s *session, r cdp.Request) *cdp.Error {
	b.done(s, r, struct {
		IDs    []string `json:"browserContextIds"`
		Shared string   `json:"defaultBrowserContextId,omitempty"`
	}{append([]string{}, s.client.owner.Contexts...), b.home(s.client.owner)})
	return nil
}

// ownContext passes a request on that is about the shared context, or about one
// of the owner's.
func ownContext(b *Board, s *session, r cdp.Request) *cdp.Error {
	f, err := fieldsOf(r)
	if err != nil {
		return err
	}
	id, err := f.text("browserContextId")
	if err != nil {
		return err
	}
	home := b.home(s.client.owner)
	if id != "" && id != home && !s.client.owner.hasContext(id) {
		return noContext(id)
	}
	if id == "" && s.browser && s.client.owner.Incognito {
		f["browserContextId"] = encode(home) // none means the shared one to the browser
	}
	b.pass(s, r, encode(f))
	return nil
}

// privateContext passes a request on that is about one of the owner's browser
// contexts. What it sets in the shared one would be set for all.
func privateContext(b *Board, s *session, r cdp.Request) *cdp.Error {
	return inContext(b, s, r, func() *cdp.Error {
		return notAllowed(r.Method + " would hold for all sessions of the browser; a browser context of its own can have it")
	})
}

// privateContextOrNothing is privateContext for what undoes a thing that cannot
// have been done, or is no harm to leave.
func privateContextOrNothing(b *Board, s *session, r cdp.Request) *cdp.Error {
	return inContext(b, s, r, func() *cdp.Error { return swallow(b, s, r) })
}

// pageOfPrivateContext passes a request on that is sent to a page and holds for
// more than the page, where the page is in one of the owner's browser contexts.
func pageOfPrivateContext(b *Board, s *session, r cdp.Request) *cdp.Error {
	if s.browser || b.contextOf(s) == b.shared {
		return notAllowed(r.Method + " would hold for pages of all sessions of the browser; a browser context of its own can have it")
	}
	b.pass(s, r, r.Params)
	return nil
}

// contextOf is the browser context of a session's page, also of a frame's or a
// worker's session; the owner's default one where there is none.
func (b *Board) contextOf(s *session) string {
	for on := s; on != nil; on = on.parent {
		if t := b.targets[on.target]; t != nil && t.ContextID != "" {
			return t.ContextID
		}
	}
	return b.home(s.client.owner)
}

func inContext(b *Board, s *session, r cdp.Request, shared func() *cdp.Error) *cdp.Error {
	f, err := fieldsOf(r)
	if err != nil {
		return err
	}
	id, err := f.text("browserContextId")
	o := s.client.owner
	switch {
	case err != nil:
		return err
	case (id == "" || id == b.home(o)) && !o.Incognito:
		return shared()
	case id == "":
		f["browserContextId"] = encode(b.home(o))
	case id != b.home(o) && !o.hasContext(id):
		return noContext(id)
	}
	b.pass(s, r, encode(f))
	return nil
}
