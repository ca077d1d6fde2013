// Playwright's driver for many sessions: what cli.js run-driver does for one on its
// standard input and output, done for each connection to a Unix socket. Started as
// cli.js run-driver, it serves that one session on its standard input and output.
//
// The first line of a connection says what it is:
//   session ID   answered with "+", then frames as playwright-go writes them, or
//                with "-" where there is no room or the ID is another one's
//   status       answered with what there is to say, as JSON
//   watch        each byte is answered with one: "1" to the connection that is the
//                first of its kind, so that the others may ask less often, else "0"
//
// Descriptor 3 is the lease, which is ours for as long as we live; on 4 we say that
// we listen. Who may connect is decided by the socket's directory.
"use strict";
const crypto = require("crypto");
const fs = require("fs");
const Module = require("module");
const net = require("net");
const path = require("path");
const { Duplex } = require("stream");
const { AsyncLocalStorage } = require("async_hooks");

const alone = process.argv[2] === "run-driver"; // for the one session that started it
const [, , , socketPath, bundle, id, limit, linger] = alone ? [, , , , path.join(path.dirname(process.argv[1]), "lib", "coreBundle.js")] : process.argv;
const { server: playwright } = load(bundle);
const lineTime = 10_000; // for the first line
const firstTime = 10_000; // for the first session, which is why we were started
const mostIn = 1 << 28; // bytes in a message of a client's
const mostOut = 1 << 28; // bytes that a client may leave unread
const sessions = new Set();
const watchers = new Set();
const origin = new AsyncLocalStorage(); // the session that the code that runs works for

const say = (what, more) => console.error(JSON.stringify({ time: new Date().toISOString(), msg: what, ...more }));

