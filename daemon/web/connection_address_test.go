package web

import (
	"net"
	"net/url"
	"testing"
)

// The host in the driver's URL of a socket is an IP address, because the driver would look up a
// name over the network, for each new session.
func TestDriverIsGivenAnAddress(t *testing.T) {
	u, err := url.Parse(driverAddress("/run/b.sock") + ":/v1/session/a")
	if err != nil || net.ParseIP(u.Hostname()) == nil || u.Path != "/run/b.sock:/v1/session/a" {
		t.Errorf("the driver is given %v, %v", u, err)
	}
}
