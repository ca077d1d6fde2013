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

// NewAgent returns the secret id of a new agent in process pid: agent_<32 hex>_<pid>. Any
// process that has the id can act as the agent. Therefore the id is sent only to daemons and
// brokers, and only in a header of requests. A session that the command line uses is an agent
// too; its id is its name, which is public.
func NewAgent(pid int) string {
	random := make([]byte, 16)
	_, _ = rand.Read(random) // never fails
	return fmt.Sprintf("agent_%s_%d", hex.EncodeToString(random), pid)
}

// agentID returns a regular expression that matches the ids of [NewAgent].
func agentID() *regexp.Regexp { return regexp.MustCompile(`^agent_[0-9a-f]{32}_([1-9][0-9]{0,9})$`) }

// AgentPID returns the pid of an agent's process, or 0 if the agent is a session of the
// command line.
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

// AgentKey identifies an agent where the agent is stored, compared or shown. It is the name of a
// session, or the beginning and a digest of a secret id. The id cannot be derived from the key.
type AgentKey string

// shownLength is the number of bytes of a secret id that other agents can see.
const shownLength = 12

// KeyOf returns the key of an agent, given its secret id or the name of its session.
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

// MayControl reports whether the agent k may act in a session that belongs to the agent owner. An
// agent may act in the sessions that belong to it. It may also act in the session that has its
// name, unless the session belongs to an agent with a secret id.
func (k AgentKey) MayControl(session string, owner AgentKey) bool {
	return k == owner || !owner.IsSecret() && k == AgentKey(session)
}

// Actor returns the key of the agent that makes the call: the agent of the request, or the
// session if the request has no agent. A session's name never counts as a secret id, even if
// it has the form of one.
func (c *Call) Actor() AgentKey {
	if c.Agent != "" {
		return KeyOf(c.Agent)
	}
	return AgentKey(c.Session)
}

// OwnershipError returns the error for an action on another agent's tab. The parameter action is a
// verb such as "navigate". The parameter tab has the form SESSION/t1.
func OwnershipError(action, tab string, owner AgentKey) error {
	return Errorf(CodeOwnership, "OWNERSHIP: Cannot %s tab %s (owned by %s)", action, tab, owner).
		WithHint("abrowser snapshot --tab %s reads it; act in a session of your own", tab).
		With("tab", tab).With("ownerId", owner.String())
}
