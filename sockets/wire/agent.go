package wire

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// NewAgent returns the id of a new agent in process pid: agent_<32 hex>_<pid>. Any process
// that knows the id can act as the agent, so the id is sent to daemons and brokers in a
// header of requests and nowhere else. A session of the command line is an agent whose id is
// its public name.
func NewAgent(pid int) string {
	random := make([]byte, 16)
	_, _ = rand.Read(random) // never fails
	return fmt.Sprintf("agent_%s_%d", hex.EncodeToString(random), pid)
}

// agentID matches the ids of [NewAgent].
func agentID() *regexp.Regexp { return regexp.MustCompile(`^agent_[0-9a-f]{32}_([1-9][0-9]{0,9})$`) }

// AgentPID returns the process of an agent, or 0 for a session of the command line.
func AgentPID(agent string) int {
	if !strings.HasPrefix(agent, "agent_") {
		return 0
	}
	found := agentID().FindStringSubmatch(agent)
	if found == nil {
		return 0
	}
	pid, _ := strconv.Atoi(found[1]) // cannot fail: at most ten digits
	return pid
}

// AgentKey identifies an agent where its id is stored, compared or shown: it is the name of
// a session, or a digest of a secret id. The id cannot be derived from it.
type AgentKey string

// shownLength is the number of bytes of a secret id that other agents can see.
const shownLength = 12

// KeyOf returns the key of an agent or session.
func KeyOf(agent string) AgentKey {
	if AgentPID(agent) == 0 {
		return AgentKey(agent)
	}
	sum := sha256.Sum256([]byte(agent))
	return AgentKey(agent[:shownLength] + "#" + hex.EncodeToString(sum[:]))
}

// IsSecret reports whether the agent has a secret id.
func (k AgentKey) IsSecret() bool { return strings.Contains(string(k), "#") }

// String returns the agent as other agents see it: agent_e7f8a9..., or a session's name.
func (k AgentKey) String() string {
	if shown, _, secret := strings.Cut(string(k), "#"); secret {
		return shown + "..."
	}
	return string(k)
}

// MayControl reports whether the agent may act in a session that belongs to owner. It may
// act in the sessions that belong to it. It may also act in the session that has its name,
// unless that belongs to an agent with a secret id.
func (k AgentKey) MayControl(session string, owner AgentKey) bool {
	return k == owner || !owner.IsSecret() && k == AgentKey(session)
}

// Actor returns the agent that makes the call: the one of the request, else the session. The
// name of a session is never a secret id, even if it has the form of one.
func (c *Call) Actor() AgentKey {
	if c.Agent != "" {
		return KeyOf(c.Agent)
	}
	return AgentKey(c.Session)
}

// OwnershipError returns the error of an action on another agent's tab. action is a verb
// such as "navigate", and tab has the form SESSION/t1.
func OwnershipError(action, tab string, owner AgentKey) error {
	return Errorf(CodeOwnership, "OWNERSHIP: Cannot %s tab %s (owned by %s)", action, tab, owner).
		WithHint("abrowser snapshot --tab %s reads it; act in a session of your own", tab).
		With("tab", tab).With("ownerId", owner.String())
}
