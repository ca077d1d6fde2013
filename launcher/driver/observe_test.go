package driver

import (
	"reflect"
	"testing"
)

// logMessages is a script. Its argument consists of two numbers, a count and a length. The script
// logs count messages of length characters each, and prints a description of the log.
const logMessages = `
const [count, length] = process.argv[2].split(" ").map(Number);
const listeners = {};
const context = { on: (name, listener) => (listeners[name] = listener) };
observe(context);
for (let i = 0; i < count; i++) {
  listeners.console({ type: () => "log", text: () => String(i).padEnd(length), args: () => [], location: () => undefined, timestamp: () => 1 });
}
const page = { browserContext: context };
const { entries, dropped } = readLog(page, { kind: "messages" });
const size = entries.reduce((sum, { text }) => sum + text.length, 0);
const { cleared } = readLog(page, { kind: "messages", clear: true });
const left = readLog(page, { kind: "messages" });
console.log(JSON.stringify({ entries: entries.length, first: parseInt(entries[0].text), dropped, size, cleared, left: left.entries.length + left.dropped }));
`

// The log has a limited number of messages and a limited size. It drops the oldest messages.
func TestLogIsBounded(t *testing.T) {
	type result struct{ Entries, First, Dropped, Size, Cleared, Left int }
	for _, tt := range []struct {
		name, arg string
		want      result
	}{
		{"few", "3 10", result{Entries: 3, Size: 30, Cleared: 3}},
		{"many", "1500 10", result{1000, 500, 500, 10_000, 1000, 0}},
		{"long", "300 10000", result{104, 196, 196, 1_040_000, 104, 0}},
		{"very long", "1 1000000", result{1, 0, 0, 1<<16 + 1, 1, 0}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got result
			runNode(t, "const crypto = require('crypto');"+settingsScript+trafficScript+observeScript+logMessages, tt.arg, &got)
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("the log = %+v, want %+v", got, tt.want)
			}
		})
	}
}

// readMessages is a script. It reads the messages of a page four times. For each time it prints how
// many messages it got, and how many requests the page has got since the start.
const readMessages = `
const listeners = {};
const context = { on: (name, listener) => (listeners[name] = listener), pages: () => [page] };
const logs = () => listeners.console({ type: () => "log", text: () => "", args: () => [], location: () => undefined, timestamp: () => 1 });
let asked = 0, reply;
const client = { send: () => new Promise((done) => { asked++; reply = done; }) };
const page = { browserContext: context, delegate: { _targetId: "page", _mainFrameSession: { _client: client } } };
const browsers = [{ contexts: () => [context] }];
const progress = { race: (promise) => promise };
const read = async () => {
  const { entries } = await answer({}, progress, browsers, "Abrowser.console", { target: "page", kind: "messages" });
  return [entries.length, asked];
};
const logAndReply = () => { logs(); reply?.(); };
(async () => {
  observe(context);
  const all = [];
  setTimeout(logAndReply, 50);
  all.push(await read());
  all.push(await read()); // the page does not reply
  all.push(await read());
  logAndReply();
  await new Promise(setImmediate);
  setTimeout(logAndReply, 50);
  all.push(await read());
  console.log(JSON.stringify(all));
})();
`

// The log contains what the page has logged before it replies to a request. If the page does not
// reply, the log is read without its reply, and the page gets no further request.
func TestLogIsUpToDate(t *testing.T) {
	var got [][2]int
	runNode(t, "const crypto = require('crypto');"+settingsScript+trafficScript+observeScript+quickScript+readMessages, "", &got)
	if want := [][2]int{{1, 1}, {1, 2}, {1, 2}, {3, 3}}; !reflect.DeepEqual(got, want) {
		t.Errorf("the numbers of messages and requests are %v, want %v", got, want)
	}
}
