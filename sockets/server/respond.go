package server

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// statusOf returns the HTTP status of a reply with this code; an empty code is success.
// abrowser's clients use the code. The status is for other programs, such as curl.
func statusOf(code wire.Code) int {
	switch code {
	case "":
		return http.StatusOK
	case wire.CodeBadInput:
		return http.StatusBadRequest
	case wire.CodeTooLarge:
		return http.StatusRequestEntityTooLarge
	case wire.CodeForbidden, wire.CodeOwnership:
		return http.StatusForbidden
	case wire.CodeUnknownVerb, wire.CodeNotFound, wire.CodeStaleRef:
		return http.StatusNotFound
	case wire.CodeBusy, wire.CodePoolFull, wire.CodeMutexBusy, wire.CodeHeld, wire.CodeBuildDiffers, wire.CodeSettingsDiffer, wire.CodeDialogOpen:
		return http.StatusConflict
	case wire.CodePageClosed, wire.CodePageCrashed:
		return http.StatusGone
	case wire.CodeTimeout, wire.CodeWedged:
		return http.StatusGatewayTimeout
	case wire.CodeInternal:
		return http.StatusInternalServerError
	default:
		return http.StatusUnprocessableEntity
	}
}

// respondError responds with err. The parameter status is the HTTP status. If it is 0, the status
// depends on err's code; see [statusOf].
func respondError(w http.ResponseWriter, err error, status int) {
	coded := wire.AsError(err)
	if status == 0 {
		status = statusOf(coded.Code)
	}
	respond(w, status, wire.Reply{Error: coded})
}

// respond writes v as JSON.
func respond(w http.ResponseWriter, status int, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		status = http.StatusInternalServerError
		raw = []byte(`{"error":{"code":"internal","message":"encoding the response failed"}}`)
	}
	// If the client does not read its response, the write deadline lets this handler end. The
	// result of SetWriteDeadline is ignored, because only the ResponseWriters of tests return an
	// error. They support no deadlines.
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(time.Now().Add(bodyTime))
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(raw)))
	w.WriteHeader(status)
	_, _ = w.Write(raw) // fails if the client has disconnected
	_ = control.Flush() // so that the client need not wait until the handler returns
}
