package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// otherTools are tools that users of other browser tools know by these names, and
// what only makes sense on a connection.
func otherTools() []tool {
	start := []property{
		{name: "navigationUrl", kind: "string", help: "where the page goes first"},
		{name: "mode", kind: "string", help: "shared (the default), incognito, persistent or attached: whose browser and logins, and what is kept"},
		{name: "profile", kind: "string", help: "a browser of its own with this profile, which keeps logins"},
		{name: "cdp", kind: "string", help: "attach to a browser that somebody else started, by its port or URL"},
		{name: "headless", kind: "boolean", help: "false shows the browser's window, where this call starts it"},
	}
	return []tool{
		{
			name: "open_session", group: groupCore, verb: wire.Open, opens: true, short: "Open a session with a page of its own", extra: start,
			fixed: map[string]any{"url": nil}, serve: (*server).openSession,
		},
		{
			name: "start_browser", group: groupMany, verb: wire.Open, opens: true, short: "Open a session with a page of its own, named browser-1, browser-2, ... without a name",
			extra: start, fixed: map[string]any{"url": nil}, serve: (*server).openSession,
		},
		{name: "navigate", group: groupMore, verb: wire.Open, opens: true, short: "Go to a URL on the session's page"},
		{name: "click_element", group: groupMore, verb: wire.Click, short: "Click an element"},
		{name: "set_value", group: groupMore, verb: wire.Fill, short: "Put a value into a field", fields: map[string]string{"text": "value"}},
		{
			name: "get_visible_elements", group: groupRead, verb: wire.Snapshot, short: "List the elements to act on, each with its ref",
			fixed: map[string]any{"interactive": true},
		},
		{name: "set_dialog_policy", group: groupMany, verb: wire.PolicyDialog, short: "Set what is done with alert, confirm, prompt and beforeunload of this session"},
		{
			name: "set_permission_policy", group: groupMany, verb: wire.PolicyPermission, short: "Set what is done when a page of this session wants a permission",
			extra: []property{{name: "perPermission", kind: "object", help: "a mode for each of some permissions"}}, serve: (*server).askWithExtra,
		},
		{name: "start_har", group: groupRead, verb: wire.HARStart, short: "Record this session's requests into a HAR file"},
		{name: "stop_har", group: groupRead, verb: wire.HARStop, short: "Write the HAR file and stop recording"},
		{name: "set_notification_policy", group: groupMany, verb: wire.PolicyNotification, short: "Set what is done when a page of this session shows a notification"},
		{
			name: "set_fs_picker_policy", group: groupMany, verb: wire.PolicyFilePicker, short: "Set what is done when a page of this session opens a file picker",
			extra: []property{{name: "perAPI", kind: "object", help: "a mode for each of some file pickers"}}, serve: (*server).askWithExtra,
		},
		{
			name: "fs_picker_respond", group: groupMany, verb: wire.PolicyRespond, short: "Queue what the next file picker of a kind picks",
			extra: []property{{name: "files", kind: "array", help: `objects with "path" or "contents", and "name" and "mimeType"`}}, serve: (*server).askWithExtra,
		},
		{name: "get_tabs", group: groupTabs, verb: wire.TabList, short: "List the session's tabs"},
		{
			name: "request_tab_space", group: groupTabs, verb: wire.PoolRequest,
			short: "Queue for one more tab, where the pool of extra tabs is full (POOL_FULL); get_slot_requests says when it may be opened",
		},
		{
			name: "grant_tab_space", group: groupTabs, verb: wire.PoolGrant,
			short: "Close your oldest extra tab for the first agent that waits for one; where nobody waits nothing is closed",
		},
		{
			name: "get_slot_requests", group: groupTabs, verb: wire.PoolRequests,
			short: "Tell which agents wait for a tab, and whether a slot is kept for you (youHaveReservation)",
		},
		{
			name: "list_sessions", group: groupCore, verb: wire.SessionList, short: "List all sessions, with those that left tabs for review",
			serve: (*server).listSessions,
		},
		{
			name: "set_current_session", group: groupMany, verb: wire.SessionInfo, short: "Set the session of calls on this connection that name none",
			serve: (*server).setCurrent,
		},
		{
			name: "close_session", group: groupCore, verb: wire.Close, short: "End the session; its tabs stay open unless page is true",
			fixed: map[string]any{"all": false},
		},
		{name: "close_sessions", group: groupMany, verb: wire.CloseSome, short: "End the sessions of which everything holds that is given; their tabs stay open"},
		{
			name: "close_all_sessions", group: groupMany, verb: wire.Close, short: "End all sessions; their tabs stay open",
			fixed: map[string]any{"all": true}, extra: []property{{name: "detach", kind: "boolean", help: "accepted; tabs stay open anyway"}},
		},
		{
			name: "execute_sequence", group: groupCore, verb: wire.Batch,
			short: "Do several actions of one session in one go, nothing of another caller in between; stops at the first failure",
			fixed: map[string]any{"steps": nil, "commands": nil, "bail": nil, "omitCommand": nil},
			extra: []property{{
				name: "actions", kind: "array", required: true,
				help: `objects with "action" (the name of a tool) and its arguments, as {"action":"click","selector":"e3"}`,
			}},
			serve: (*server).sequence,
		},
	}
}

// askWithExtra passes on fields that only a tool has, and no command line.
func (s *server) askWithExtra(c call) (answer, error) {
	maps.Copy(c.in, c.extra)
	return s.ask(c)
}

