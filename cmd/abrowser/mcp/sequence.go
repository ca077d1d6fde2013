package mcp

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// sequence does actions one after the other in one request.
func (s *server) sequence(c call) (answer, error) {
	given, _ := c.extra["actions"].([]any)
	if len(given) == 0 {
		return answer{}, wire.Errorf(wire.CodeBadInput, "actions is missing").WithHint(`[{"action":"click","selector":"e3"}]`)
	}
	var steps []verbs.Step
	for i, one := range given {
		step, err := s.step(c, one)
		if err != nil {
			e := wire.AsError(err)
			return answer{}, &wire.Error{Code: e.Code, Message: fmt.Sprintf("action %d: %s", i+1, e.Message), Hint: e.Hint}
		}
		steps = append(steps, step)
	}
	out, aside, err := s.Asker.Ask(c.ctx, c.session, verbs.Batch, map[string]any{"steps": steps, "bail": true})
	if err != nil {
		return answer{aside: aside}, err
	}
	batch, _ := out.(*verbs.BatchOut)
	a := answer{aside: aside, pictures: takePictures(batch.Results, steps)}
	result := map[string]any{"total": len(steps), "completed": 0, "results": batch.Results}
	for i, r := range batch.Results {
		a.aside.Records = append(a.aside.Records, r.Records...)
		if !r.Success {
			why := ""
			if r.Error != nil {
				why = *r.Error
			}
			failed := map[string]any{"index": i, "action": steps[i].Command[0], "error": why, "code": r.Code}
			result["failed"] = failed
			text := fmt.Sprintf("%d of %d done; action %d (%s) failed: %s", i, len(steps), i+1, steps[i].Command[0], why)
			a.out = said{result, text}
			return a, nil
		}
		result["completed"] = i + 1
	}
	a.out = said{result, fmt.Sprintf("%d of %d done", len(batch.Results), len(steps))}
	return a, nil
}

// takePictures takes the pictures that have no file out of the results.
func takePictures(results []verbs.StepResult, steps []verbs.Step) [][]byte {
	var all [][]byte
	for i, r := range results {
		var picture verbs.ScreenshotOut
		if !r.Success || i >= len(steps) || steps[i].Verb != verbs.Screenshot.Name || json.Unmarshal(r.Result, &picture) != nil || len(picture.Image) == 0 {
			continue
		}
		all = append(all, picture.Image)
		results[i].Result = json.RawMessage(`{}`)
	}
	return all
}

func (s *server) step(c call, one any) (verbs.Step, error) {
	members, ok := one.(map[string]any)
	name, named := members["action"].(string)
	if !ok || !named {
		return verbs.Step{}, wire.Errorf(wire.CodeBadInput, `it is no object with "action"`)
	}
	for _, t := range s.tools {
		if t.name != strings.ReplaceAll(name, " ", "_") || t.serve != nil || t.verb.Describe().By != wire.ByDaemon {
			continue
		}
		rest := map[string]any{}
		for key, value := range members {
			if key != "action" {
				rest[key] = value
			}
		}
		raw, err := json.Marshal(rest)
		if err != nil {
			return verbs.Step{}, err
		}
		inner, err := s.read(c.ctx, t, raw)
		if err != nil {
			return verbs.Step{}, err
		}
		if inner.chosen && inner.session != c.session {
			return verbs.Step{}, wire.Errorf(wire.CodeBadInput, "a sequence is of one session")
		}
		in, err := json.Marshal(inner.in)
		return verbs.Step{Command: []string{name}, Verb: t.verb.Describe().Name, In: in}, err
	}
	return verbs.Step{}, wire.Errorf(wire.CodeBadInput, "there is no action %q", name).WithHint("an action is the name of a tool, as click or fill")
}
