package cli

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"strings"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// readScript makes the script of eval from standard input or from base64, where
// that was asked for, so that what is wrong with it is known before anything is
// started.
func (a *app) readScript(ctx context.Context, l *line) error {
	if l.verb.Describe().Name != verbs.Eval.Name {
		return nil
	}
	script, given := l.in["script"].(string)
	if l.on("stdin") {
		if given {
			return wire.Errorf(wire.CodeBadInput, "eval takes a script or --stdin, not both")
		}
		if err := a.need(ctx); err != nil {
			return err
		}
		raw, err := io.ReadAll(io.LimitReader(a.sys.Stdin, wire.MaxRequest+1))
		if err != nil {
			return fmt.Errorf("reading the script: %w", err)
		}
		script = string(raw)
	}
	if l.on("base64") {
		raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(script))
		if err != nil {
			return wire.Errorf(wire.CodeBadInput, "the script is not base64: %v", err)
		}
		script = string(raw)
	}
	if strings.TrimSpace(script) == "" {
		return wire.Errorf(wire.CodeBadInput, "eval needs a script").WithHint("usage: %s", usage(l.verb.Describe(), l.verb.Fields()))
	}
	delete(l.in, "stdin")
	delete(l.in, "base64")
	l.in["script"] = script
	return nil
}
