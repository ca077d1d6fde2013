package mcp

import (
	"encoding/json"

	"github.com/abrowser/abrowser/cmd/abrowser/commands"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// aliasTools returns the tools under names that users of other browser tools know, and those
// that need a connection to have a meaning.
func aliasTools() []tool {
	start := []property{
		{name: "navigationUrl", kind: "string", help: "where the page goes first"},
		{
			name: "mode", kind: "string", help: "whose browser and logins, and what is kept; shared is the default",
			enum: []string{wire.ModeShared, wire.ModeIncognito, wire.ModePersistent, wire.ModeAttached},
		},
		{name: "profile", kind: "string", help: "a browser of its own with this profile, which keeps logins"},
		{name: "cdp", kind: "string", help: "attach to a browser that was started elsewhere, by its port or URL"},
		{name: "headless", kind: "boolean", help: "false shows the browser's window, where this call starts it"},
		{name: "dialogPolicy", kind: "string", help: "what is done with dialogs: accept, dismiss, accept-prompt-with:TEXT or raise"},
		{name: "permissionPolicy", kind: "string", help: "what is done when the page wants a permission: allow, deny, ask-human or raise"},
		{name: "notificationPolicy", kind: "string", help: "what is done with notifications: allow, deny or raise"},
		{name: "fsPickerPolicy", kind: "string", help: "what is done with file pickers: allow, deny or raise"},
	}
	return []tool{
		{
			name: "open_session", group: groupCore, verb: verbs.Open, opens: true, short: "Open a session with a page of its own", extraArgs: start,
			fixed: map[string]any{"url": nil}, serve: (*server).openSession,
		},
		{
			name: "start_browser", group: groupSessions, verb: verbs.Open, opens: true, short: "Open a session with a page of its own, named browser-1, browser-2, ... without a name",
			extraArgs: start, fixed: map[string]any{"url": nil}, serve: (*server).openSession,
		},
		{name: "navigate", group: groupInteraction, verb: verbs.Open, opens: true, short: "Go to a URL on the session's page"},
		{name: "click_element", group: groupInteraction, verb: verbs.Click, short: "Click an element"},
		{name: "set_value", group: groupInteraction, verb: verbs.Fill, short: "Put a value into a field", fields: map[string]string{"text": "value"}},
		{
			name: "get_visible_elements", group: groupInspection, verb: verbs.Snapshot, short: "List the elements to act on, each with its ref",
			fixed: map[string]any{"interactive": true},
		},
		{name: "set_dialog_policy", group: groupSessions, verb: verbs.PolicyDialog, short: "Set what is done with alert, confirm, prompt and beforeunload of this session"},
		{
			name: "set_permission_policy", group: groupSessions, verb: verbs.PolicyPermission, short: "Set what is done when a page of this session wants a permission",
			hiddenFields: []property{{name: "perPermission", kind: "object", help: "a mode for each of some permissions"}},
		},
		{name: "start_har", group: groupInspection, verb: verbs.HARStart, short: "Record this session's requests into a HAR file"},
		{name: "stop_har", group: groupInspection, verb: verbs.HARStop, short: "Write the HAR file and stop recording"},
		{name: "set_notification_policy", group: groupSessions, verb: verbs.PolicyNotification, short: "Set what is done when a page of this session shows a notification"},
		{
			name: "set_fs_picker_policy", group: groupSessions, verb: verbs.PolicyFilePicker, short: "Set what is done when a page of this session opens a file picker",
			hiddenFields: []property{{name: "perAPI", kind: "object", help: "a mode for each of some file pickers"}},
		},
		{
			name: "fs_picker_respond", group: groupSessions, verb: verbs.PolicyRespond, short: "Queue what the next file picker of a kind picks",
			hiddenFields: []property{{name: "files", kind: "array", help: `objects with "path" or "contents", and "name" and "mimeType"`}},
		},
		{name: "get_tabs", group: groupTabs, verb: verbs.TabList, short: "List the session's tabs"},
		{
			name: "request_tab_space", group: groupTabs, verb: verbs.PoolRequest,
			short: "Queue for one more tab, if the pool of extra tabs is full (POOL_FULL); get_slot_requests says when it may be opened",
		},
		{
			name: "grant_tab_space", group: groupTabs, verb: verbs.PoolGrant,
			short: "Close your oldest extra tab for the first agent that waits for one; if none waits nothing is closed",
		},
		{
			name: "get_slot_requests", group: groupTabs, verb: verbs.PoolRequests,
			short: "List the agents that wait for a tab, and whether a slot is reserved for you (youHaveReservation)",
		},
		{
			name: "list_sessions", group: groupCore, verb: verbs.SessionList, short: "List all sessions, also those that left tabs for review",
			serve: (*server).listSessions,
		},
		{
			name: "set_current_session", group: groupSessions, verb: verbs.SessionInfo, short: "Set the session of calls on this connection that name none",
			sets: true, serve: (*server).setCurrent,
		},
		{
			name: "close_session", group: groupCore, verb: verbs.Close, short: "End the session; its tabs stay open unless page is true",
			fixed: map[string]any{"all": false},
		},
		{name: "close_sessions", group: groupSessions, verb: verbs.SessionClose, short: "End the sessions to which all given conditions apply; their tabs stay open"},
		{
			name: "close_all_sessions", group: groupSessions, verb: verbs.Close, short: "End all sessions; their tabs stay open",
			fixed: map[string]any{"all": true}, extraArgs: []property{{name: "detach", kind: "boolean", help: "accepted; tabs stay open anyway"}},
		},
		{
			name: "execute_sequence", group: groupCore, verb: verbs.Batch,
			short: "Do several actions of one session in one go, with no command of another caller in between; stops at the first failure",
			fixed: map[string]any{"steps": nil, "commands": nil, "bail": nil, "omitCommand": nil},
			extraArgs: []property{{
				name: "actions", kind: "array", required: true,
				help: `objects with "action" (the name of a tool) and its arguments, as {"action":"click","selector":"e3"}`,
			}},
			serve: (*server).sequence,
		},
	}
}

// customOutput is an output of a tool's own.
type customOutput struct {
	members map[string]any
	text    string
}

// Text returns the text for the model.
func (o customOutput) Text() string { return o.text }

// MarshalJSON encodes the members.
func (o customOutput) MarshalJSON() ([]byte, error) { return json.Marshal(o.members) }

func (s *server) listSessions(c *call) (answer, error) {
	list, err := s.sessions(c.ctx)
	if err != nil {
		return answer{}, err
	}
	list.CurrentSession = s.currentSession()
	return answer{Result: commands.Result{Output: list}}, nil
}

func (s *server) setCurrent(c *call) (answer, error) {
	if !c.named {
		return answer{}, wire.Errorf(wire.CodeBadInput, "session is missing").WithHint("list_sessions lists the existing ones")
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
			out := customOutput{map[string]any{"currentSession": c.session}, "calls without a session are for " + c.session}
			return answer{Result: commands.Result{Output: out}}, nil
		}
	}
	return answer{}, unknownSession(c.session)
}