// openSession makes a session, and is an error for one that lives.
func (s *server) openSession(c call) (answer, error) {
	list, err := s.sessions(c.ctx)
	if err != nil {
		return answer{}, err
	}
	living := map[string]bool{}
	for _, known := range list.Sessions {
		living[known.ID] = known.State != "released"
	}
	if !c.chosen {
		n := 1
		for living[fmt.Sprintf("browser-%d", n)] {
			n++
		}
		c.session = fmt.Sprintf("browser-%d", n)
	}
	if living[c.session] {
		return answer{}, wire.Errorf(wire.CodeBadInput, "Session '%s' already exists", c.session).WithHint("close_session first, or use it as it is")
	}
	delete(c.in, "url")
	if url, ok := c.extra["navigationUrl"]; ok {
		c.in["url"] = url
	}
	asker, err := s.Asker.Where(c.session, c.settings())
	if err != nil {
		return answer{}, err
	}
	out, aside, err := asker.Ask(c.ctx, c.session, wire.Open, c.in)
	if err != nil {
		return answer{aside: aside}, err
	}
	opened, err := object(out)
	if err != nil {
		return answer{}, err
	}
	return answer{said{opened, "session " + c.session + " is open"}, aside}, nil
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

// said is an output of a tool's own.
type said struct {
	members map[string]any
	text    string
}

// Text is for the model.
func (o said) Text() string { return o.text }

// MarshalJSON writes the members.
func (o said) MarshalJSON() ([]byte, error) { return json.Marshal(o.members) }

func (s *server) listSessions(c call) (answer, error) {
	list, err := s.sessions(c.ctx)
	if err != nil {
		return answer{}, err
	}
	list.CurrentSession = s.now()
	return answer{out: list}, nil
}

func (s *server) setCurrent(c call) (answer, error) {
	if !c.chosen {
		return answer{}, wire.Errorf(wire.CodeBadInput, "session is missing").WithHint("list_sessions lists those there are")
	}
	list, err := s.sessions(c.ctx)
	if err != nil {
		return answer{}, err
	}
	for _, known := range list.Sessions {
		if known.ID == c.session {
			s.mu.Lock()
			s.current = c.session
			s.mu.Unlock()
			return answer{said{map[string]any{"currentSession": c.session}, "calls without a session are for " + c.session}, Aside{}}, nil
		}
	}
	return answer{}, wire.Errorf(wire.CodeNotFound, "No session: %s", c.session).WithHint("open_session makes it, list_sessions lists those there are")
}

// sequence does actions one after the other in one request.
func (s *server) sequence(c call) (answer, error) {
	given, _ := c.extra["actions"].([]any)
	if len(given) == 0 {
		return answer{}, wire.Errorf(wire.CodeBadInput, "actions is missing").WithHint(`[{"action":"click","selector":"e3"}]`)
	}
	var steps []wire.Step
	for i, one := range given {
		step, err := s.step(c, one)
		if err != nil {
			e := wire.AsError(err)
			return answer{}, &wire.Error{Code: e.Code, Message: fmt.Sprintf("action %d: %s", i+1, e.Message), Hint: e.Hint}
		}
		steps = append(steps, step)
	}
	out, aside, err := s.Asker.Ask(c.ctx, c.session, wire.Batch, map[string]any{"steps": steps, "bail": true})
	if err != nil {
		return answer{aside: aside}, err
	}
	batch, _ := out.(*wire.BatchOut)
	result := map[string]any{"total": len(steps), "completed": 0, "results": batch.Results}
	for i, r := range batch.Results {
		aside.Records = append(aside.Records, r.Records...)
		if !r.Success {
			why := ""
			if r.Error != nil {
				why = *r.Error
			}
			failed := map[string]any{"index": i, "action": steps[i].Command[0], "error": why, "code": r.Code}
			result["failed"] = failed
			return answer{said{result, fmt.Sprintf("%d of %d done; action %d (%s) failed: %s", i, len(steps), i+1, steps[i].Command[0], why)}, aside}, nil
		}
		result["completed"] = i + 1
	}
	return answer{said{result, fmt.Sprintf("%d of %d done", len(batch.Results), len(steps))}, aside}, nil
}

func (s *server) step(c call, one any) (wire.Step, error) {
	members, ok := one.(map[string]any)
	name, named := members["action"].(string)
	if !ok || !named {
		return wire.Step{}, wire.Errorf(wire.CodeBadInput, `it is no object with "action"`)
	}
	for _, t := range s.tools {
		if t.name != strings.ReplaceAll(name, " ", "_") || t.serve != nil || t.verb.Describe().By == wire.ByCommand {
			continue
		}
		rest := map[string]any{}
		for key, value := range members {
			if key != "action" {
				rest[key] = value
			}
		}
		raw, err := json.Marshal(rest)
		if err != nil {
			return wire.Step{}, err
		}
		inner, err := s.read(c.ctx, t, raw)
		if err != nil {
			return wire.Step{}, err
		}
		if inner.chosen && inner.session != c.session {
			return wire.Step{}, wire.Errorf(wire.CodeBadInput, "a sequence is of one session")
		}
		in, err := json.Marshal(inner.in)
		return wire.Step{Command: []string{name}, Verb: t.verb.Describe().Name, In: in}, err
	}
	return wire.Step{}, wire.Errorf(wire.CodeBadInput, "there is no action %q", name).WithHint("an action is the name of a tool, as click or fill")
}
