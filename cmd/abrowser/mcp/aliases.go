package mcp

import (
	"encoding/json"

	"github.com/abrowser/abrowser/cmd/abrowser/commands"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// aliasTools returns two kinds of tools: tools with the names that other browser tools use, and
// tools that only make sense on a connection, such as set_current_session.
func aliasTools() []tool {
	start := []property{
		{name: "navigationUrl", kind: "string", help: "the URL to open first"},
		{
			name: "mode", kind: "string", help: "which browser and logins are used, and what is kept; the default is shared",
			enum: []string{wire.ModeShared, wire.ModeIncognito, wire.ModePersistent, wire.ModeAttached},
		},
		{name: "profile", kind: "string", help: "use a separate browser with this profile, which keeps logins"},
		{name: "cdp", kind: "string", help: "attach to a running browser that abrowser did not start, by its port or URL"},
		{name: "headless", kind: "boolean", help: "false shows the browser's window if this call starts the browser"},
		{name: "dialogPolicy", kind: "string", help: "how to handle dialogs: accept, dismiss, accept-prompt-with:TEXT or raise"},
		{name: "permissionPolicy", kind: "string", help: "how to answer requests for permissions: allow, deny, ask-human or raise"},
		{name: "notificationPolicy", kind: "string", help: "how to handle notifications: allow, deny or raise"},
		{name: "fsPickerPolicy", kind: "string", help: "how to handle file pickers: allow, deny or raise"},
	}
	return []tool{
		{
			name: "open_session", group: groupCore, verb: verbs.Open, opens: true, short: "Open a session with its own page", extraArgs: start,
			fixed: map[string]any{"url": nil}, serve: (*server).openSession,
		},
		{
			name: "start_browser", group: groupSessions, verb: verbs.Open, opens: true, short: "Open a session with its own page, named browser-1, browser-2, ... if no name is given",
			extraArgs: start, fixed: map[string]any{"url": nil}, serve: (*server).openSession,
		},
		{name: "navigate", group: groupInteraction, verb: verbs.Open, opens: true, short: "Go to a URL on the session's page"},
		{name: "click_element", group: groupInteraction, verb: verbs.Click, short: "Click an element"},
		{name: "set_value", group: groupInteraction, verb: verbs.Fill, short: "Replace the value of a field", fields: map[string]string{"text": "value"}},
		{
			name: "get_visible_elements", group: groupInspection, verb: verbs.Snapshot, short: "List the elements to act on, each with its ref",
			fixed: map[string]any{"interactive": true},
		},
		{name: "set_dialog_policy", group: groupSessions, verb: verbs.PolicyDialog, short: "Set how alert, confirm, prompt and beforeunload of this session are handled"},
		{
			name: "set_permission_policy", group: groupSessions, verb: verbs.PolicyPermission, short: "Set how permission requests of this session's pages are answered",
			hiddenFields: []property{{name: "perPermission", kind: "object", help: "modes of single permissions"}},
		},
		{name: "start_har", group: groupInspection, verb: verbs.HARStart, short: "Record this session's requests into a HAR file"},
		{name: "stop_har", group: groupInspection, verb: verbs.HARStop, short: "Write the HAR file and stop recording"},
		{name: "set_notification_policy", group: groupSessions, verb: verbs.PolicyNotification, short: "Set how notifications of this session's pages are handled"},
		{
			name: "set_fs_picker_policy", group: groupSessions, verb: verbs.PolicyFilePicker, short: "Set how file pickers of this session's pages are handled",
			hiddenFields: []property{{name: "perAPI", kind: "object", help: "modes of single file pickers"}},
		},
		{
			name: "fs_picker_respond", group: groupSessions, verb: verbs.PolicyRespond, short: "Queue the files that the next file picker of a kind selects",
			hiddenFields: []property{{name: "files", kind: "array", help: `objects with "path" or "contents", and "name" and "mimeType"`}},
		},
		{name: "get_tabs", group: groupTabs, verb: verbs.TabList, short: "List the session's tabs"},
		{
			name: "request_tab_space", group: groupTabs, verb: verbs.PoolRequest,
			short: "Queue for another tab if the pool of extra tabs is full (POOL_FULL); get_slot_requests reports when it can be opened",
		},
		{
			name: "grant_tab_space", group: groupTabs, verb: verbs.PoolGrant,
			short: "Close your oldest extra tab for the first agent in the queue; if the queue is empty, nothing is closed",
		},
		{
			name: "get_slot_requests", group: groupTabs, verb: verbs.PoolRequests,
			short: "List the agents that wait for a tab, and whether a slot is reserved for you (youHaveReservation)",
		},
		{
			name: "list_sessions", group: groupCore, verb: verbs.SessionList, short: "List all sessions, including ended ones with tabs for review",
			serve: (*server).listSessions,
		},
		{
			name: "set_current_session", group: groupSessions, verb: verbs.SessionInfo, short: "Set the session for calls on this connection that do not name one",
			sets: true, serve: (*server).setCurrent,
		},
		{
			name: "close_session", group: groupCore, verb: verbs.Close, short: "End the session; its tabs stay open unless page is true",
			fixed: map[string]any{"all": false},
		},
		{name: "close_sessions", group: groupSessions, verb: verbs.SessionClose, short: "End the sessions that meet all given conditions; their tabs stay open"},
		{
			name: "close_all_sessions", group: groupSessions, verb: verbs.Close, short: "End all sessions; their tabs stay open",
			fixed: map[string]any{"all": true}, extraArgs: []property{{name: "detach", kind: "boolean", help: "accepted; tabs stay open anyway"}},
		},
		{
			name: "execute_sequence", group: groupCore, verb: verbs.Batch,
			short: "Run several actions on one session at once, without commands of other callers in between; stops at the first failure",
			fixed: map[string]any{"steps": nil, "commands": nil, "bail": nil, "omitCommand": nil},
			extraArgs: []property{{
				name: "actions", kind: "array", required: true,
				help: `objects with "action" (the name of a tool) and its arguments, as {"action":"click","selector":"e3"}`,
			}},
			serve: (*server).sequence,
		},
	}
}

// customOutput is the output of a tool that does not return the output of its verb.
type customOutput struct {
	members map[string]any
	text    string
}

// Text returns the text that the model reads.
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
