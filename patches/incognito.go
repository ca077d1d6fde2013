package patches

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// An incognito owner has a browser context of its own in the place of the shared
// one: it is what the owner's clients take for the browser's default context. It
// is made on our root and without disposeOnDetach, on disk before anybody uses it,
// and disposed of, with all that is in it, when the owner's session ends.

// home is the browser context that an owner's clients take for the default one.
func (b *Board) home(o *owner) string {
	if o.Incognito {
		return o.Private
	}
	return b.shared
}

// alone reports whether all that is in a browser context is the owner's.
func (o *owner) alone(context string) bool {
	return context != "" && (o.hasContext(context) || context == o.Private)
}

// Occupied is the error of [Board.Incognito] for a session that has pages which are
// not incognito. Its number is how many.
type Occupied int

// Error says so.
func (n Occupied) Error() string { return fmt.Sprintf("%d tabs are in the shared context", int(n)) }

// Incognito makes a session an incognito one; then is called when it has its
// context, or with why it cannot have one.
func (b *Board) Incognito(name string, then func(error)) {
	o := b.ownerOf(name)
	if n := len(o.tabs) + len(o.Lost); n > 0 && !o.Incognito {
		then(Occupied(n))
		return
	}
	o.Incognito = true
	b.seclude(o, then)
}

// seclude sees to it that an incognito owner has its context.
func (b *Board) seclude(o *owner, then func(error)) {
	if o.Private != "" {
		then(nil)
		return
	}
	o.secluded = append(o.secluded, then)
	if len(o.secluded) > 1 {
		return
	}
	b.ask("Target.createBrowserContext", nil, "", func(in cdp.Message) {
		var out contextParam
		err := in.Result(&out)
		if err == nil && out.ContextID == "" {
			err = fmt.Errorf("the browser made a context without an id")
		}
		if b.owners[o.Name] != o { // its session ended meanwhile
			if err == nil {
				b.dispose(out.ContextID)
			}
			err = errors.New("the session ended")
		} else if err == nil {
			o.Private = out.ContextID
			b.acceptDownloads(o.Private, nil)
			b.save()
		}
		waiting := o.secluded
		o.secluded = nil
		for _, call := range waiting {
			call(err)
		}
	})
}

// dispose ends a browser context, or at least the pages in it.
func (b *Board) dispose(context string) {
	b.ask("Target.disposeBrowserContext", encode(contextParam{context}), "", func(in cdp.Message) {
		err := in.Result(nil)
		if err == nil {
			b.forgetWorkers(context)
			return
		}
		b.Log.Warn("disposing of a browser context", "error", err)
		for _, t := range b.targets {
			if t.ContextID == context && t.Type == "page" {
				b.ask("Target.closeTarget", encode(targetParam{t.TargetID}), "", nil)
			}
		}
	})
}

// disposeEmpty ends browser contexts that no owner has and no page is in: whoever
// made them died before it was noted. In a browser of somebody else's they are not
// ours.
func (b *Board) disposeEmpty(contexts []string) {
	if b.Foreign {
		return
	}
	for _, id := range contexts {
		if b.contextOwner(id) == nil && !b.hasWindow(id) {
			b.dispose(id)
		}
	}
}

// dissolve ends an incognito owner: its contexts go with all that is in them, and
// nothing is known of it afterwards. done gets how many tabs went.
func (b *Board) dissolve(o *owner, limit time.Duration, done func(discarded int)) {
	var ids []string
	for _, tab := range o.sorted() {
		ids = append(ids, tab.Target)
	}
	for _, id := range append(slices.Clone(o.Contexts), o.Private) {
		if id != "" {
			b.dispose(id)
		}
	}
	b.dropDownloads(o)
	delete(b.owners, o.Name)
	b.save()
	b.awaitGone(ids, limit, done)
}
