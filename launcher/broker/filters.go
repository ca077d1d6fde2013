package broker

import (
	"context"

	"github.com/abrowser/abrowser/launcher/broker/filter"
	"github.com/abrowser/abrowser/patches"
	"github.com/abrowser/abrowser/sockets/domains"
)

// The pages of a session with allowed domains reach the network through a proxy that this process
// runs for the session, see package filter. A browser context keeps the address of its proxy for as
// long as it exists. So a new broker listens at the same address as the one before. In the meantime
// the pages reach no host.

// startFilter starts the filter of a session and returns its address.
func (b *broker) startFilter(session string, allowed []string) (string, error) {
	return b.listenAt(session, patches.Filter{Domains: allowed})
}

func (b *broker) listenAt(session string, f patches.Filter) (string, error) {
	if old := b.filters[session]; old != nil {
		old.Close()
		delete(b.filters, session)
	}
	p, err := filter.Listen(context.Background(), f.Address, domains.List(f.Domains), b.log.With("session", session))
	if err != nil {
		return "", err
	}
	b.filters[session] = p
	return p.Address(), nil
}

// matchFilters starts the filters that the mux's tenants need and that do not run, and closes those
// that no tenant needs. If a filter cannot be started, the next call of matchFilters tries again.
func (b *broker) matchFilters() {
	needed := b.mux.Filters()
	for session, f := range needed {
		if f.Address == "" || b.filters[session] != nil {
			continue
		}
		if _, err := b.listenAt(session, f); err != nil {
			b.log.Warn("the filter of a session cannot be started, so its pages reach no host", "session", session, "error", err)
		}
	}
	for session, p := range b.filters {
		if needed[session].Address != p.Address() {
			p.Close()
			delete(b.filters, session)
		}
	}
}

// closeFilters closes all filters. It is called when the mux's goroutine has ended.
func (b *broker) closeFilters() {
	for _, p := range b.filters {
		p.Close()
	}
}
