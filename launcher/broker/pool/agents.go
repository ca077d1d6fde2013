package pool

import "slices"

// Touch records that an agent has just sent a message. The parameter process is the agent's
// process, or empty if it is not known. Touch reports whether the agent is new.
func (p *Pool) Touch(agent, process string) bool {
	known, ok := p.Agents[agent]
	if process == "" {
		process = known.Process
	}
	p.Agents[agent] = Agent{process, p.Clock()}
	return !ok
}

// Forget removes an agent, its request in the queue and its reservation.
func (p *Pool) Forget(agent string) {
	p.dequeue(agent)
	delete(p.Agents, agent)
	if p.ReservedFor(agent) {
		p.Reserved = nil
	}
}

func (p *Pool) dequeue(agent string) {
	p.Queue = slices.DeleteFunc(p.Queue, func(r Request) bool { return r.Agent == agent })
}

// Orphans returns the agents that have sent nothing for [Options].Silence and for which isAlive
// returns false. An agent that is only idle is not an orphan.
func (p *Pool) Orphans(isAlive func(agent string, a Agent) bool) []string {
	var all []string
	for name, a := range p.Agents {
		if p.Clock().Sub(a.Last) >= p.Silence && !isAlive(name, a) {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}
