package server

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// statusOf is the HTTP status of a reply with this code; empty is success. Our
// own callers look at the code, others (curl) at the status.
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

// answerError answers with err, under the status of its code where status is 0.
func answerError(w http.ResponseWriter, err error, status int) {
	coded := wire.AsError(err)
	if status == 0 {
		status = statusOf(coded.Code)
	}
	answer(w, status, wire.Reply{Error: coded})
}

func answer(w http.ResponseWriter, status int, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		status = http.StatusInternalServerError
		raw = []byte(`{"error":{"code":"internal","message":"the answer is no JSON"}}`)
	}
	// A caller that does not take its answer holds nobody up for ever. A writer
	// that knows no deadline is a test's.
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(time.Now().Add(bodyTime))
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(raw)))
	w.WriteHeader(status)
	_, _ = w.Write(raw) // a caller that hung up needs no answer
	_ = control.Flush() // before what is left to do here
}
