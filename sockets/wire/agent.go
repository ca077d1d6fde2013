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

// NewAgent returns the id of a new agent in process pid: agent_<32 hex>_<pid>. Who
// knows it is that agent, so it goes to daemons and brokers in a request's head and
// nowhere else. A session of the command line is an agent by its public name.
func NewAgent(pid int) string {
	random := make([]byte, 16)
	_, _ = rand.Read(random) // it never fails
	return fmt.Sprintf("agent_%s_%d", hex.EncodeToString(random), pid)
}

// agentID is an id as [NewAgent] makes it.
func agentID() *regexp.Regexp { return regexp.MustCompile(`^agent_[0-9a-f]{32}_([1-9][0-9]{0,9})$`) }

// AgentPID is the process of an agent, 0 for a session of the command line.
func AgentPID(agent string) int {
	if !strings.HasPrefix(agent, "agent_") {
		return 0
	}
	found := agentID().FindStringSubmatch(agent)
	if found == nil {
		return 0
	}
	pid, _ := strconv.Atoi(found[1]) // digits, and few
	return pid
}

// AgentKey is what is kept and compared of an agent: a session's name, or of an
// agent with a secret id a digest of it. The id cannot be had from it.
type AgentKey string

// shownLength is how much of a secret id others get to see.
const shownLength = 12

// KeyOf is the key of an agent or session.
func KeyOf(agent string) AgentKey {
	if AgentPID(agent) == 0 {
		return AgentKey(agent)
	}
	sum := sha256.Sum256([]byte(agent))
	return AgentKey(agent[:shownLength] + "#" + hex.EncodeToString(sum[:]))
}

// IsSecret reports whether the agent has an id that only itself knows.
func (k AgentKey) IsSecret() bool { return strings.Contains(string(k), "#") }

// String is the agent as others see it: agent_e7f8a9..., or a session's name.
func (k AgentKey) String() string {
	if shown, _, secret := strings.Cut(string(k), "#"); secret {
		return shown + "..."
	}
	return string(k)
}

// MayControl reports whether the agent may act in a session that belongs to holder: in
// those that it made and in its own, but not in one that an agent with a secret id
// has made.
func (k AgentKey) MayControl(session string, holder AgentKey) bool {
	return k == holder || !holder.IsSecret() && k == AgentKey(session)
}

// Actor is who acts. A session's name is public, whatever it looks like.
func (c *Call) Actor() AgentKey {
	if c.Agent != "" {
		return KeyOf(c.Agent)
	}
	return AgentKey(c.Session)
}

// OwnershipError says that a tab is another agent's. act is what was to be done, as
// in "navigate"; tab is SESSION/t1.
func OwnershipError(act, tab string, holder AgentKey) error {
	return Errorf(CodeOwnership, "OWNERSHIP: Cannot %s tab %s (owned by %s)", act, tab, holder).
		WithHint("abrowser snapshot --tab %s reads it; act in a session of your own", tab).
		With("tab", tab).With("ownerId", holder.String())
}
