package web

import (
	"net"
	"net/url"
	"testing"
)

// The host in an endpoint's URL is an IP address. Playwright would resolve a name at each
// connection, possibly over the network.
func TestEndpointURL(t *testing.T) {
	t.Parallel()
	u, err := url.Parse(endpointURL("/run/b.sock", "/v1/session/a"))
	if err != nil || net.ParseIP(u.Hostname()) == nil || u.Path != "/run/b.sock:/v1/session/a" {
		t.Errorf("endpointURL() = %v, %v", u, err)
	}
}
