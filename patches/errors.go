package patches

import (
	"encoding/json"

	"github.com/abrowser/abrowser/patches/cdp"
)

// The errors that Chromium itself gives for what is not there. A foreign thing
// is answered the same, so that nobody learns that it exists.

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

// sessionGone is what a message gets that names a CDP session of nobody or of
// another client.
func sessionGone() *cdp.Error {
	return &cdp.Error{Code: -32001, Message: "Session with given id not found."}
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
