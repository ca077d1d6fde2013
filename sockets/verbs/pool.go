package verbs

import (
	"fmt"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// PoolShare is the number of extra tabs of an agent.
type PoolShare struct {
	AgentID  string `json:"agentId"`
	TabCount int    `json:"tabCount"`
}

// PoolRequestOut is the output of [PoolRequest].
type PoolRequestOut struct {
	Queued              bool        `json:"queued"`
	Position            int         `json:"position,omitzero"` // the position in the queue, from 1
	YouHaveReservation  bool        `json:"youHaveReservation"`
	ReservationExpires  int64       `json:"reservationExpiresInMs,omitzero"`
	TabPool             string      `json:"tabPool"` // the used slots and the size of the pool: 12/12
	TabHeavyAgents      []PoolShare `json:"tabHeavyAgents"`
	Message             string      `json:"message"`
	PendingRequestCount int         `json:"pendingRequests"`
}

// Text returns what the caller should do next.
func (o PoolRequestOut) Text() string { return o.Message }

// PoolRequest queues the calling agent for a slot in the pool of extra tabs.
var PoolRequest = wire.Verb[Empty, PoolRequestOut]{Spec: wire.Spec{
	Name: "pool request", Group: groupSession, Short: "Queue for another tab if the pool of extra tabs is full",
	Long:    "The queue is first in, first out; a repeated request keeps its position. A free slot is reserved for the first in the queue for 30 s.",
	Example: "abrowser pool request", By: wire.ByBroker, Unqueued: true, NoStart: true,
}}

// PoolGrantOut is the output of [PoolGrant].
type PoolGrantOut struct {
	Granted         bool   `json:"granted"`
	ClosedTab       string `json:"closedTabId,omitzero"` // the closed tab, in the form SESSION/t2
	GrantedTo       string `json:"grantedTo,omitzero"`
	TabCount        int    `json:"tabCount"` // the remaining extra tabs of the caller
	PendingRequests int    `json:"pendingRequests"`
	TabPool         string `json:"tabPool"`
	Message         string `json:"message"`
}

// Text returns what was done.
func (o PoolGrantOut) Text() string { return o.Message }

// PoolGrant closes the calling agent's oldest extra tab for the first agent in the queue.
var PoolGrant = wire.Verb[Empty, PoolGrantOut]{Spec: wire.Spec{
	Name: "pool grant", Group: groupSession, Short: "Close your oldest extra tab for the first agent in the queue",
	Long:    "If no agent waits, no tab is closed. The slot is reserved for the agent for 30 s.",
	Example: "abrowser pool grant", By: wire.ByBroker, Unqueued: true, NoStart: true, Destructive: true,
}}

// PoolWait is an agent that waits for a slot.
type PoolWait struct {
	AgentID   string `json:"agentId"`
	WaitingMS int64  `json:"waitingMs"`
}

// PoolReservation is a slot that is reserved for an agent.
type PoolReservation struct {
	AgentID   string `json:"agentId"`
	ExpiresMS int64  `json:"expiresInMs"`
}

// PoolRequestsOut is the output of [PoolRequests].
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

// Text returns the usage of the pool, the waiting agents, and what the caller may do.
func (o PoolRequestsOut) Text() string {
	all := []string{fmt.Sprintf("tab pool %s, you have %d", o.TabPool, o.YourTabCount)}
	for _, s := range o.Owners {
		all = append(all, fmt.Sprintf("%s has %d", s.AgentID, s.TabCount))
	}
	for i, w := range o.PendingRequests {
		all = append(all, fmt.Sprintf("%d. %s waits for %d s", i+1, w.AgentID, w.WaitingMS/1000))
	}
	for _, r := range o.ActiveReservations {
		all = append(all, fmt.Sprintf("a slot is reserved for %s for another %d s", r.AgentID, r.ExpiresMS/1000))
	}
	return strings.Join(append(all, lines(o.Hint)), "\n")
}

// PoolRequests returns which agents wait for a slot in the pool of extra tabs.
var PoolRequests = wire.Verb[Empty, PoolRequestsOut]{Spec: wire.Spec{
	Name: "pool requests", Group: groupSession, Short: "Print which agents wait for a tab, and whether one can be opened now",
	Example: "abrowser pool requests", By: wire.ByBroker, Unqueued: true, NoStart: true, ReadOnly: true,
}}

// ClaimIn is the input of [BrokerClaim].
type ClaimIn struct {
	Session   string `json:"session" required:"true" help:"the session to use"`
	ReadOnly  bool   `json:"looks,omitzero" help:"the command only reads"`
	QueryOnly bool   `json:"asks,omitzero" help:"do not claim the session"`
}

// ClaimOut is the output of [BrokerClaim].
type ClaimOut struct {
	Owner wire.AgentKey `json:"holder,omitzero"` // the agent that owns the session; empty for none
	Ended bool          `json:"ended,omitzero"`  // the session has ended since its last use
	// Unknown reports that the session was not live and had no tabs before this request. For
	// example, the session is new, or it was incognito and has ended.
	Unknown  bool   `json:"unknown,omitzero"`
	Live     bool   `json:"live,omitzero"` // the session's daemon is connected
	Reserved bool   `json:"held,omitzero"` // the session is live, or it was not ended and its owner is alive
	Tab      string `json:"tab,omitzero"`  // the session's active tab
}

// BrokerClaim returns the owner of a session. If the session is free, the calling agent becomes its
// owner first. If ReadOnly is set, a free session gets no new owner, and loses its previous owner.
// If QueryOnly is set, the owner does not change. A session is free in these cases:
//
//   - It has no owner.
//   - It is not live, and its owner is not alive.
//   - It is not live, and it was ended.
var BrokerClaim = wire.Verb[ClaimIn, ClaimOut]{Spec: wire.Spec{
	Name: "broker claim", Group: groupBroker, Short: "Return a session's owner, and claim an unowned session",
	Example: "abrowser broker claim", By: wire.ByBroker, Unqueued: true, NoStart: true, Hidden: true,
}}

// EndAgentOut is the output of [BrokerEndAgent].
type EndAgentOut struct {
	Sessions []string `json:"sessions,omitzero"` // the agent's sessions, which have been ended
	Closed   int      `json:"closed"`            // the number of closed extra tabs
}

// BrokerEndAgent ends an agent. It cancels the agent's request for a slot in the pool and the
// agent's reservation. For an agent with a secret id, it also closes the agent's extra tabs and
// ends the agent's sessions.
var BrokerEndAgent = wire.Verb[Empty, EndAgentOut]{Spec: wire.Spec{
	Name: "broker goodbye", Group: groupBroker, Short: "End the calling agent", Example: "abrowser broker goodbye",
	By: wire.ByBroker, Unqueued: true, NoStart: true, Hidden: true,
}}
