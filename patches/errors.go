package patches

import (
	"encoding/json"

	"github.com/abrowser/abrowser/patches/cdp"
)

// These are the errors that Chromium itself returns for objects that do not exist. A client gets
// the same errors for the targets, sessions and contexts of other tenants, so that it cannot learn
// that they exist.

func noTarget() *cdp.Error  { return &cdp.Error{Code: -32602, Message: "No target with given id found"} }
func noSession() *cdp.Error { return &cdp.Error{Code: -32602, Message: "No session with given id"} }
func noContext(id string) *cdp.Error {
	return &cdp.Error{Code: -32602, Message: "Failed to find browser context for id " + id}
}

func notFound(method string) *cdp.Error {
	return &cdp.Error{Code: -32601, Message: "'" + method + "' wasn't found"}
}

func notAllowed(why string) *cdp.Error {
	return &cdp.Error{Code: -32000, Message: "Not allowed: " + why}
}

func badParams(why string) *cdp.Error {
	return &cdp.Error{Code: -32602, Message: "Invalid parameters: " + why}
}

// sessionGone returns the error for a message on a CDP session that does not exist or belongs to
// another client.
func sessionGone() *cdp.Error {
	return &cdp.Error{Code: -32001, Message: "Session with given id not found."}
}

// encode returns v as JSON. It panics if v cannot be encoded, which does not happen with the values
// of this package.
func encode(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("patches: " + err.Error())
	}
	return raw
}

// none is the result of a CDP call that returns nothing.
type none struct{}
