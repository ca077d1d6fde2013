package cdpserver

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// closeTime is how long the answer to /json/close waits for the page to close.
const closeTime = 5 * time.Second

// page describes a page as Chromium's /json/list does. It has no devtoolsFrontendUrl: that URL
// would be of a web page that shows DevTools, and the server refuses requests of web pages, because
// they have an Origin.
type page struct {
	Description string `json:"description"`
	ID          string `json:"id"`
	ParentID    string `json:"parentId,omitzero"`
	Title       string `json:"title"`
	Type        string `json:"type"`
	URL         string `json:"url"`
	Socket      string `json:"webSocketDebuggerUrl"`
}

// target describes a target as Target.getTargets does.
type target struct {
	ID     string `json:"targetId"`
	Type   string `json:"type"`
	Title  string `json:"title"`
	URL    string `json:"url"`
	Opener string `json:"openerId"`
}

func (h *handler) pageOf(t target) page {
	return page{ID: t.ID, Title: cmp.Or(t.Title, t.URL), Type: t.Type, URL: t.URL, Socket: h.where("ws") + pathPage + t.ID}
}

func targets(r *http.Request, b *browser) ([]target, error) {
	var out struct {
		Infos []target `json:"targetInfos"`
	}
	return out.Infos, b.call(r.Context(), "Target.getTargets", nil, &out)
}

// listPages lists the session's pages and workers.
func listPages(h *handler, r *http.Request, b *browser, _ string) (any, error) {
	all, err := targets(r, b)
	pages := []page{}
	for _, t := range all {
		pages = append(pages, h.pageOf(t))
	}
	return pages, err
}

// version describes the browser.
func version(h *handler, r *http.Request, b *browser, _ string) (any, error) {
	var v struct{ ProtocolVersion, Product, Revision, UserAgent, JSVersion string }
	if err := b.call(r.Context(), "Browser.getVersion", nil, &v); err != nil {
		return nil, err
	}
	return map[string]string{
		"Browser": v.Product, "Protocol-Version": v.ProtocolVersion, "User-Agent": v.UserAgent, "V8-Version": v.JSVersion,
		"WebKit-Version": "537.36 (" + v.Revision + ")", "webSocketDebuggerUrl": h.browserURL(),
	}, nil
}

// newPage opens a page and describes it.
func newPage(h *handler, r *http.Request, b *browser, address string) (any, error) {
	var made struct{ TargetID string }
	if err := b.call(r.Context(), "Target.createTarget", map[string]string{"url": cmp.Or(address, "about:blank")}, &made); err != nil {
		return nil, err
	}
	t, err := find(r, b, made.TargetID)
	return h.pageOf(t), err
}

// find returns the session's target with the given id, or [wire.CodeNotFound].
func find(r *http.Request, b *browser, id string) (target, error) {
	all, err := targets(r, b)
	for _, t := range all {
		if t.ID == id {
			return t, nil
		}
	}
	if err == nil {
		err = noTarget(id)
	}
	return target{}, err
}

func noTarget(id string) error {
	return wire.Errorf(wire.CodeNotFound, "No such target id: %s", id)
}

// activatePage answers a request to activate a page of the session, and changes nothing. The
// session's pages are active in any case, and a session must not take the focus from another
// session or from a person.
func activatePage(_ *handler, r *http.Request, b *browser, id string) (any, error) {
	if _, err := find(r, b, id); err != nil {
		return nil, err
	}
	return "Target activated", nil
}

// closePage closes a page of the session. It returns when the page is closed, so that the next
// list of pages does not contain it, and after closeTime in any case.
func closePage(_ *handler, r *http.Request, b *browser, id string) (any, error) {
	if _, err := find(r, b, id); err != nil {
		return nil, err
	}
	if err := b.call(r.Context(), "Target.setDiscoverTargets", map[string]bool{"discover": true}, nil); err != nil {
		return nil, err
	}
	if err := b.call(r.Context(), "Target.closeTarget", map[string]string{"targetId": id}, nil); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), closeTime)
	defer cancel()
	_ = b.awaitDestroyed(ctx, id) // Chromium gives the same answer while the page is still closing
	return "Target is closing", nil
}
