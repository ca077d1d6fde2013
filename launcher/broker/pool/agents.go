package pool

import "slices"

// Saw notes a sign of life of an agent. process is empty where it is not known. It
// reports whether the agent is new.
func (p *Pool) Saw(agent, process string) bool {
	known, ok := p.Agents[agent]
	if process == "" {
		process = known.Process
	}
	p.Agents[agent] = Agent{process, p.Clock()}
	return !ok
}

// Forget drops all that an agent waits for, and the agent.
func (p *Pool) Forget(agent string) {
	p.forget(agent)
	delete(p.Agents, agent)
	if p.KeptFor(agent) {
		p.Kept = nil
	}
}

func (p *Pool) forget(agent string) {
	p.Queue = slices.DeleteFunc(p.Queue, func(r Request) bool { return r.Agent == agent })
}

// Orphans are the agents that have said nothing for long and of which lives says that
// there is nothing else that lives. Who is idle is none.
func (p *Pool) Orphans(lives func(agent string, a Agent) bool) []string {
	var all []string
	for name, a := range p.Agents {
		if p.Clock().Sub(a.Last) >= p.Silence && !lives(name, a) {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}
