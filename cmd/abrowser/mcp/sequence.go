package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/abrowser/abrowser/cmd/abrowser/commands"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// sequence runs actions one after the other, in one request.
func (s *server) sequence(c *call) (answer, error) {
	given, _ := c.extra["actions"].([]any)
	if len(given) == 0 {
		return answer{}, wire.Errorf(wire.CodeBadInput, "actions is missing").WithHint(`[{"action":"click","selector":"e3"}]`)
	}
	var actions []commands.Action
	for i, one := range given {
		label := fmt.Sprintf("action %d", i+1)
		action, err := s.action(*c, one)
		if err != nil {
			e := wire.AsError(err)
			return answer{}, &wire.Error{Code: e.Code, Message: label + ": " + e.Message, Hint: e.Hint}
		}
		action.Label = label
		actions = append(actions, action)
	}
	a, err := s.run(c.ctx, commands.Command{Session: c.session, Verb: verbs.Batch, Params: map[string]any{"bail": true}, Actions: actions})
	if err != nil {
		return a, err
	}
	batch, _ := a.Output.(*verbs.BatchOut)
	a.pictures = takePictures(batch.Results, actions)
	result := map[string]any{"total": len(actions), "completed": 0, "results": batch.Results}
	for i, r := range batch.Results {
		a.Records = append(a.Records, r.Records...)
		if !r.Success {
			why := ""
			if r.Error != nil {
				why = *r.Error
			}
			name := actions[i].Words[0]
			result["failed"] = map[string]any{"index": i, "action": name, "error": why, "code": r.Code}
			a.Output = customOutput{result, fmt.Sprintf("%d of %d done; action %d (%s) failed: %s", i, len(actions), i+1, name, why)}
			a.incomplete = true
			return a, nil
		}
		result["completed"] = i + 1
	}
	a.Output = customOutput{result, fmt.Sprintf("%d of %d done", len(batch.Results), len(actions))}
	return a, nil
}

// takePictures returns the screenshots that were not written to a file, and removes them from the
// results.
func takePictures(results []verbs.StepResult, actions []commands.Action) [][]byte {
	var all [][]byte
	for i, r := range results {
		var picture verbs.ScreenshotOut
		if !r.Success || i >= len(actions) || actions[i].Verb.Describe().Name != verbs.Screenshot.Name || json.Unmarshal(r.Result, &picture) != nil || len(picture.Image) == 0 {
			continue
		}
		all = append(all, picture.Image)
		picture.Image = nil
		if rest, err := json.Marshal(picture); err == nil {
			results[i].Result = rest
		}
	}
	return all
}

// action parses one action of a sequence.
func (s *server) action(c call, one any) (commands.Action, error) {
	arguments, ok := one.(map[string]any)
	name, named := arguments["action"].(string)
	if !ok || !named {
		return commands.Action{}, wire.Errorf(wire.CodeBadInput, `not an object with "action"`)
	}
	for _, t := range s.tools {
		if t.name != strings.ReplaceAll(name, " ", "_") || t.serve != nil || t.verb.Describe().By != wire.ByDaemon {
			continue
		}
		inner := call{ctx: c.ctx, tool: t, session: c.session}
		arguments = maps.Clone(arguments)
		delete(arguments, "action")
		if err := inner.assign(arguments); err != nil {
			return commands.Action{}, err
		}
		if inner.session != c.session {
			return commands.Action{}, wire.Errorf(wire.CodeBadInput, "a sequence is for one session")
		}
		return commands.Action{Words: []string{name}, Verb: t.verb, Params: inner.params}, nil
	}
	return commands.Action{}, wire.Errorf(wire.CodeBadInput, "there is no action %q", name).WithHint("an action is the name of a tool, as click or fill")
}
