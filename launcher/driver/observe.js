// The driver records what the pages of a session log, the errors that they do not catch, and their
// requests (see traffic.js). The records are sent only when the session asks for them. They begin
// and end with the session's connection, so they also contain what happens before the first command
// and between commands. They include frames of all origins, workers, popups and closed pages.
//
// The driver adds this method to the CDP session of a page:
//   Abrowser.console  {target, kind, clear}: kind is "messages" or "errors". If clear is set, kind
//                     may also be "requests". The response has the records of the whole session,
//                     not only those of the page: entries is a list of records, the oldest first,
//                     and dropped is the number of older records that were dropped. If clear is
//                     set, the records are removed, and the response is {cleared}, their number.
//                     The response is {} if the driver does not have the page

const maxEntries = 1000;
const maxLogSize = 1 << 20; // characters
const maxText = 1 << 16; // characters of one text
const maxArgs = 50;
const valueTypes = new Set(["object", "function", "symbol", "undefined", "string", "number", "boolean", "bigint"]);
const observed = new WeakMap(); // maps a browser context to its logs

// Log keeps the newest entries. It limits their number and their total size.
class Log {
  constructor(maxSize = maxLogSize) {
    Object.assign(this, { maxSize, entries: [], sizes: [], size: 0, dropped: 0 });
  }

  add(entry, size) {
    this.entries.push(entry);
    this.sizes.push(size);
    this.size += size;
    while (this.entries.length > maxEntries || (this.size > this.maxSize && this.entries.length > 1)) {
      this.entries.shift();
      this.size -= this.sizes.shift();
      this.dropped++;
    }
  }

  // clear removes all entries and returns their number.
  clear() {
    const cleared = this.entries.length;
    Object.assign(this, { entries: [], sizes: [], size: 0, dropped: 0 });
    return cleared;
  }
}

// observe starts the records and the settings of a session. Playwright calls it for each new
// browser context. The function matches reports whether a URL matches a glob.
function observe(context, matches) {
  settings.set(context, new Settings(context, matches));
  const logs = { messages: new Log(), errors: new Log(), requests: new Log(maxTrafficSize) };
  observed.set(context, logs);
  context.on("console", (message) => logs.messages.add(...consoleEntry(message)));
  context.on("pageerror", ({ error, location }) => {
    const text = cut(error.stack || String(error));
    logs.errors.add({ text, ...place(location), timestamp: Date.now() }, text.length);
  });
  const prefix = crypto.randomInt(1000, 10_000) + ".";
  let count = 0;
  context.on("request", (request) => logs.requests.add({ request, requestId: prefix + ++count, timestamp: Date.now() }, requestSize(request)));
}

// caughtUp waits until the driver has the events of all that the page has done before this call. The
// daemon evaluates scripts on a CDP session of its own. A renderer sends the reply to such a script
// at once, but the events for other CDP sessions only at the end of its task, or before a reply on
// their own session. It replies to Performance.getMetrics even while a script runs. caughtUp does
// not wait longer than caughtUpTime, and not at all while an earlier reply is overdue.
async function caughtUp(page) {
  const client = page.delegate._mainFrameSession._client;
  if (client.abrowserIsLate) return;
  let isLate = true;
  const reply = client.send("Performance.getMetrics").catch(() => {}).finally(() => (client.abrowserIsLate = isLate = false));
  await inTime(reply, Date.now() + caughtUpTime);
  client.abrowserIsLate = isLate;
}

const caughtUpTime = 300; // milliseconds

function readLog(page, { kind, clear }) {
  const log = observed.get(page.browserContext)?.[kind];
  if (!log) return {};
  if (clear) return { cleared: log.clear() };
  return { entries: log.entries, dropped: log.dropped };
}

// consoleEntry returns the entry of a message, and its size.
function consoleEntry(message) {
  const text = cut(message.text());
  let size = text.length;
  const args = [];
  for (const handle of message.args().slice(0, maxArgs)) {
    const arg = describeValue(handle);
    args.push(arg);
    size += (arg.description ?? String(arg.value)).length;
  }
  return [{ type: message.type(), text, args, ...place(message.location()), timestamp: message.timestamp() ?? Date.now() }, size];
}

// describeValue describes a value of a page as CDP does: {type, subtype, value, description}. The
// value of an object is left out.
function describeValue({ _objectId: id, _objectType: kind, _value: value, _preview: preview }) {
  const described = valueTypes.has(kind) ? { type: kind } : { type: "object", subtype: kind };
  if (id) described.description = cut(preview);
  else if (typeof value === "string") described.value = cut(value);
  else if (typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value))) described.description = String(value);
  else described.value = value;
  return described;
}

// place returns a position in a script. The line and the column count from 0.
function place(location) {
  return { url: location?.url ?? "", line: location?.lineNumber ?? 0, column: location?.columnNumber ?? 0 };
}

// cut returns the beginning of a text. If the text is too long, the result is a copy of its
// beginning, since a part of a string would keep the whole string in memory.
function cut(text) {
  return text.length > maxText ? Buffer.from(text.slice(0, maxText)).toString() + "\u2026" : text;
}
