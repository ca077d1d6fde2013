package patches

import (
	"encoding/json"
	"strconv"
)

// cdpError is an error as CDP spells it.
type cdpError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error returns the message.
func (e *cdpError) Error() string { return e.Message }

// The errors that Chromium itself gives for what is not there. A foreign thing
// is answered the same, so that nobody learns that it exists.
func noTarget() *cdpError  { return &cdpError{-32602, "No target with given id found"} }
func noSession() *cdpError { return &cdpError{-32602, "No session with given id"} }
func noContext(id string) *cdpError {
	return &cdpError{-32602, "Failed to find browser context for id " + id}
}
func notFound(method string) *cdpError { return &cdpError{-32601, "'" + method + "' wasn't found"} }
func notAllowed(why string) *cdpError  { return &cdpError{-32000, "Not allowed: " + why} }
func badParams(why string) *cdpError   { return &cdpError{-32602, "Invalid parameters: " + why} }

// sessionGone is what a message gets that names a CDP session of nobody or of
// another client.
func sessionGone() *cdpError { return &cdpError{-32001, "Session with given id not found."} }

// command makes a message to the browser. Its params are JSON or nil.
func command(id int64, method string, params []byte, session string) []byte {
	b := make([]byte, 0, len(method)+len(params)+len(session)+64)
	b = strconv.AppendInt(append(b, headReply...), id, 10)
	b = append(append(append(b, `,"method":"`...), method...), '"')
	if params != nil {
		b = append(append(b, `,"params":`...), params...)
	}
	return closeWith(b, session)
}

func closeWith(b []byte, session string) []byte {
	if session != "" {
		b = append(append(append(b, keyTail...), session...), '"')
	}
	return append(b, '}')
}

// reply makes an answer to a client.
func reply(id int64, session string, result any) []byte {
	b := strconv.AppendInt(append(make([]byte, 0, 128), headReply...), id, 10)
	b = append(append(b, `,"result":`...), encode(result)...)
	return closeWith(b, session)
}

func failure(id int64, session string, err *cdpError) []byte {
	b := strconv.AppendInt(append(make([]byte, 0, 128), headReply...), id, 10)
	b = append(append(b, `,"error":`...), encode(err)...)
	return closeWith(b, session)
}

// event makes an event for a client.
func event(method, session string, params any) []byte {
	b := append(append(append(make([]byte, 0, 512), headEvent...), method...), '"')
	b = append(append(b, `,"params":`...), encode(params)...)
	return closeWith(b, session)
}

// encode is for values of this package, which all can be encoded.
func encode(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("patches: " + err.Error())
	}
	return raw
}

// none is the empty result.
type none struct{}
