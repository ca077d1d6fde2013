package web

import (
	"net"
	"net/url"
	"testing"
)

// The host in the URL that the driver gets for a socket is an IP address. The driver would look up
// a name for each new session, possibly over the network.
func TestDriverIsGivenAnAddress(t *testing.T) {
	u, err := url.Parse(driverAddress("/run/b.sock") + ":/v1/session/a")
	if err != nil || net.ParseIP(u.Hostname()) == nil || u.Path != "/run/b.sock:/v1/session/a" {
		t.Errorf("the driver is given %v, %v", u, err)
	}
}
