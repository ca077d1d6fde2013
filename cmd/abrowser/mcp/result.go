package mcp

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/abrowser/abrowser/cmd/abrowser/commands"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// success returns the result of a call that has an output: a short text for the model, the whole
// output as structured content, and each picture as image content.
func (s *server) success(c call, a answer) *mcp.CallToolResult {
	result := &mcp.CallToolResult{IsError: a.incomplete}
	if picture, ok := a.Output.(*verbs.ScreenshotOut); ok && len(picture.Image) > 0 {
		a.pictures = append(a.pictures, picture.Image)
		shown := *picture
		shown.Image = nil
		a.Output = &shown
	}
	for _, picture := range a.pictures {
		result.Content = append(result.Content, &mcp.ImageContent{Data: picture, MIMEType: http.DetectContentType(picture)})
	}
	members, err := object(a.Output)
	if err != nil {
		return s.failure(c, err, a.Result)
	}
	if len(a.Warnings) > 0 {
		members["warning"] = strings.Join(a.Warnings, "; ")
	}
	addRecords(members, a.Records)
	session := cmp.Or(a.Session, c.session) // the session of the tab, if the call named a tab
	members["sessionId"], members["sessionType"] = session, verbs.TypeBrowser
	result.StructuredContent = members
	text := ""
	if t, ok := a.Output.(wire.Texter); ok {
		text = t.Text()
	}
	for _, w := range a.Warnings {
		text += "\nwarning: " + w
	}
	if !c.named && session == c.session {
		text += "\n[session " + c.session + "]"
	}
	if text = strings.TrimPrefix(text, "\n"); text == "" {
		text = "done"
	}
	result.Content = append(result.Content, &mcp.TextContent{Text: text})
	return result
}

// failure returns the result of a call that failed: an error and its hint, so that the model can
// continue.
func (s *server) failure(c call, err error, result commands.Result) *mcp.CallToolResult {
	e := wire.AsError(err)
	text, hint := e.Message, s.toolHint(e.Hint)
	if hint != "" {
		text += "\nhint: " + hint
	}
	for _, w := range result.Warnings {
		text += "\nwarning: " + w
	}
	members := map[string]any{"error": e.Message, "code": e.Code, "sessionId": c.session, "sessionType": verbs.TypeBrowser}
	if hint != "" {
		members["hint"] = hint
	}
	maps.Copy(members, e.Details)
	addRecords(members, result.Records)
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}, StructuredContent: members}
}

// addRecords adds two members to a result: "records" lists what policies decided, and "ok" is false
// if no policy decided about one of the requests. If there are no records, addRecords adds neither.
func addRecords(members map[string]any, records []wire.Record) {
	if len(records) > 0 {
		members["records"], members["ok"] = records, !wire.AnyUnhandled(records)
	}
}

// object returns an output as a JSON object, since structured content must be an object. If the
// output is another JSON value, object returns an object whose only member "result" is that value.
func object(out any) (map[string]any, error) {
	members := map[string]any{}
	raw, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	if json.Unmarshal(raw, &members) != nil || members == nil {
		members = map[string]any{"result": json.RawMessage(raw)}
	}
	return members, nil
}
