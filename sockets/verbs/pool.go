package verbs

import (
	"fmt"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// PoolShare is how many extra tabs an agent has.
type PoolShare struct {
	AgentID  string `json:"agentId"`
	TabCount int    `json:"tabCount"`
}

// PoolRequestOut is what [PoolRequest] answers.
type PoolRequestOut struct {
	Queued              bool        `json:"queued"`
	Position            int         `json:"position,omitzero"` // in the queue, from 1
	YouHaveReservation  bool        `json:"youHaveReservation"`
	ReservationExpires  int64       `json:"reservationExpiresInMs,omitzero"`
	TabPool             string      `json:"tabPool"` // in use and in all: 12/12
	TabHeavyAgents      []PoolShare `json:"tabHeavyAgents"`
	Message             string      `json:"message"`
	PendingRequestCount int         `json:"pendingRequests"`
}

// Text is what the caller is to do next.
func (o PoolRequestOut) Text() string { return o.Message }

// PoolRequest queues for a slot of the tab pool.
var PoolRequest = wire.Verb[Empty, PoolRequestOut]{Spec: wire.Spec{
	Name: "pool request", Group: groupSession, Short: "Queue for one more tab, where the pool of extra tabs is full",
	Long:    "First come, first served; asking again keeps the place. A slot that comes free is kept for the first in the queue, for 30 s.",
	Example: "abrowser pool request", By: wire.ByBroker, Unqueued: true, NoStart: true,
}}

// PoolGrantOut is what [PoolGrant] answers.
type PoolGrantOut struct {
	Granted         bool   `json:"granted"`
	ClosedTab       string `json:"closedTabId,omitzero"` // SESSION/t2
	GrantedTo       string `json:"grantedTo,omitzero"`
	TabCount        int    `json:"tabCount"` // extra tabs that the granter has left
	PendingRequests int    `json:"pendingRequests"`
	TabPool         string `json:"tabPool"`
	Message         string `json:"message"`
}

// Text is what was done.
func (o PoolGrantOut) Text() string { return o.Message }

// PoolGrant gives up a tab for the first in the queue.
var PoolGrant = wire.Verb[Empty, PoolGrantOut]{Spec: wire.Spec{
	Name: "pool grant", Group: groupSession, Short: "Close one's oldest extra tab for the first that waits for one",
	Long:    "Where nobody waits nothing is closed. The slot is kept for who gets it, for 30 s.",
	Example: "abrowser pool grant", By: wire.ByBroker, Unqueued: true, NoStart: true, Destructive: true,
}}

// PoolWait is an agent that waits for a slot.
type PoolWait struct {
	AgentID   string `json:"agentId"`
	WaitingMS int64  `json:"waitingMs"`
}

// PoolReservation is a slot that is kept for an agent.
type PoolReservation struct {
	AgentID   string `json:"agentId"`
	ExpiresMS int64  `json:"expiresInMs"`
}

// PoolRequestsOut is what [PoolRequests] answers.
type PoolRequestsOut struct {
	PendingRequests    []PoolWait        `json:"pendingRequests"`
	ActiveReservations []PoolReservation `json:"activeReservations"`
	YourTabCount       int               `json:"yourTabCount"`
	YourPosition       int               `json:"yourPosition,omitzero"`
	YouHaveReservation bool              `json:"youHaveReservation"`
	ReservationExpires int64             `json:"reservationExpiresInMs,omitzero"`
	ShouldGrant        bool              `json:"shouldGrant"`
	TabPool            string            `json:"tabPool"`
	Owners             []PoolShare       `json:"owners"`
	Hint               string            `json:"hint,omitzero"`
}

// Text is how full the pool is, who waits, and what the caller may do.
func (o PoolRequestsOut) Text() string {
	all := []string{fmt.Sprintf("tab pool %s, you have %d", o.TabPool, o.YourTabCount)}
	for _, s := range o.Owners {
		all = append(all, fmt.Sprintf("%s has %d", s.AgentID, s.TabCount))
	}
	for i, w := range o.PendingRequests {
		all = append(all, fmt.Sprintf("%d. %s waits for %d s", i+1, w.AgentID, w.WaitingMS/1000))
	}
	for _, r := range o.ActiveReservations {
		all = append(all, fmt.Sprintf("a slot is kept for %s, %d s more", r.AgentID, r.ExpiresMS/1000))
	}
	return strings.Join(append(all, lines(o.Hint)), "\n")
}

// PoolRequests tells who waits for a slot of the tab pool, and whether one is kept.
var PoolRequests = wire.Verb[Empty, PoolRequestsOut]{Spec: wire.Spec{
	Name: "pool requests", Group: groupSession, Short: "Print who waits for a tab, and whether one may be opened now",
	Example: "abrowser pool requests", By: wire.ByBroker, Unqueued: true, NoStart: true, ReadOnly: true,
}}

// ClaimIn is the input of [BrokerClaim].
type ClaimIn struct {
	Session   string `json:"session" required:"true" help:"the session that is to be used"`
	ReadOnly  bool   `json:"looks,omitzero" help:"only to read"`
	QueryOnly bool   `json:"asks,omitzero" help:"only to know whose it is"`
}

// ClaimOut is what [BrokerClaim] answers.
type ClaimOut struct {
	Owner wire.AgentKey `json:"holder,omitzero"` // whose it is; empty for nobody's
	Ended bool          `json:"ended,omitzero"`  // it was ended since somebody used it
	// Unknown is set where nothing is known of it: new, or incognito and ended.
	Unknown  bool   `json:"unknown,omitzero"`
	Live     bool   `json:"live,omitzero"` // it is at work
	Reserved bool   `json:"held,omitzero"` // it is, or its agent lives: no other agent gets it
	Tab      string `json:"tab,omitzero"`  // its active one
}

// BrokerClaim says whose a session is. It becomes the asking agent's where it is
// nobody's.
var BrokerClaim = wire.Verb[ClaimIn, ClaimOut]{Spec: wire.Spec{
	Name: "broker claim", Group: groupBroker, Short: "Say whose a session is, and take one that is nobody's",
	Example: "abrowser broker claim", By: wire.ByBroker, Unqueued: true, NoStart: true, Hidden: true,
}}

// EndAgentOut is what [BrokerEndAgent] answers.
type EndAgentOut struct {
	Sessions []string `json:"sessions,omitzero"` // that were the agent's, and are released
	Closed   int      `json:"closed"`            // extra tabs
}

// BrokerEndAgent ends an agent: its extra tabs are closed, its sessions released, and
// what it waits for is forgotten.
var BrokerEndAgent = wire.Verb[Empty, EndAgentOut]{Spec: wire.Spec{
	Name: "broker goodbye", Group: groupBroker, Short: "End the agent that asks", Example: "abrowser broker goodbye",
	By: wire.ByBroker, Unqueued: true, NoStart: true, Hidden: true,
}}
