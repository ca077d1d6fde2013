package settings

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/direct"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const maxScripts = 50

// AddScript makes each document of the session's pages run a script before the document's own
// scripts.
func AddScript(_ context.Context, at *direct.Settings, in verbs.AddInitScriptIn) (verbs.AddInitScriptOut, error) {
	var out verbs.AddInitScriptOut
	source := in.Script
	if in.File != "" {
		raw, err := os.ReadFile(in.File)
		if err != nil {
			return out, wire.Errorf(wire.CodeBadInput, "reading the script: %v", err).WithHint("abrowser addinitscript --file FILE")
		}
		source = string(raw)
	}
	return out, at.Change(func(s *daemon.State) error {
		s.LastScript++
		out.ID = fmt.Sprintf("s%d", s.LastScript)
		s.Scripts = append(slices.Clone(s.Scripts), daemon.Script{ID: out.ID, Source: source})
		if len(s.Scripts) > maxScripts {
			return wire.Errorf(wire.CodeTooLarge, "the session has %d scripts already", maxScripts).WithHint("abrowser removeinitscript s1")
		}
		return checkSize(s)
	})
}

// RemoveScript removes a script. It does not change documents in which the script has already run.
func RemoveScript(_ context.Context, at *direct.Settings, in verbs.RemoveInitScriptIn) (verbs.RemoveInitScriptOut, error) {
	var ids []string
	for _, script := range at.State.Get().Scripts {
		ids = append(ids, script.ID)
	}
	switch {
	case len(ids) == 0:
		return verbs.RemoveInitScriptOut{}, wire.Errorf(wire.CodeNotFound, "script %.50q not found: the session has none", in.ID).WithHint("abrowser addinitscript SCRIPT")
	case !slices.Contains(ids, in.ID):
		return verbs.RemoveInitScriptOut{}, wire.Errorf(wire.CodeNotFound, "script %.50q not found; the session has %s", in.ID, strings.Join(ids, ", ")).WithHint("abrowser removeinitscript %s", ids[0])
	}
	return verbs.RemoveInitScriptOut{Removed: in.ID}, at.Change(func(s *daemon.State) error {
		s.Scripts = slices.DeleteFunc(slices.Clone(s.Scripts), func(script daemon.Script) bool { return script.ID == in.ID })
		return nil
	})
}
