package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/ask"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// openSession makes a session, and is an error for one that lives. One that cannot be
// opened as asked is not there afterwards.
func (s *server) openSession(c call) (answer, error) {
	foreign := map[string]bool{} // made by other agents meanwhile
	for {
		known, err := s.states(c)
		if err != nil {
			return answer{}, err
		}
		for session := range foreign {
			known[session] = verbs.StateReady
		}
		session, err := s.take(c, known)
		if err != nil {
			return answer{session: session}, err
		}
		a, err := s.openAs(c, session, known[session] != "")
		s.letGo(session)
		if errors.Is(err, wire.CodeOwnership) && !c.chosen {
			foreign[session] = true
			continue
		}
		a.session = session
		return a, err
	}
}

// states are the states of all sessions that there are.
func (s *server) states(c call) (map[string]string, error) {
	list, err := s.sessions(c.ctx)
	if err != nil {
		return nil, err
	}
	states := map[string]string{}
	for _, known := range list.Sessions {
		states[known.ID] = known.State
	}
	return states, nil
}

// take chooses the session that is to be opened, and keeps it from being opened twice
// at once. One without a name gets a name that nobody has left a tab under.
func (s *server) take(c call, known map[string]string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	session := c.session
	if !c.chosen {
		for n := 1; ; n++ {
			session = fmt.Sprintf("browser-%d", n)
			if known[session] == "" && !s.opening[session] {
				break
			}
		}
	}
	if state := known[session]; state != "" && state != verbs.StateReleased || s.opening[session] {
		return session, wire.Errorf(wire.CodeBadInput, "Session '%s' already exists", session).WithHint("close_session first, or use it as it is")
	}
	s.opening[session] = true
	return session, nil
}

func (s *server) letGo(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.opening, session)
}

// openAs opens the session. wasThere is set where it has left tabs, which stay also
// where it cannot be opened.
func (s *server) openAs(c call, session string, wasThere bool) (answer, error) {
	if url, ok := c.extra["navigationUrl"]; ok {
		c.in["url"] = url
	}
	policies, err := c.policies()
	if err != nil {
		return answer{}, err
	}
	asker, err := s.Asker.Where(session, c.settings())
	if err != nil {
		return answer{}, err
	}
	var before []string          // what starting the session says
	for _, p := range policies { // in force before the first page is there
		_, aside, err := asker.Ask(c.ctx, session, p.verb, p.in)
		before = append(before, aside.Warnings...)
		if err != nil {
			s.undo(c.ctx, asker, session, !wasThere)
			return answer{aside: ask.Aside{Warnings: before}}, err
		}
	}
	out, aside, err := asker.Ask(c.ctx, session, verbs.Open, c.in)
	aside.Warnings = append(before, aside.Warnings...)
	if err != nil {
		s.undo(c.ctx, asker, session, !wasThere)
		return answer{aside: aside}, err
	}
	opened, err := object(out)
	return answer{out: said{opened, "session " + session + " is open"}, aside: aside}, err
}

// undoTime is how long a session that could not be opened may take to end.
const undoTime = 10 * time.Second

// undo ends a session that could not be opened, so that its name can be used again.
func (s *server) undo(ctx context.Context, asker ask.Asker, session string, page bool) {
	// Also where the client has given up waiting.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTime)
	defer cancel()
	_, _, _ = asker.Ask(ctx, session, verbs.Close, map[string]any{"page": page}) // why it was not opened is what counts
	s.forget()
}

// settings are those of the arguments that say in what browser a session is.
func (c call) settings() map[string]any {
	where := map[string]any{}
	for _, name := range []string{"mode", "profile", "cdp"} {
		if value, ok := c.extra[name]; ok {
			where[name] = value
		}
	}
	if headless, ok := c.extra["headless"].(bool); ok {
		where["headed"] = !headless
	}
	return where
}

// policy is one that a session is opened with.
type policy struct {
	verb wire.AnyVerb
	in   map[string]any
}

// policyArguments are the arguments that set the policies of a session as it is
// opened, by the verbs that do.
func policyArguments() map[string]wire.AnyVerb {
	return map[string]wire.AnyVerb{
		"dialogPolicy": verbs.PolicyDialog, "permissionPolicy": verbs.PolicyPermission,
		"notificationPolicy": verbs.PolicyNotification, "fsPickerPolicy": verbs.PolicyFilePicker,
	}
}

// policies are those that were asked for, each checked.
func (c call) policies() ([]policy, error) {
	var all []policy
	for name, verb := range policyArguments() {
		given, ok := c.extra[name].(string)
		if !ok {
			continue
		}
		p := policy{verb, map[string]any{"mode": given}}
		if text, ok := strings.CutPrefix(given, verbs.PolicyPromptWith+":"); ok && name == "dialogPolicy" {
			p.in["mode"], p.in["text"] = verbs.PolicyPromptWith, text
		}
		raw, err := json.Marshal(p.in)
		if err == nil {
			_, err = verb.Decode(bytes.NewReader(raw))
		}
		if err != nil {
			e := wire.AsError(err)
			return nil, &wire.Error{Code: e.Code, Message: name + ": " + e.Message, Hint: e.Hint}
		}
		all = append(all, p)
	}
	return all, nil
}
