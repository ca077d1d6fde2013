// Package audit checks pages with libraries of the npm registry, which it runs in the page. It
// sends CDP commands to the page and knows no Playwright. Package web calls it.
package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/abrowser/abrowser/daemon/web/direct"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// A11y checks the page with axe-core.
func A11y(_ context.Context, at *direct.Page, in verbs.A11yIn) (verbs.A11yOut, error) {
	options := map[string]any{"resultTypes": []string{"violations", "incomplete"}, "iframes": false}
	if len(in.Tags) > 0 {
		options["runOnly"] = in.Tags
	}
	var found struct {
		Violations, Incomplete []verbs.A11yRule
		Passes                 []struct{}
		Missing                bool
	}
	err := run(at, in.Library, `async (selector, options) => {
		if (selector && !document.querySelector(selector)) return { missing: true };
		return await axe.run(selector || document, options);
	}`, []any{in.Selector, options}, &found)
	switch {
	case err != nil:
		return verbs.A11yOut{}, err
	case found.Missing:
		return verbs.A11yOut{}, wire.Errorf(wire.CodeNotFound, "element not found: %s", in.Selector).WithHint("abrowser snapshot")
	}
	return verbs.A11yOut{URL: at.URL, Violations: orEmpty(found.Violations), Incomplete: orEmpty(found.Incomplete), Passes: len(found.Passes)}, nil
}

// paintTime is how long Vitals waits until the page has shown content, in milliseconds.
const paintTime = 5000

// Vitals measures the page with web-vitals. Its functions report what the browser has recorded since
// the page's start, a moment after they are called. Vitals waits for the page's first content, up to
// paintTime, because the measurements of a page that is not drawn yet lack it.
func Vitals(_ context.Context, at *direct.Page, in verbs.VitalsIn) (verbs.VitalsOut, error) {
	var metrics []verbs.Vital
	err := run(at, in.Library, `async (paintTime) => {
		const isPainted = () => performance.getEntriesByName("first-contentful-paint").length > 0;
		for (const end = performance.now() + paintTime; !isPainted() && performance.now() < end;)
			await new Promise((done) => setTimeout(done, 20));
		const seen = {};
		for (const name of ["CLS", "FCP", "INP", "LCP", "TTFB"])
			webVitals["on" + name](({ value, rating }) => (seen[name] = { name, value, rating }), { reportAllChanges: true });
		await new Promise((done) => setTimeout(done, 300));
		return Object.values(seen).sort((a, b) => (a.name < b.name ? -1 : 1));
	}`, []any{paintTime}, &metrics)
	return verbs.VitalsOut{URL: at.URL, Metrics: orEmpty(metrics)}, err
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

const world = "abrowser-audit"

// run runs a library and then a function in the page, in a world of their own, and decodes the
// function's result into out.
func run(at *direct.Page, library, function string, args []any, out any) error {
	script, err := os.ReadFile(library)
	if err != nil {
		return wire.Errorf(wire.CodeInstall, "the library of this command cannot be read").WithHint("abrowser install")
	}
	given, err := json.Marshal(args)
	if err != nil {
		return err
	}
	var tree struct {
		FrameTree struct{ Frame struct{ ID string } }
	}
	if err := at.Send("Page.getFrameTree", nil, &tree); err != nil {
		return err
	}
	var made struct{ ExecutionContextID int }
	if err := at.Send("Page.createIsolatedWorld", map[string]any{"frameId": tree.FrameTree.Frame.ID, "worldName": world}, &made); err != nil {
		return err
	}
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	err = at.Send("Runtime.evaluate", map[string]any{
		"expression": fmt.Sprintf("%s\n;(%s)(...%s)", script, function, given),
		"contextId":  made.ExecutionContextID, "awaitPromise": true, "returnByValue": true,
	}, &answer)
	switch {
	case err != nil:
		return err
	case answer.ExceptionDetails != nil:
		return wire.Errorf(wire.CodeEvaluation, "the check failed: %s", answer.ExceptionDetails.Exception.Description).WithHint("abrowser snapshot")
	}
	return json.Unmarshal(answer.Result.Value, out)
}
