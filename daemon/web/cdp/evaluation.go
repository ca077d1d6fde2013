package cdp

import (
	"encoding/json"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// Evaluation is the result of a command of the Runtime domain that runs a script.
type Evaluation struct {
	Result    RemoteObject `json:"result"`
	Exception *struct {
		Text      string `json:"text"`
		Exception *struct {
			Description *string         `json:"description"`
			Value       json.RawMessage `json:"value"`
		} `json:"exception"`
	} `json:"exceptionDetails"`
}

// RemoteObject is a value in a page.
type RemoteObject struct {
	Type           string          `json:"type"`
	Subtype        string          `json:"subtype"`
	Value          json.RawMessage `json:"value"`
	Unserializable string          `json:"unserializableValue"`
	ObjectID       string          `json:"objectId"`
}

// Thrown returns an error with [wire.CodeEvaluation] and the text of the exception, if the script
// threw an exception, and otherwise nil.
func (e Evaluation) Thrown() error {
	if e.Exception == nil {
		return nil
	}
	text := e.Exception.Text
	if exception := e.Exception.Exception; exception != nil {
		if exception.Description != nil {
			text = *exception.Description
		} else if len(exception.Value) > 0 {
			text = "Uncaught " + string(exception.Value)
		}
	}
	return wire.Errorf(wire.CodeEvaluation, "%s", strings.TrimSpace(text))
}
