// This script is Playwright's driver for several sessions. Playwright's own driver, the command
// cli.js run-driver, serves one session on its standard input and output. This script listens on
// a Unix socket, and serves one session on each connection in the same way. If its arguments are
// those of cli.js run-driver, it serves a single session on its standard input and output.
//
// The first line that a client sends on a connection is the type of the connection:
//   session ID   a session. ID is the hash of the script and of the paths of Playwright and Node
//                that the client wants. The response is "-" if the driver has another ID, has no
//                room or is stopping. Otherwise it is "+", and then both sides send
//                playwright-go's messages, each after its length in four bytes
//   status       the response is the driver's status as JSON
//   watch        for pings. The response to each byte is a byte: "1" on the oldest connection of
//                this type, and "0" on all others, whose clients may therefore ping less often
//
// Descriptor 3 is the lease, a locked file that the process holds until it exits. On descriptor
// 4 the process reports that it listens. The permissions of the socket's directory decide which
// users can connect.
"use strict";
const crypto = require("crypto");
const fs = require("fs");
const Module = require("module");
const net = require("net");
const path = require("path");
const { Duplex } = require("stream");
const { AsyncLocalStorage } = require("async_hooks");

const single = process.argv[2] === "run-driver"; // a driver for the session that started it
const [, , , socketPath, bundle, id, limit, linger] = single ? [, , , , path.join(path.dirname(process.argv[1]), "lib", "coreBundle.js")] : process.argv;
const { server: playwright } = load(bundle);
const firstLineTimeout = 10_000;
const firstSessionTimeout = 10_000; // so that the session that has started the driver can connect
const maxMessage = 1 << 28; // bytes in a message of a client
const maxUnread = 1 << 28; // bytes that a client may leave unread
const sessions = new Set();
const pingers = new Set(); // the connections of the type watch, the oldest first
const currentSession = new AsyncLocalStorage(); // the session for which the current code runs

const log = (what, more) => console.error(JSON.stringify({ time: new Date().toISOString(), msg: what, ...more }));

