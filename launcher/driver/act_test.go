package driver

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/launcher/install"
	"github.com/abrowser/abrowser/sockets/home"
)

// pressOnce is a script that runs a press, the action with the id 2, with a limit of 200 ms for
// the wait phase. Its argument consists of two numbers:
//   - busy: how many milliseconds the driver's event loop is blocked after the page's last answer
//     in the wait phase. No timer can fire in this time. The act phase would begin directly after
//     it.
//   - left: the id of an action that the script aborts before it runs the press, or 0.
const pressOnce = `
const playwright = { nullProgress: { metadata: {} } };
const settled = async () => true;
const [busy, left] = process.argv[2].split(" ").map(Number);
const phases = [];
let pressed = 0;
const watcher = { evaluate: async () => "seen" };
const injected = {
  async evaluateHandle() {
    for (const end = performance.now() + busy; performance.now() < end;);
    return watcher;
  },
};
const utility = { injectedScript: async () => injected, evaluateExpression: async () => true };
const page = {
  browserContext: { dialogManager: { addDialogHandler() {}, removeDialogHandler() {} } },
  keyboard: { _keyDescriptionForString() {}, press: async () => void pressed++ },
  mainFrame: () => ({ utilityContext: async () => utility, isNonRetriableError: () => false }),
  performActionPreChecks: async () => {},
};
const session = { emit: (name, { params }) => phases.push(params.acting) };
const server = { signal: new AbortController().signal };
if (left) leave(page, left);
new Act(session, server, page, { id: 2, verb: "press", key: "a", limit: 200, ack: 5000 }).run()
  .then(({ state, stopped }) => console.log(JSON.stringify({ state, stopped, pressed, phases })));
`

// The act phase does not begin after the deadline, even if the timer for the deadline has
// not fired because the driver was busy. It does not begin either if the message that
// aborts the action arrives before the message that starts the action.
func TestActDoesNotBeginLate(t *testing.T) {
	type result struct {
		State, Stopped string
		Pressed        int
		Phases         []bool
	}
	for _, tt := range []struct {
		name, arg string
		want      result
	}{
		{"in time", "0 0", result{"done", "", 1, []bool{true}}},
		{"late", "400 0", result{"none", "late", 0, []bool{}}},
		{"aborted before", "0 2", result{"none", "left", 0, []bool{}}},
		{"the previous action was aborted", "0 1", result{"done", "", 1, []bool{true}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got result
			runNode(t, actScript+verbsScript+readyScript+stillScript+labelScript+unusedScript+pressOnce, tt.arg, &got)
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("the press = %+v, want %+v", got, tt.want)
			}
		})
	}
}

// focusOnce is a script that runs a focus, with a limit of 2 s for the wait phase. Its argument
// consists of three numbers, in milliseconds:
//   - ahead: how far the page's clock is ahead of the driver's
//   - old: how old the page's report that the element is ready seems to be when it comes
//   - asked: how long the message that sets the focus is on its way
const focusOnce = `
const playwright = { nullProgress: { metadata: {} } };
const [ahead, old, asked] = process.argv[2].split(" ").map(Number);
const { now } = Date;
const inPage = (script, args) => {
  Date.now = () => now() + ahead;
  try {
    return script(args);
  } finally {
    Date.now = now;
  }
};
const pause = (time) => new Promise((done) => setTimeout(done, time));
const phases = [];
let focused = 0;
const injected = { focusNode: () => (focused++, "done") };
const frame = {
  utilityContext: async () => ({
    injectedScript: async () => injected,
    evaluateExpression: (script, options, args) => pause(asked).then(() => inPage(eval(script), args)),
  }),
  isNonRetriableError: () => false,
  selectors: { resolveInjectedForSelector: async () => ({ injected: looker, info: {} }) },
};
const node = { _frame: frame, asElement: () => node, dispose() {} };
const looker = {
  evaluate: async (read) => read({ abrowserLook: Promise.resolve({ facts: { count: 1, why: "", now: now() + ahead - old } }) }),
  _evaluateExpressionHandle: async () => node,
};
const page = {
  browserContext: { dialogManager: { addDialogHandler() {}, removeDialogHandler() {} } },
  keyboard: { _pressedKeys: new Set() },
  mainFrame: () => frame,
  performActionPreChecks: async () => {},
};
const session = { emit: (name, { params }) => phases.push(params.acting) };
new Act(session, { signal: new AbortController().signal }, page, { id: 1, verb: "focus", selector: "#a", limit: 2000, ack: 5000 }).run()
  .then(({ state, stopped }) => console.log(JSON.stringify({ state, stopped, focused, phases })));
`

