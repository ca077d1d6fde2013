package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/commands"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// openSession opens a session. It fails if the call names a session that is live. If the call
// names none, openSession chooses a name (see reserveName). If the session cannot be opened as
// requested, openSession ends it again.
func (s *server) openSession(c *call) (answer, error) {
	foreign := map[string]bool{} // names that other agents have taken while this loop ran
	for {
		known, err := s.states(c.ctx)
		if err != nil {
			return answer{}, err
		}
		for session := range foreign {
			known[session] = verbs.StateReady
		}
		session, err := s.reserveName(*c, known)
		if err != nil {
			return answer{}, err
		}
		opening := *c
		opening.session = session
		a, err := s.openAs(opening, known[session] != "")
		s.doneOpening(session)
		if errors.Is(err, wire.CodeOwnership) && !c.named {
			foreign[session] = true
			continue
		}
		c.session, c.named = session, true
		return a, err
	}
}

// states returns the states of all sessions, by name.
func (s *server) states(ctx context.Context) (map[string]string, error) {
	list, err := s.sessions(ctx)
	if err != nil {
		return nil, err
	}
	states := map[string]string{}
	for _, known := range list.Sessions {
		states[known.ID] = known.State
	}
	return states, nil
}

// reserveName returns the name of the session to open, and prevents other calls from opening the
// session at the same time. If the call names no session, the name is the first of browser-1,
// browser-2, ... that no known session has.
func (s *server) reserveName(c call, known map[string]string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	session := c.session
	if !c.named {
		for n := 1; ; n++ {
			session = fmt.Sprintf("browser-%d", n)
			if known[session] == "" && !s.opening[session] {
				break
			}
		}
	}
	if state := known[session]; state != "" && state != verbs.StateReleased || s.opening[session] {
		return "", wire.Errorf(wire.CodeBadInput, "Session '%s' already exists", session).WithHint("close_session first, or use it as it is")
	}
	s.opening[session] = true
	return session, nil
}

func (s *server) doneOpening(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.opening, session)
}

// openAs opens the call's session. The parameter existed says whether the session existed before
// the call. If so, its tabs stay open even if openAs fails.
func (s *server) openAs(c call, existed bool) (answer, error) {
	if url, ok := c.extra["navigationUrl"]; ok {
		c.params["url"] = url
	}
	policies, err := c.policies()
	if err != nil {
		return answer{}, err
	}
	settings := c.settings()
	var warnings []string
	run := func(p policy) (answer, error) {
		a, err := s.run(c.ctx, commands.Command{Session: c.session, Verb: p.verb, Params: p.params, Settings: settings})
		warnings = append(warnings, a.Warnings...)
		a.Warnings = warnings
		if err != nil {
			s.undo(c, settings, !existed)
		}
		return a, err
	}
	for _, p := range policies { // set before the session has a page
		if a, err := run(p); err != nil {
			return a, err
		}
	}
	a, err := run(policy{verbs.Open, c.params})
	if err != nil {
		return a, err
	}
	opened, err := object(a.Output)
	a.Output = customOutput{opened, "session " + c.session + " is open"}
	return a, err
}

// undoTime is the time limit for ending a session that could not be opened.
const undoTime = 10 * time.Second

// undo ends a session that could not be opened, so that its name is free again. If page is true,
// the tabs of the session are closed.
func (s *server) undo(c call, settings map[string]any, page bool) {
	// The session must end even if the client has cancelled the call.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.ctx), undoTime)
	defer cancel()
	// The caller reports the error of opening the session, so ignore an error of ending it.
	_, _ = s.run(ctx, commands.Command{Session: c.session, Verb: verbs.Close, Params: map[string]any{"page": page}, Settings: settings})
	s.forget()
}

// settings returns the browser settings that the call's arguments contain.
func (c call) settings() map[string]any {
	settings := map[string]any{}
	for _, name := range []string{"mode", "profile", "cdp"} {
		if value, ok := c.extra[name]; ok {
			settings[name] = value
		}
	}
	if headless, ok := c.extra["headless"].(bool); ok {
		settings["headed"] = !headless
	}
	return settings
}

// policy is a verb that sets one of a session's policies.
type policy struct {
	verb   wire.AnyVerb
	params map[string]any
}

// policyArguments returns the names of the arguments that set policies of a new session, each with
// the verb that sets the policy.
func policyArguments() map[string]wire.AnyVerb {
	return map[string]wire.AnyVerb{
		"dialogPolicy": verbs.PolicyDialog, "permissionPolicy": verbs.PolicyPermission,
		"notificationPolicy": verbs.PolicyNotification, "fsPickerPolicy": verbs.PolicyFilePicker,
	}
}

// policies returns the policies that the call's arguments set. It returns an error if one of them
// is invalid.
func (c call) policies() ([]policy, error) {
	var all []policy
	for name, verb := range policyArguments() {
		mode, ok := c.extra[name].(string)
		if !ok {
			continue
		}
		p := policy{verb, map[string]any{"mode": mode}}
		if text, ok := strings.CutPrefix(mode, verbs.PolicyPromptWith+":"); ok && name == "dialogPolicy" {
			p.params["mode"], p.params["text"] = verbs.PolicyPromptWith, text
		}
		raw, err := json.Marshal(p.params)
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
