"use strict";
// One tab: its live picture, what its session does and asks, and the person's input while the tab is
// taken over. The tab is named by the fragment of the URL: #SESSION/TAB.

const renewTime = 10000; // ms between two renewals of a take-over, which lasts for three times as long
let current = null; // the tab that is shown
let taken = null; // the name of the session that this page has taken over
let renewal = 0;
let page = { width: 1280, height: 720 }; // the visible part in CSS pixels
let inputs = Promise.resolve(); // the person's input reaches the page in order
let answering = Promise.resolve(); // the person's answers that are on their way
let reading = 0; // counts the reads of the log, so that an older one does not replace a newer one

// tabOfAddress returns the tab that the fragment names. Without a tab it is the session's active one.
function tabOfAddress() {
  const [session, tab] = location.hash.slice(1).split("/").map(decodeURIComponent);
  if (!session) return null;
  const own = state.tabs.filter((t) => t.sessionId === session);
  return own.find((t) => t.tabId === tab) ?? (tab ? null : own.find((t) => t.active) ?? own[0]) ?? { sessionId: session, tabId: tab || "", title: "This tab is closed", url: "", activity: "closed" };
}

// drawDetail shows the tab of the address, and reports whether there is one.
function drawDetail() {
  const tab = tabOfAddress();
  const changed = nameOrNone(tab) !== nameOrNone(current);
  current = tab;
  if (!tab) {
    if (taken) handBack("");
    return false;
  }
  if (taken && taken !== tab.sessionId) handBack("");
  if (changed) startFilm(tab);
  $("title").textContent = nameOf(tab) + " " + tab.title;
  $("activity").textContent = tab.activity;
  $("activity").className = "state " + tab.activity;
  const isTaken = taken === tab.sessionId;
  drawKeep($("keep-tab"), tab);
  for (const id of ["keep-tab", "take", "close-tab"]) $(id).disabled = tab.activity === "closed";
  $("take").hidden = isTaken;
  for (const id of ["give", "note-label", "navigation"]) $(id).hidden = !isTaken;
  $("screen").classList.toggle("taken", isTaken);
  if (document.activeElement !== $("address")) $("address").value = tab.url;
  drawAsks(tab);
  const own = state.tabs.filter((t) => t.sessionId === tab.sessionId).map((t) => ({ href: addressOf(t), textContent: t.tabId + " " + (t.title || t.url) }));
  redraw($("tabs"), JSON.stringify(own), () => own.map((link) => element("li", {}, element("a", link))));
  readLog(tab);
  return true;
}

const nameOrNone = (tab) => (tab ? nameOf(tab) : "");

// drawAsks shows what the session asks a person, with buttons for the answers.
async function drawAsks(tab) {
  const boxes = state.questions.filter((q) => (q.sessions ?? [q.session]).includes(tab.sessionId)).map((q) =>
    questionBox(q.question, {
      Done: () => run(tab.sessionId, "answer", { id: q.id, note: $("note").value }),
      Decline: () => run(tab.sessionId, "answer", { id: q.id, decline: true, note: $("note").value }),
    }));
  if (tab.activity !== "released" && tab.activity !== "closed") boxes.push(...await pageQuestions(tab));
  if (nameOrNone(current) !== nameOf(tab)) return;
  redraw($("asks"), boxes.map((box) => (box.dataset.id ?? "") + box.textContent).join("\n"), () => boxes);
}

// pageQuestions returns boxes for an open dialog, and for permissions that a person decides.
async function pageQuestions(tab) {
  const boxes = [];
  try {
    const dialog = await run(tab.sessionId, "dialog status");
    if (dialog.hasDialog) boxes.push(dialogBox(tab, dialog));
    for (const q of (await run(tab.sessionId, "policy status")).pending ?? []) {
      if (q.kind === "file-chooser") {
        boxes.push(fileBox(tab, q));
        continue;
      }
      boxes.push(questionBox((q.origin ?? "The page") + " asks for " + q.name + " " + q.kind + " " + q.message, {
        Allow: () => run(tab.sessionId, "policy answer", { id: q.id, answer: "allow" }), Deny: () => run(tab.sessionId, "policy answer", { id: q.id, answer: "deny" }),
      }));
    }
  } catch {
    // the daemon has just ended, so nothing waits
  }
  return boxes;
}

// dialogBox returns a box for a JavaScript dialog of the page.
function dialogBox(tab, dialog) {
  const text = element("input", { value: dialog.defaultPrompt ?? "" });
  text.setAttribute("aria-label", "Your answer");
  const box = questionBox(dialog.type + ": " + dialog.message, {
    Accept: () => run(tab.sessionId, "dialog accept", { text: text.value }), Dismiss: () => run(tab.sessionId, "dialog dismiss"),
  });
  if (dialog.type === "prompt") box.firstChild.after(element("p", {}, text));
  return box;
}