// load is require, with six changes. One is of what Playwright does about functions
// that it does not know; the other of what it runs in pages: before it acts on an
// element it compares animation frames, 33 ms, to see whether the element moves.
// Where no animation can move it, as still reports, and no script has changed the document
// since longer than that (see abrowserRested in quick.js), there is nothing to wait for;
// otherwise rests reports whether the element moves. The third is what quick answers to pages' CDP sessions, the
// fourth how Playwright's functions come into a page: see inject. The fifth ends the guard
// over what a click hits: see endGuards. The sixth is an event of a frame: see follow.
// Of a bundle that has no such place nothing is changed.
//
// A source that has a single character beyond ASCII, as in its comments, is kept with two
// bytes for each: of the two bundles that would be 6 MB more for every driver.
function load(file) {
  // Another program at the page exposed the function, and answers.
  const unknown = 'throw new Error(`Function "${name}" is not exposed`);';
  const send = "return { result: await this._object.send(progress2, params2.method, params2.params) };";
  const ours = 'if (params2.method.startsWith("Abrowser.")) return { result: await module.answer(this._object, progress2, params2.method, params2.params) };';
  const escape = (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0");
  const ascii = (bytes) => Buffer.from(bytes, "latin1").toString().split("").map(escape).join("");
  const read = (name) => fs.readFileSync(name, "latin1").replace(/[\x80-\xff]+/g, ascii);
  Module._extensions[".js"] = (module, name) => module._compile(read(name), name);
  const bring = "this._injectedScriptPromise = this.rawEvaluateHandle(source8).then(";
  const once = "this._injectedScriptPromise = module.inject(this, source3, options2, source8).then(";
  const pending = "this._pendingDocument = documentInfo;";
  const source = read(file).replace(unknown, "return;").replace(send, ours + send).replace(bring, once).replace(pending, pending + 'this.emit("abrowserpending");');
  // The places are in a string.
  const escaped = (code) => JSON.stringify(code).slice(1, -1);
  const guardPlace = "setupHitTargetInterceptor(node, action, hitPoint, blockAllEvents) {";
  const place = "async _checkElementIsStable(node) {";
  const parts = source.replace(guardPlace, guardPlace + escaped(`(${endGuards})(this);`)).split(place);
  if (parts.length !== 2) return require(file);
  const check = `const still = ${still}; const rests = ${rests}; const mover = this.retarget(node, "no-follow-label"); if (mover && still(mover) && this.abrowserRested?.(mover)) return true; if (mover) { const at = await rests(mover, (f) => this.utils.builtins.requestAnimationFrame(f)); if (at !== undefined) return at; }`;
  const module = new Module(file);
  module.filename = file;
  module.paths = Module._nodeModulePaths(file);
  module.inject = inject;
  module.answer = (session, progress, method, params) => answer(session, progress, origin.getStore().playwright.allBrowsers(), method, params);
  module._compile(parts[0] + place + escaped(check) + parts[1], file);
  return module.exports;
}

// endGuards runs in pages, before a guard over what a click hits is set up. The guard keeps
// the page from all input that is not for its element, for as long as nothing removes it.
// Where a daemon or a driver was killed between its set-up and the click, that would be for
// good: each Playwright has a world of its own in the page, in which no other finds it. So it
// ends after a time, and with the next guard in whatever world.
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

// still runs in pages. It reports whether no animation can move the element: none
// runs on it or on what it is in, and those that run elsewhere change no layout.
function still(element) {
  const painted = new Set(["offset", "computedOffset", "easing", "composite", "opacity", "transform", "translate", "rotate", "scale", "filter", "backdropFilter",
    "color", "backgroundColor", "backgroundPosition", "boxShadow", "outlineColor", "fill", "stroke", "strokeDashoffset", "visibility"]);
  const holders = new Set();
  const roots = new Set([element.ownerDocument]);
  for (let e = element; e; e = e.assignedSlot || e.parentElement || e.getRootNode().host) {
    holders.add(e);
    roots.add(e.getRootNode());
  }
  // A document does not list what is animated inside of shadow roots.
  for (const root of roots) for (const e of root.querySelectorAll("*")) if (e.shadowRoot) roots.add(e.shadowRoot);
  return [...roots].every((root) => root.getAnimations().every((animation) => {
    if (animation.playState !== "running") return true;
    const { effect } = animation;
    if (!effect || !effect.target || holders.has(effect.target)) return false;
    return effect.getKeyframes().every((frame) => Object.keys(frame).every((property) => painted.has(property)));
  }));
}

// rests runs in pages, where something may move the element. It reports whether four
// frames show it in one place, since a timer need not move it for each frame, and undefined
// where there are none that tell. Frames that are late do not: a script that looks at a page
// has its animations go on to where they are by then, and there they stay for as many frames
// as are behind.
async function rests(element, frame) {
  const { timeline } = element.ownerDocument;
  let time, place, same = 0;
  for (let i = 0; i < 30; i++) {
    await new Promise((done) => frame(done));
    if (timeline.currentTime === time) continue;
    const { x, y, width, height } = element.getBoundingClientRect();
    const now = [x, y, width, height].join();
    if (place !== undefined && now !== place) return false;
    if (++same === 4) return true;
    [time, place] = [timeline.currentTime, now];
  }
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
    socket.once("close", () => origin.run(this, () => this.close()).catch((error) => say("closing", { error: String(error) })));
  }

  send(text) {
    if (this.socket.writableLength > mostOut) return this.cut("it does not read");
    const frame = Buffer.allocUnsafe(4 + Buffer.byteLength(text));
    frame.writeUInt32LE(frame.length - 4, 0);
    frame.write(text, 4);
    this.socket.write(frame);
  }

  // receive takes bytes as they come: a length of four, then a message of that length.
  receive(bytes) {
    this.parts.push(bytes);
    this.have += bytes.length;
    while (this.have >= this.need && !this.socket.destroyed) {
      const all = this.parts.length === 1 ? this.parts[0] : Buffer.concat(this.parts);
      this.parts = [all];
      if (this.need === 4) {
        this.need += all.readUInt32LE(0);
        if (this.need === 4 || this.need > mostIn) return this.cut("it sends no messages");
        continue;
      }
      const message = all.toString("utf8", 4, this.need);
      this.parts = [all.subarray(this.need)];
      this.have -= this.need;
      this.need = 4;
      setImmediate(() => origin.run(this, () => this.dispatch(message))); // a task of its own, as in the driver
    }
  }

  async dispatch(message) {
    if (this.socket.destroyed) return;
    try {
      await this.connection.dispatch(JSON.parse(message));
    } catch (error) {
      this.cut(String(error));
    }
  }

  // cut ends a session that cannot go on; its daemon connects again.
  cut(why) {
    say("cut off", { why });
    this.socket.destroy();
  }

  // close gives up what the session had. Of a browser that is the connection alone.
  async close() {
    sessions.delete(this);
    rest(Number(linger));
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
  socket.setTimeout(lineTime, () => socket.destroy());
  socket.on("data", function first(bytes) {
    head = Buffer.concat([head, bytes]);
    const end = head.indexOf("\n");
    if (end < 0 && head.length < 256) return;
    socket.off("data", first);
    socket.setTimeout(0);
    const line = head.toString("latin1", 0, Math.max(end, 0));
    const rest = head.subarray(end + 1);
    if (line === "watch") return watch(socket, rest);
    if (line === "status") return socket.end(JSON.stringify({ pid: process.pid, sessions: sessions.size, limit: Number(limit) }));
    if (line !== `session ${id}` || sessions.size >= Number(limit) || stopping) return socket.end("-");
    fs.mkdirSync(process.env.TMPDIR, { recursive: true, mode: 0o700 }); // somebody may have cleaned up
    const session = new Session(socket);
    socket.write("+");
    socket.on("data", (more) => session.receive(more));
    if (rest.length > 0) session.receive(rest);
  });
}

function watch(socket, asked) {
  const answer = (bytes) => bytes.length > 0 && socket.write((watchers.values().next().value === socket ? "1" : "0").repeat(bytes.length));
  watchers.add(socket);
  socket.once("close", () => watchers.delete(socket));
  socket.on("data", answer);
  answer(asked);
}

let stopping = false;
let timer;
// The socket's file. Where somebody made the root anew, it is another driver's, and
// so is what else bears our name.
let ours;
// rest stops the driver when it has been empty for some time: it starts afresh.
function rest(time) {
  clearTimeout(timer);
  timer = setTimeout(() => sessions.size === 0 && stop(), time);
}

function stop() {
  stopping = true;
  const there = ours && fs.statSync(socketPath, { throwIfNoEntry: false });
  if (there && there.ino === ours.ino && there.ctimeMs === ours.ctimeMs) {
    fs.rmSync(socketPath, { force: true });
    fs.rmSync(process.env.TMPDIR, { recursive: true, force: true });
  }
  process.exit(0);
}

// What nobody caught would have ended the driver of the session that it comes from,
// and so it ends that session; of the others nothing is known to be wrong.
for (const event of ["uncaughtException", "unhandledRejection"])
  process.on(event, (error) => {
    say(event, { error: String((error && error.stack) || error) });
    origin.getStore()?.cut(event);
  });

if (alone) serveAlone();
else listen();

// serveAlone serves the session on standard input and output, and ends with it.
function serveAlone() {
  const pipes = Duplex.from({ readable: process.stdin, writable: process.stdout });
  const session = new Session(pipes);
  pipes.on("error", () => {}); // "close" follows
  pipes.on("data", (bytes) => session.receive(bytes));
  pipes.on("end", () => pipes.destroy());
}

function listen() {
  process.on("SIGTERM", stop);
  process.umask(0o177); // of the socket
  const listener = net.createServer(accept);
  listener.once("error", (error) => {
    say("listening", { error: String(error) });
    process.exit(1);
  });
  listener.listen(socketPath, () => {
    process.umask(0o077);
    ours = fs.statSync(socketPath);
    rest(Math.max(Number(linger), firstTime));
    fs.writeSync(4, "ready\n");
    fs.closeSync(4);
  });
}
