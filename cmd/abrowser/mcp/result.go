package mcp

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/abrowser/abrowser/cmd/abrowser/ask"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// success is a short text for the model, the whole output as structured content,
// and a picture as a picture.
func success(c call, a answer) *mcp.CallToolResult {
	result := &mcp.CallToolResult{}
	if picture, ok := a.out.(*verbs.ScreenshotOut); ok && len(picture.Image) > 0 {
		a.pictures = append(a.pictures, picture.Image)
		a.out = &verbs.ScreenshotOut{Path: picture.Path}
	}
	for _, picture := range a.pictures {
		result.Content = append(result.Content, &mcp.ImageContent{Data: picture, MIMEType: http.DetectContentType(picture)})
	}
	members, err := object(a.out)
	if err != nil {
		return failure(c, err, a.aside)
	}
	if len(a.aside.Warnings) > 0 {
		members["warning"] = strings.Join(a.aside.Warnings, "; ")
	}
	addRecords(members, a.aside.Records)
	members["sessionId"], members["sessionType"] = c.answering(), verbs.TypeBrowser
	result.StructuredContent = members
	text := ""
	if t, ok := a.out.(wire.Texter); ok {
		text = t.Text()
	}
	for _, w := range a.aside.Warnings {
		text += "\nwarning: " + w
	}
	if !c.chosen && c.answering() == c.session {
		text += "\n[session " + c.session + "]"
	}
	if text = strings.TrimPrefix(text, "\n"); text == "" {
		text = "done"
	}
	result.Content = append(result.Content, &mcp.TextContent{Text: text})
	return result
}

// answering is the session that answered: where a tab of another one was named, that
// one.
func (c call) answering() string {
	tab, _ := c.in["tab"].(string)
	if at := strings.LastIndexByte(tab, '/'); at > 0 {
		return tab[:at]
	}
	return c.session
}

// failure says what went wrong, and what to do, so that the model can go on.
func failure(c call, err error, aside ask.Aside) *mcp.CallToolResult {
	e := wire.AsError(err)
	text := e.Message
	if e.Hint != "" {
		text += "\nhint: " + e.Hint
	}
	for _, w := range aside.Warnings {
		text += "\nwarning: " + w
	}
	members := map[string]any{"error": e.Message, "code": e.Code, "sessionId": c.session, "sessionType": verbs.TypeBrowser}
	if e.Hint != "" {
		members["hint"] = e.Hint
	}
	maps.Copy(members, e.Details)
	addRecords(members, aside.Records)
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}, StructuredContent: members}
}

// addRecords adds what policies decided: ok is false where one was missing.
func addRecords(members map[string]any, records []wire.Record) {
	if len(records) > 0 {
		members["records"], members["ok"] = records, !wire.AnyUnhandled(records)
	}
}

// object is an output as the JSON object that structured content has to be.
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