// fileBox returns a box in which a person chooses files of their own for a file chooser of the page.
function fileBox(tab, q) {
  const files = element("input", { type: "file", multiple: q.name === "files" });
  files.setAttribute("aria-label", "Files for the page");
  const box = questionBox((q.origin ?? "The page") + " asks for " + q.name, {
    Give: () => {
      if (!files.files.length) throw new Error("Choose a file first.");
      const body = new FormData();
      for (const file of files.files) body.append("file", file);
      return ask("files?" + new URLSearchParams({ session: tab.sessionId, id: q.id }), body);
    },
    Dismiss: () => run(tab.sessionId, "policy answer", { id: q.id, answer: "deny" }),
  });
  box.firstChild.after(element("p", {}, files));
  box.dataset.id = q.id;
  return box;
}

function questionBox(text, answers) {
  const buttons = Object.entries(answers).map(([label, answer]) => {
    const button = element("button", { type: "button", textContent: label });
    button.addEventListener("click", () => {
      answering = Promise.all([answering, attempt(answer)]).then(() => current && drawAsks(current)).catch((error) => report(error.message));
    });
    return button;
  });
  return element("div", { className: "question" }, element("p", { textContent: text }), ...buttons.flatMap((button) => [button, " "]));
}

let logged = ""; // of which tab, and up to which event, the log is shown

// readLog shows the session's last commands, and what its page has logged. It reads them again only
// when the session has done something else than to answer console, because that is how it reads.
async function readLog(tab) {
  const last = state.events.findLast((e) => e.session === tab.sessionId && e.command !== "console")?.number ?? 0;
  const now = nameOf(tab) + " " + tab.activity + " " + last;
  if (now === logged) return;
  logged = now;
  const own = ++reading;
  const read = (verb, params) => run(tab.sessionId, verb, params).catch(() => ({}));
  const log = await read("session log", { last: 50 });
  const live = tab.activity !== "released" && tab.activity !== "closed" && tab.activity !== "wedged";
  const messages = live ? await read("console", { aside: true }) : {};
  if (own !== reading || nameOrNone(current) !== nameOf(tab)) return;
  $("log").replaceChildren(...(log.commands ?? []).reverse().map((c) =>
    element("li", { className: c.code ? "failed" : "", textContent: c.verb + (c.code ? ": " + c.code : "") + ", " + Math.round(c.ms) + " ms" })));
  $("console").replaceChildren(...(messages.messages ?? []).slice(-50).reverse().map((m) =>
    element("li", { className: m.type === "error" ? "failed" : "", textContent: (m.type ?? "") + " " + (m.text ?? "") })));
}

// startFilm shows live pictures of a tab as long as it is the current one.
async function startFilm(tab) {
  const name = nameOf(tab);
  $("live").removeAttribute("src");
  $("no-picture").hidden = true;
  for (let after = 0; nameOrNone(current) === name; ) {
    await visible();
    try {
      const width = Math.min(2000, Math.round($("screen").clientWidth * devicePixelRatio) || 1280);
      const response = await fetch("picture?" + new URLSearchParams({ session: tab.sessionId, tab: tab.tabId, after, width: Math.max(width, 320) }));
      if (nameOrNone(current) !== name) return;
      if (response.status === 200) {
        after = response.headers.get("X-Number");
        page = { width: Number(response.headers.get("X-Width")), height: Number(response.headers.get("X-Height")) };
        const old = $("live").src;
        $("live").src = URL.createObjectURL(await response.blob());
        $("no-picture").hidden = true;
        if (old) URL.revokeObjectURL(old);
        continue;
      }
      if (response.status !== 204) throw new Error(response.statusText);
    } catch {
      $("no-picture").hidden = !!$("live").getAttribute("src");
      await pause(1000);
    }
  }
}

async function takeOver() {
  const session = current.sessionId;
  await run(session, "take-over", { for: 3 * renewTime });
  taken = session;
  clearInterval(renewal);
  renewal = setInterval(() => run(session, "take-over", { for: 3 * renewTime }).catch(() => {}), renewTime);
  draw();
  $("keys").focus();
}

// While a person uses the page, it may open a dialog or a file chooser at any time.
setInterval(() => current && taken === current.sessionId && !document.hidden && drawAsks(current), 700);

async function handBack(note) {
  const session = taken;
  taken = null;
  clearInterval(renewal);
  await answering; // the task continues with what the person has done
  await Promise.race([inputs, pause(1000)]); // an open dialog holds them up, and ends with the hand-back
  await run(session, "hand-back", { note }).catch(() => {}); // a session without a daemon was not held
  $("note").value = "";
  draw();
}


// send passes one input of the person to the page.
function send(method, params) {
  const tab = current;
  if (!tab || taken !== tab.sessionId) return inputs;
  inputs = inputs.then(() => attempt(() => run(tab.sessionId, "broker input", { session: tab.sessionId, tab: tab.tabId, method, params: JSON.stringify(params) })));
  return inputs;
}