// load loads Playwright's bundle like require, and makes sixteen changes to it:
//  1. If a page calls an exposed function that this Playwright does not have, the call is ignored
//     and is not an error, because another client of the page has exposed the function and
//     answers the call.
//  2. Before an action on an element, Playwright compares the element's positions in several
//     animation frames, to find out whether the element moves. This takes 33 ms. The comparison
//     is skipped if no animation can move the element (isStill) and no script has changed the
//     document in the last three frames (watchChanges, both in still.js). Otherwise staysInPlace
//     makes the comparison. Playwright makes it only if staysInPlace has no result.
//  3. The CDP sessions of pages get additional methods, see answer in quick.js.
//  4. Playwright's functions are installed in a page in another way, see inject in quick.js.
//  5. An abandoned hit-target guard is removed, see endGuards.
//  6. A frame emits an event when its pending document changes, see follow in quick.js.
//  7. A snapshot shows dots in place of a password.
//  8. A snapshot has more properties, see describe in snapshot.js. An element that has one of
//     them, or is empty and has a pointer cursor, is not left out as a mere wrapper.
//  9. A snapshot has a node for text that can be clicked by itself (isClickableText in
//     snapshot.js), where Playwright's snapshot has only the text.
// 10. Before a snapshot, the page gets scripts that find the elements that listen to clicks, see
//     bringListeners in snapshot.js.
// 11. A click on a checkbox or radio button may hit the input's label, see label.js.
// 12. A selector can begin with the frame in which it is resolved, see enterFrame in frames.js.
// 13. For each browser context, the driver keeps records, see observe.js, and settings, see
//     settings.js.
// 14. The password of a session is added to its requests, see addCredentials in settings.js.
// 15. Playwright does not answer an authentication challenge with the password. A page whose
//     requests are intercepted gets the server's response, whereas Chromium would wait for a
//     person to enter a password.
// 16. Of a frame that does not respond within 5 s, a snapshot has only the frame itself, with the
//     property unresponsive, see responds in snapshot.js.
// Each change replaces a piece of the bundle's code. If the bundle does not contain the piece for
// change 2, load makes none of the changes. If it does not contain the piece for another change,
// load makes all changes but that one.
//
// If a source has a single character beyond Latin-1, for example in a comment, V8 stores every
// character of this source in two bytes. For Playwright's two bundles that would be 6 MB more in
// every driver, so load escapes all characters beyond ASCII.
function load(file) {
  const unknown = 'throw new Error(`Function "${name}" is not exposed`);';
  const send = "return { result: await this._object.send(progress2, params2.method, params2.params) };";
  const additional = 'if (params2.method.startsWith("Abrowser.")) return { result: await module.answer(this._object, progress2, params2.method, params2.params) };';
  const escape = (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0");
  const ascii = (bytes) => Buffer.from(bytes, "latin1").toString().split("").map(escape).join("");
  const read = (name) => fs.readFileSync(name, "latin1").replace(/[\x80-\xff]+/g, ascii);
  Module._extensions[".js"] = (module, name) => module._compile(read(name), name);
  const bring = "this._injectedScriptPromise = this.rawEvaluateHandle(source8).then(";
  const once = "this._injectedScriptPromise = module.inject(this, source3, options2, source8).then(";
  const pending = "this._pendingDocument = documentInfo;";
  const capture = "const snapshotOrRetry = await progress3.race(injectedScript.evaluate(";
  const brought = "module.bringListeners(frame, context2); ";
  const inner = "return await ariaSnapshotForFrame(progress2, child.frame";
  const chunks = "const frameChunks = splitSelectorByFrame(selector);";
  const joined = "const sessionInfo = { session: session2, isMain, workerFrame, eventListeners: [] };";
  const challenged = "const shouldProvideCredentials = this._shouldProvideCredentials(event.request.url);";
  const created = "this._consoleApiExposed = false;";
  const source = read(file).replace(unknown, "return;").replace(send, additional + send).replace(bring, once).replace(pending, pending + 'this.emit("abrowserpending");').replace(capture, brought + capture).replace(inner, "if (!(await module.responds(child.frame))) return { full: ['- /unresponsive: \"true\"'] }; " + inner).replace(chunks, "[frame, selector] = module.enterFrame(frame, selector); " + chunks).replace(created, created + " module.observe(this, (url, glob) => urlMatches(undefined, url, glob));")
    .replace(joined, "module.addCredentials(this, session2); " + joined).replace(challenged, "this._attemptedAuthentications.add(event.requestId); const shouldProvideCredentials = false;");
  // Changes 2, 5, 7 to 9 and 11 are inside string literals of the bundle, so their code is escaped.
  const escaped = (code) => JSON.stringify(code).slice(1, -1);
  const helpers = `{ isClickable: ${isClickable}, isListening: ${isListening}, labelOf: ${labelOf}, hiddenLabel: ${hiddenLabel}, isBlocked: ${isBlocked} }`;
  const insideStrings = [
    ["setupHitTargetInterceptor(node, action, hitPoint, blockAllEvents) {", (code) => code + `(${endGuards})(this); node = (${guardInput})(node);`],
    ["if (hitElement === targetElement)", () => `if (hitElement === targetElement || (${hitsOwnLabel})(hitParents, targetElement))`],
    ["result.children = [element.value];", () => 'result.children = [element.type === "password" && element.value && "\\u2022\\u2022\\u2022" || element.value];'],
    ["setAriaNodeElement(result, element);", (code) => code + `(${describe})(result, element, role, ${helpers});`],
    ["setAriaNodeElement(ariaNode, element);", (code) => code + `(${describe})(ariaNode, element, "iframe", ${helpers});`],
    ['removeSelf = node2.role === "generic" && ', (code) => code + '!Object.keys(node2.props).length && (result.length || node2.box.cursor !== "pointer") && '],
    ['if (role === "generic" && box.inline', (code) => code + ` && !(${isClickableText})(element, box.cursor, ${helpers})`],
  ];
  const place = "async _checkElementIsStable(node) {";
  const changed = insideStrings.reduce((all, [code, change]) => all.replace(code, () => escaped(change(code))), source);
  const parts = changed.split(place);
  if (parts.length !== 2) return require(file);
  const check = `const isStill = ${isStill}; const staysInPlace = ${staysInPlace}; const mover = this.retarget(node, "no-follow-label"); if (mover && isStill(mover) && this.abrowserChanges?.unchanged(mover)) return true; if (mover) { const at = await staysInPlace(mover, this.utils.builtins); if (at !== undefined) return at; }`;
  const module = new Module(file);
  module.filename = file;
  module.paths = Module._nodeModulePaths(file);
  module.inject = inject;
  module.bringListeners = bringListeners;
  module.responds = responds;
  module.enterFrame = enterFrame;
  module.observe = observe;
  module.addCredentials = addCredentials;
  module.answer = (session, progress, method, params) => answer(session, progress, currentSession.getStore().playwright.allBrowsers(), method, params);
  module._compile(parts[0] + place + escaped(check) + parts[1], file);
  return module.exports;
}

// endGuards runs in pages, directly before Playwright sets up a hit-target guard for a click. A
// guard blocks all mouse input to the page that does not hit the guard's element, until Playwright
// removes the guard after the click. If the daemon or the driver is killed before the click, the
// guard would remain and block input for ever. Another Playwright cannot remove it, because each
// Playwright has an isolated world of its own in the page. endGuards therefore makes the new guard
// end after 60 s, or earlier when another guard is set up in any world.
function endGuards(injected) {
  const { window } = injected;
  const { setTimeout, clearTimeout } = injected.utils.builtins;
  const event = "__abrowser_guard__";
  window.dispatchEvent(new CustomEvent(event));
  const end = () => {
    clearTimeout(timer);
    window.removeEventListener(event, end);
    injected._hitTargetInterceptor = undefined;
  };
  const timer = setTimeout(end, 60_000);
  window.addEventListener(event, end);
}

class Session {
  constructor(socket) {
    this.socket = socket;
    this.parts = [];
    this.have = 0;
    this.need = 4;
    this.connection = new playwright.DispatcherConnection();
    this.root = new playwright.RootDispatcher(this.connection, async (scope, { sdkLanguage }) => {
      this.playwright = playwright.createPlaywright({ sdkLanguage });
      return new playwright.PlaywrightDispatcher(scope, this.playwright);
    });
    this.connection.onmessage = (message) => this.send(JSON.stringify(message));
    sessions.add(this);
    socket.once("close", () => currentSession.run(this, () => this.close()).catch((error) => log("closing", { error: String(error) })));
  }

  send(text) {
    if (this.socket.writableLength > maxUnread) return this.disconnect("it does not read");
    const frame = Buffer.allocUnsafe(4 + Buffer.byteLength(text));
    frame.writeUInt32LE(frame.length - 4, 0);
    frame.write(text, 4);
    this.socket.write(frame);
  }

  // receive assembles messages from bytes: a length in four bytes, then a message of that
  // length.
  receive(bytes) {
    this.parts.push(bytes);
    this.have += bytes.length;
    while (this.have >= this.need && !this.socket.destroyed) {
      const all = this.parts.length === 1 ? this.parts[0] : Buffer.concat(this.parts);
      this.parts = [all];
      if (this.need === 4) {
        this.need += all.readUInt32LE(0);
        if (this.need === 4 || this.need > maxMessage) return this.disconnect("it sends no messages");
        continue;
      }
      const message = all.toString("utf8", 4, this.need);
      this.parts = [all.subarray(this.need)];
      this.have -= this.need;
      this.need = 4;
      setImmediate(() => currentSession.run(this, () => this.dispatch(message))); // a task of its own, as in cli.js
    }
  }

  async dispatch(message) {
    if (this.socket.destroyed) return;
    try {
      await this.connection.dispatch(JSON.parse(message));
    } catch (error) {
      this.disconnect(String(error));
    }
  }

  // disconnect closes the connection of a session that cannot continue. The session's daemon then
  // opens a new connection.
  disconnect(why) {
    log("disconnected", { why });
    this.socket.destroy();
  }

  // close discards the state of the session. It disconnects from browsers and closes none.
  async close() {
    sessions.delete(this);
    stopWhenIdle(Number(linger));
    this.connection.onmessage = () => {};
    await this.root.stopPendingOperations(new Error("Connection closed")).catch(() => {});
    const browsers = this.playwright ? this.playwright.allBrowsers() : [];
    this.root._dispose();
    await Promise.allSettled(browsers.map((browser) => browser.close(playwright.nullProgress, { reason: "Connection closed" })));
  }
}

function accept(socket) {
  let head = Buffer.alloc(0);
  socket.on("error", () => {}); // "close" follows
  socket.setTimeout(firstLineTimeout, () => socket.destroy());
  socket.on("data", function first(bytes) {
    head = Buffer.concat([head, bytes]);
    const end = head.indexOf("\n");
    if (end < 0 && head.length < 256) return;
    socket.off("data", first);
    socket.setTimeout(0);
    const line = head.toString("latin1", 0, Math.max(end, 0));
    const rest = head.subarray(end + 1);
    if (line === "watch") return answerPings(socket, rest);
    if (line === "status") return socket.end(JSON.stringify({ pid: process.pid, sessions: sessions.size, limit: Number(limit) }));
    if (line !== `session ${id}` || sessions.size >= Number(limit) || stopping) return socket.end("-");
    fs.mkdirSync(process.env.TMPDIR, { recursive: true, mode: 0o700 }); // the user may have deleted it
    const session = new Session(socket);
    socket.write("+");
    socket.on("data", (more) => session.receive(more));
    if (rest.length > 0) session.receive(rest);
  });
}

// answerPings serves a connection of the type watch. The parameter first contains the bytes that
// were received together with the first line.
function answerPings(socket, first) {
  const answer = (bytes) => bytes.length > 0 && socket.write((pingers.values().next().value === socket ? "1" : "0").repeat(bytes.length));
  pingers.add(socket);
  socket.once("close", () => pingers.delete(socket));
  socket.on("data", answer);
  answer(first);
}

let stopping = false;
let timer;
// socketFile is the state of the socket's file when the driver began to listen. The user may
// delete abrowser's root directory while the driver runs. Another driver may then use the same
// paths for its socket and its other files. stop therefore removes files only if the socket's file
// is still the one in socketFile.
let socketFile;
// stopWhenIdle stops the driver if it has no session after this time, in milliseconds. A later
// session starts a new driver.
function stopWhenIdle(time) {
  clearTimeout(timer);
  timer = setTimeout(() => sessions.size === 0 && stop(), time);
}

function stop() {
  stopping = true;
  const current = socketFile && fs.statSync(socketPath, { throwIfNoEntry: false });
  if (current && current.ino === socketFile.ino && current.ctimeMs === socketFile.ctimeMs) {
    fs.rmSync(socketPath, { force: true });
    fs.rmSync(process.env.TMPDIR, { recursive: true, force: true });
  }
  process.exit(0);
}

// In Playwright's own driver, which has one session, an uncaught error ends the process. Here it
// ends only the session whose code has failed, since the other sessions are most likely not
// affected.
for (const event of ["uncaughtException", "unhandledRejection"])
  process.on(event, (error) => {
    log(event, { error: String((error && error.stack) || error) });
    currentSession.getStore()?.disconnect(event);
  });

if (single) serveSingle();
else listen();

// serveSingle serves one session on standard input and output. The process exits when the session
// ends.
function serveSingle() {
  const pipes = Duplex.from({ readable: process.stdin, writable: process.stdout });
  const session = new Session(pipes);
  pipes.on("error", () => {}); // "close" follows
  pipes.on("data", (bytes) => session.receive(bytes));
  pipes.on("end", () => pipes.destroy());
}

function listen() {
  process.on("SIGTERM", stop);
  process.umask(0o177); // for the socket
  const listener = net.createServer(accept);
  listener.once("error", (error) => {
    log("listening", { error: String(error) });
    process.exit(1);
  });
  listener.listen(socketPath, () => {
    process.umask(0o077);
    socketFile = fs.statSync(socketPath);
    stopWhenIdle(Math.max(Number(linger), firstSessionTimeout));
    fs.writeSync(4, "ready\n");
    fs.closeSync(4);
  });
}