// A script has its effect before the deadline, and not later. The page checks the deadline by its own
// clock. The driver estimates this clock from the page's responses. If a response took a long time,
// the estimate is bad, and the script still runs.
func TestScriptIsInTime(t *testing.T) {
	type result struct {
		State, Stopped string
		Focused        int
		Phases         []bool
	}
	for _, tt := range []struct {
		name, arg string
		want      result
	}{
		{"the page's clock is an hour ahead", "3600000 0 0", result{"done", "", 1, []bool{true}}},
		{"the page's clock is an hour behind", "-3600000 0 0", result{"done", "", 1, []bool{true}}},
		{"the report came late", "0 3600000 0", result{"done", "", 1, []bool{true, false, true}}},
		{"the report came late, from a page whose clock is ahead", "3600000 5000 0", result{"done", "", 1, []bool{true, false, true}}},
		{"the script runs late", "0 0 2500", result{"none", "late", 0, []bool{true, false}}},
		{"the script runs late in a page whose clock is behind", "-3600000 0 2500", result{"none", "late", 0, []bool{true, false}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got result
			runNode(t, actScript+verbsScript+readyScript+stillScript+labelScript+unusedScript+focusOnce, tt.arg, &got)
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("the focus = %+v, want %+v", got, tt.want)
			}
		})
	}
}

// readyRef is a script that calls awaitReady for the ref e2, in a document that has an element with
// this ref. The action got the ref from a snapshot of this document or of an earlier one. The
// argument says when the snapshot's document began, in milliseconds after this document began. It
// is 0 for the same document and negative for an earlier one. Refs start again in each document, so
// two documents can have the same ref.
const readyRef = `
const node = { _ariaRef: { ref: "e2", role: "button", name: "Buy" }, closest() {} };
const injected = {
  utils: {
    builtins: { setTimeout, clearTimeout, requestAnimationFrame: setImmediate, performance },
    getAriaRole: () => "button", getElementAccessibleName: () => "Buy", normalizeWhiteSpace: (text) => text,
  },
  querySelectorAll: () => [node],
};
const document = {};
awaitReady(injected, { states: [], ref: "e2", began: performance.timeOrigin + Number(process.argv[2]), cover: 0, steady: 0, time: 0 })
  .then(({ node, facts }) => console.log(JSON.stringify({ ready: !!node, stale: facts.stale })));
`

// A ref is stale in a later document, even if an element there has the same ref, role and
// name.
func TestRefOfAnotherDocumentIsStale(t *testing.T) {
	type result struct {
		Ready bool
		Stale string
	}
	for _, tt := range []struct {
		name, distance string
		want           result
	}{
		{"same document", "0", result{Ready: true}},
		{"later document", "-1000", result{Stale: "replaced"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got result
			runNode(t, verbsScript+readyScript+stillScript+labelScript+unusedScript+readyRef, tt.distance, &got)
			if got != tt.want {
				t.Errorf("the element = %+v, want %+v", got, tt.want)
			}
		})
	}
}

// movedByTimer is a script that calls staysInPlace for an element that an interval moves. The argument
// is the interval in milliseconds, or 0 if nothing moves the element. Frames come without a pause, as
// when a busy machine draws overdue frames before it runs overdue timers.
const movedByTimer = `
const interval = Number(process.argv[2]);
let x = 0, currentTime = 0;
const timer = interval && setInterval(() => x++, interval);
const element = {
  ownerDocument: { timeline: { get currentTime() { return currentTime; } } },
  getBoundingClientRect: () => ({ x, y: 0, width: 10, height: 10 }),
};
const requestAnimationFrame = (frame) => setTimeout(() => (currentTime += 16, frame()), 4);
staysInPlace(element, { requestAnimationFrame, setTimeout }).then((stays) => {
  clearInterval(timer);
  console.log(JSON.stringify(stays));
});
`

// An element that a timer moves does not seem to stay in place because the timer is late by some frames.
func TestMovedByALateTimer(t *testing.T) {
	for arg, want := range map[string]bool{"0": true, "30": false} {
		var stays bool
		runNode(t, stillScript+movedByTimer, arg, &stays)
		if stays != want {
			t.Errorf("with an interval of %s ms, staysInPlace() = %v, want %v", arg, stays, want)
		}
	}
}

// runNode runs a script with an argument and decodes what it prints.
func runNode(t *testing.T, script, arg string, out any) {
	t.Helper()
	node, err := (&install.Installer{Root: home.Root{Dir: filepath.Join(t.TempDir(), "home")}}).FindNode(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node.Path, "-", arg)
	cmd.Stdin = strings.NewReader(script)
	raw, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, out); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
}