const modifiersOf = (event) => (event.altKey ? 1 : 0) + (event.ctrlKey ? 2 : 0) + (event.metaKey ? 4 : 0) + (event.shiftKey ? 8 : 0);
const buttonNames = ["left", "middle", "right"];
let moving = false;

function sendMouse(type, event, more = {}) {
  const box = $("live").getBoundingClientRect();
  const x = ((event.clientX - box.left) / box.width) * page.width;
  const y = ((event.clientY - box.top) / box.height) * page.height;
  return send("Input.dispatchMouseEvent", { type, x, y, modifiers: modifiersOf(event), buttons: event.buttons, ...more });
}

const live = $("live");
live.addEventListener("pointerdown", (event) => {
  if (!taken) return;
  event.preventDefault();
  live.setPointerCapture(event.pointerId);
  $("keys").focus({ preventScroll: true });
  sendMouse("mousePressed", event, { button: buttonNames[event.button] ?? "left", clickCount: Math.max(1, event.detail) });
});
live.addEventListener("pointerup", (event) => sendMouse("mouseReleased", event, { button: buttonNames[event.button] ?? "left", clickCount: Math.max(1, event.detail) }));
live.addEventListener("pointermove", async (event) => {
  if (!taken || moving) return; // one movement at a time
  moving = true;
  await sendMouse("mouseMoved", event, { button: event.buttons & 1 ? "left" : "none" });
  moving = false;
});
live.addEventListener("contextmenu", (event) => taken && event.preventDefault());
live.addEventListener("wheel", (event) => {
  if (!taken) return;
  event.preventDefault();
  sendMouse("mouseWheel", event, { deltaX: event.deltaX, deltaY: event.deltaY });
}, { passive: false });

// Keys go to a hidden text field, so that an input method, dead keys and paste work. Text comes from
// the field's input events, all other keys from its key events.
const keys = $("keys");
$("screen").addEventListener("focus", () => taken && keys.focus());
keys.addEventListener("keydown", (event) => {
  if (event.isComposing || event.key === "Process" || event.key === "Dead") return;
  if (event.key === "Escape" && event.shiftKey) return $("give").focus(); // the way out for a person without a mouse
  const isText = event.key.length === 1 && !event.ctrlKey && !event.metaKey;
  if (isText || (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "v") return; // see input and paste
  event.preventDefault();
  sendKey("keyDown", event);
});
keys.addEventListener("keyup", (event) => {
  if (event.key.length > 1 && !event.isComposing) sendKey("keyUp", event);
});

function sendKey(type, event) {
  const text = type === "keyDown" && event.key === "Enter" ? "\r" : undefined;
  return send("Input.dispatchKeyEvent", {
    type: type === "keyDown" && !text ? "rawKeyDown" : type, key: event.key, code: event.code, windowsVirtualKeyCode: event.keyCode, modifiers: modifiersOf(event), text,
  });
}

function takeText() {
  const text = keys.value;
  keys.value = "";
  if (!text) return;
  const single = [...text].length === 1 && text !== "\n";
  if (!single) return send("Input.insertText", { text });
  send("Input.dispatchKeyEvent", { type: "keyDown", key: text, text, unmodifiedText: text });
  send("Input.dispatchKeyEvent", { type: "keyUp", key: text });
}
keys.addEventListener("input", (event) => event.isComposing || takeText());
keys.addEventListener("compositionend", takeText);

async function step(by) {
  const tab = current;
  const { result } = await run(tab.sessionId, "broker input", { session: tab.sessionId, tab: tab.tabId, method: "Page.getNavigationHistory", params: "{}" });
  const entry = result.entries[result.currentIndex + by];
  if (entry) await send("Page.navigateToHistoryEntry", { entryId: entry.id });
}

$("take").addEventListener("click", () => attempt(takeOver));
$("give").addEventListener("click", () => attempt(() => handBack($("note").value)));
$("back").addEventListener("click", () => attempt(() => step(-1)));
$("forward").addEventListener("click", () => attempt(() => step(1)));
$("reload").addEventListener("click", () => send("Page.reload", {}));
$("navigation").addEventListener("submit", (event) => {
  event.preventDefault();
  const address = $("address").value.trim();
  const hasScheme = /^[a-z][a-z0-9+.-]*:/i.test(address);
  if (hasScheme && !/^(https?:|about:blank$)/i.test(address)) return report("Only http and https addresses can be opened here.");
  send("Page.navigate", { url: hasScheme ? address : "https://" + address });
});
$("keep-tab").addEventListener("click", () => keepTab(current));
$("close-tab").addEventListener("click", () => closeTabs([current]).then(() => (location.hash = "")));
addEventListener("pagehide", () => taken && navigator.sendBeacon("do", JSON.stringify({ session: taken, verb: "hand-back", params: {} })));
