package cookies

import (
	"context"
	"errors"
	"net/url"
	"slices"

	"github.com/abrowser/abrowser/daemon/web/cdp"
	"github.com/abrowser/abrowser/daemon/web/direct"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Area is one of the two storages that a page has for its origin.
type Area bool

// The two storages: localStorage and sessionStorage.
const (
	Local   Area = true
	Session Area = false
)

// storage sends CDP commands about one storage of a page.
type storage struct {
	send func(method string, params, out any) error
	id   map[string]any
	url  string
}

// open returns the storage of the page's main frame.
func (a Area) open(c *direct.Page) (storage, error) {
	return a.ofFrame(c, c.Target) // the main frame has the id of its target
}

// ofFrame returns the storage of a frame.
func (a Area) ofFrame(p *direct.Page, frame string) (storage, error) {
	var key struct {
		StorageKey string `json:"storageKey"`
	}
	err := p.Send("Storage.getStorageKeyForFrame", map[string]any{"frameId": frame}, &key)
	if refused := (*cdp.Error)(nil); errors.As(err, &refused) || err == nil && key.StorageKey == "" {
		return storage{}, noStorageError(p.URL)
	}
	return storage{p.Send, map[string]any{"storageKey": key.StorageKey, "isLocalStorage": bool(a)}, p.URL}, err
}

func noStorageError(at string) error {
	return wire.Errorf(wire.CodeNotFound, "the page %.100s has no storage", at).WithHint("abrowser open https://example.com")
}

func (s storage) entries() ([]verbs.StorageEntry, error) {
	var out struct{ Entries [][]string }
	err := s.call("DOMStorage.getDOMStorageItems", nil, &out)
	all := []verbs.StorageEntry{}
	for _, e := range out.Entries {
		if len(e) == 2 {
			all = append(all, verbs.StorageEntry{Name: e[0], Value: e[1]})
		}
	}
	return all, err
}

// call sends a command about the storage. It returns an error if the page has no storage.
func (s storage) call(method string, params map[string]any, out any) error {
	if params == nil {
		params = map[string]any{}
	}
	params["storageId"] = s.id
	err := s.send(method, params, out)
	if refused := (*cdp.Error)(nil); errors.As(err, &refused) {
		return noStorageError(s.url)
	}
	return err
}

// Get reads an entry, or all entries.
func (a Area) Get(_ context.Context, c *direct.Page, in verbs.StorageGetIn) (verbs.StorageGetOut, error) {
	s, err := a.open(c)
	if err != nil {
		return verbs.StorageGetOut{}, err
	}
	all, err := s.entries()
	if in.Key == "" {
		return verbs.StorageGetOut{Entries: all}, err
	}
	out := verbs.StorageGetOut{Key: in.Key}
	for _, e := range all {
		if e.Name == in.Key {
			out.Value = &e.Value
		}
	}
	return out, err
}

// Set sets an entry.
func (a Area) Set(_ context.Context, c *direct.Page, in verbs.StorageSetIn) (verbs.SetOut, error) {
	s, err := a.open(c)
	if err != nil {
		return verbs.SetOut{}, err
	}
	c.Begun = true
	if err := s.call("DOMStorage.setDOMStorageItem", map[string]any{"key": in.Key, "value": in.Value}, nil); err != nil {
		return verbs.SetOut{}, err
	}
	all, err := s.entries() // the browser reports no error for an entry that does not fit
	if err != nil {
		return verbs.SetOut{}, err
	}
	if !slices.Contains(all, verbs.StorageEntry{Name: in.Key, Value: in.Value}) {
		return verbs.SetOut{}, wire.Errorf(wire.CodeBadInput, "the browser does not store the entry: the storage is full").WithHint("abrowser help storage local clear")
	}
	return verbs.SetOut{Set: true}, nil
}

// Clear removes all entries.
func (a Area) Clear(_ context.Context, c *direct.Page, _ verbs.Empty) (verbs.StorageClearOut, error) {
	s, err := a.open(c)
	if err != nil {
		return verbs.StorageClearOut{}, err
	}
	all, err := s.entries()
	if err != nil {
		return verbs.StorageClearOut{}, err
	}
	c.Begun = true
	err = s.call("DOMStorage.clear", nil, nil)
	return verbs.StorageClearOut{Cleared: err == nil, Removed: len(all), Origin: originOf(c.URL)}, err
}

// originOf returns the origin of a URL, such as https://example.com:8443.
func originOf(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return text
	}
	return u.Scheme + "://" + u.Host
}
