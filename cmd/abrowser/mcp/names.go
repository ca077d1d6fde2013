package mcp

import (
	"encoding/json"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// otherTools are tools that users of other browser tools know by these names, and
// what only makes sense on a connection.
func otherTools() []tool {
	start := []property{
		{name: "navigationUrl", kind: "string", help: "where the page goes first"},
		{
			name: "mode", kind: "string", help: "whose browser and logins, and what is kept; shared is the default",
			enum: []string{wire.ModeShared, wire.ModeIncognito, wire.ModePersistent, wire.ModeAttached},
		},
		{name: "profile", kind: "string", help: "a browser of its own with this profile, which keeps logins"},
		{name: "cdp", kind: "string", help: "attach to a browser that somebody else started, by its port or URL"},
		{name: "headless", kind: "boolean", help: "false shows the browser's window, where this call starts it"},
		{name: "dialogPolicy", kind: "string", help: "what is done with dialogs: accept, dismiss, accept-prompt-with:TEXT or raise"},
		{name: "permissionPolicy", kind: "string", help: "what is done when the page wants a permission: allow, deny, ask-human or raise"},
		{name: "notificationPolicy", kind: "string", help: "what is done with notifications: allow, deny or raise"},
		{name: "fsPickerPolicy", kind: "string", help: "what is done with file pickers: allow, deny or raise"},
	}
	return []tool{
		{
			name: "open_session", group: groupCore, verb: verbs.Open, opens: true, short: "Open a session with a page of its own", extra: start,
			fixed: map[string]any{"url": nil}, serve: (*server).openSession,
		},
		{
			name: "start_browser", group: groupMany, verb: verbs.Open, opens: true, short: "Open a session with a page of its own, named browser-1, browser-2, ... without a name",
			extra: start, fixed: map[string]any{"url": nil}, serve: (*server).openSession,
		},
		{name: "navigate", group: groupMore, verb: verbs.Open, opens: true, short: "Go to a URL on the session's page"},
		{name: "click_element", group: groupMore, verb: verbs.Click, short: "Click an element"},
		{name: "set_value", group: groupMore, verb: verbs.Fill, short: "Put a value into a field", fields: map[string]string{"text": "value"}},
		{
			name: "get_visible_elements", group: groupRead, verb: verbs.Snapshot, short: "List the elements to act on, each with its ref",
			fixed: map[string]any{"interactive": true},
		},
		{name: "set_dialog_policy", group: groupMany, verb: verbs.PolicyDialog, short: "Set what is done with alert, confirm, prompt and beforeunload of this session"},
		{
			name: "set_permission_policy", group: groupMany, verb: verbs.PolicyPermission, short: "Set what is done when a page of this session wants a permission",
			beside: []property{{name: "perPermission", kind: "object", help: "a mode for each of some permissions"}},
		},
		{name: "start_har", group: groupRead, verb: verbs.HARStart, short: "Record this session's requests into a HAR file"},
		{name: "stop_har", group: groupRead, verb: verbs.HARStop, short: "Write the HAR file and stop recording"},
		{name: "set_notification_policy", group: groupMany, verb: verbs.PolicyNotification, short: "Set what is done when a page of this session shows a notification"},
		{
			name: "set_fs_picker_policy", group: groupMany, verb: verbs.PolicyFilePicker, short: "Set what is done when a page of this session opens a file picker",
			beside: []property{{name: "perAPI", kind: "object", help: "a mode for each of some file pickers"}},
		},
		{
			name: "fs_picker_respond", group: groupMany, verb: verbs.PolicyRespond, short: "Queue what the next file picker of a kind picks",
			beside: []property{{name: "files", kind: "array", help: `objects with "path" or "contents", and "name" and "mimeType"`}},
		},
		{name: "get_tabs", group: groupTabs, verb: verbs.TabList, short: "List the session's tabs"},
		{
			name: "request_tab_space", group: groupTabs, verb: verbs.PoolRequest,
			short: "Queue for one more tab, where the pool of extra tabs is full (POOL_FULL); get_slot_requests says when it may be opened",
		},
		{
			name: "grant_tab_space", group: groupTabs, verb: verbs.PoolGrant,
			short: "Close your oldest extra tab for the first agent that waits for one; where nobody waits nothing is closed",
		},
		{
			name: "get_slot_requests", group: groupTabs, verb: verbs.PoolRequests,
			short: "Tell which agents wait for a tab, and whether a slot is kept for you (youHaveReservation)",
		},
		{
			name: "list_sessions", group: groupCore, verb: verbs.SessionList, short: "List all sessions, with those that left tabs for review",
			serve: (*server).listSessions,
		},
		{
			name: "set_current_session", group: groupMany, verb: verbs.SessionInfo, short: "Set the session of calls on this connection that name none",
			sets: true, serve: (*server).setCurrent,
		},
		{
			name: "close_session", group: groupCore, verb: verbs.Close, short: "End the session; its tabs stay open unless page is true",
			fixed: map[string]any{"all": false},
		},
		{name: "close_sessions", group: groupMany, verb: verbs.SessionClose, short: "End the sessions of which everything holds that is given; their tabs stay open"},
		{
			name: "close_all_sessions", group: groupMany, verb: verbs.Close, short: "End all sessions; their tabs stay open",
			fixed: map[string]any{"all": true}, extra: []property{{name: "detach", kind: "boolean", help: "accepted; tabs stay open anyway"}},
		},
		{
			name: "execute_sequence", group: groupCore, verb: verbs.Batch,
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
			return answer{out: said{map[string]any{"currentSession": c.session}, "calls without a session are for " + c.session}}, nil
		}
	}
	return answer{}, wire.Errorf(wire.CodeNotFound, "No session: %s", c.session).WithHint("open_session makes it, list_sessions lists those there are")
}
