package web

import (
	"net"
	"net/url"
	"testing"
)

// For each new session a name would be looked up over the network.
func TestDriverIsGivenAnAddress(t *testing.T) {
	u, err := url.Parse(driverAddress("/run/b.sock") + ":/v1/session/a")
	if err != nil || net.ParseIP(u.Hostname()) == nil || u.Path != "/run/b.sock:/v1/session/a" {
		t.Errorf("the driver is given %v, %v", u, err)
	}
}
