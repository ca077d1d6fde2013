"use strict";
// The list of all tabs, and what the page knows. view.js shows one tab. Text of pages and tasks is
// only ever assigned to textContent, value, alt and href of this page's own fragments.

const $ = (id) => document.getElementById(id);
let state = { version: 0, tabs: [], questions: [], events: [], closing: [] };
const pictures = new Map(); // from the name of a tab to { url, at, wanted }
const thumbnailPause = 400; // ms between two thumbnails, so that they cost the tasks little
const thumbnailAge = 15000; // ms after which the thumbnail of a tab that works is old

// element returns an element with properties and children.
function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

// ask sends a request, with files or JSON as its body, and returns its answer. It throws an Error with
// the text of a refusal.
async function ask(path, body) {
  const response = await fetch(path, body ? { method: "POST", body: body instanceof FormData ? body : JSON.stringify(body) } : {});
  const answer = response.headers.get("Content-Type")?.startsWith("application/json") ? await response.json() : {};
  if (!response.ok) throw Object.assign(new Error(answer.error || response.statusText), answer);
  return answer;
}

const run = (session, verb, params = {}) => ask("do", { session, verb, params });

function report(problem) {
  $("problem").hidden = !problem;
  $("problem").textContent = problem ?? "";
}

// attempt runs an action of the person, and shows its error.
async function attempt(action) {
  try {
    report("");
    return await action();
  } catch (error) {
    report(error.message);
  }
}

const nameOf = (tab) => tab.sessionId + "/" + tab.tabId;
const addressOf = (tab) => "#" + encodeURIComponent(tab.sessionId) + "/" + encodeURIComponent(tab.tabId);

// groupOf returns the heading under which a tab is listed.
function groupOf(tab) {
  if (["waiting", "taken", "wedged", "crashed"].includes(tab.activity) || tab.outcome?.status === "failed") return "Needs you";
  if (tab.activity === "working") return "Working";
  return tab.activity === "released" ? "For review" : "Idle";
}

function ago(time) {
  const seconds = Math.max(0, (Date.now() - Date.parse(time)) / 1000);
  if (seconds < 60) return Math.floor(seconds) + " s ago";
  if (seconds < 3600) return Math.floor(seconds / 60) + " min ago";
  return seconds < 172800 ? Math.floor(seconds / 3600) + " h ago" : Math.floor(seconds / 86400) + " d ago";
}

function describeCommand(tab) {
  const command = tab.lastCommand;
  if (!command) return "";
  return command.verb + (command.code ? ": " + command.code : "") + ", " + ago(command.at);
}

// isClosing reports whether a tab is about to be closed.
const isClosing = (tab) => state.closing.some((c) => c.tabs.some((t) => t.session + "/" + t.tab === nameOf(tab)));

// shown returns the tabs that the search and the filter leave.
function shown() {
  const words = $("search").value.toLowerCase().split(/\s+/);
  const session = $("session").value;
  return state.tabs.filter((tab) => {
    const text = (nameOf(tab) + " " + tab.title + " " + tab.url).toLowerCase();
    return !isClosing(tab) && (!session || tab.sessionId === session) && words.every((word) => text.includes(word));
  });
}

const cards = new Map(); // from the name of a tab to its card, so that a redraw keeps the focus

function cardOf(tab) {
  const name = nameOf(tab);
  let card = cards.get(name);
  if (!card) {
    const image = element("img", { alt: "", width: 320, height: 200 });
    const link = element("a", { href: addressOf(tab) });
    const close = element("button", { type: "button", textContent: "Close" });
    const keep = element("button", { type: "button", textContent: "Keep" });
    const text = element("div", { className: "text" });
    const item = element("li", { className: "card" }, link, element("div", { className: "actions" }, keep, close));
    link.append(image, text);
    close.addEventListener("click", () => closeTabs([card.tab]));
    keep.addEventListener("click", () => keepTab(card.tab));
    card = { item, image, text, command: element("div", { className: "command" }), close, keep };
    cards.set(name, card);
  }
  card.tab = tab;
  card.item.classList.toggle("person", groupOf(tab) === "Needs you");
  card.close.setAttribute("aria-label", "Close " + name);
  drawKeep(card.keep, tab);
  const chips = [element("span", { className: "state " + tab.activity, textContent: tab.activity })];
  if (tab.kept) chips.push(" ", element("span", { className: "state kept", textContent: "kept" }));
  if (tab.outcome) chips.push(" ", element("span", { className: "state " + tab.outcome.status, textContent: "done: " + tab.outcome.status }));
  const lines = [
    element("div", { className: "name", textContent: name + " " }, ...chips),
    element("div", { className: "title", textContent: tab.title || tab.url }),
    element("div", { className: "url", textContent: tab.url }),
    card.command,
  ];
  card.command.textContent = describeCommand(tab);
  if (tab.question) lines.push(element("div", { className: "question", textContent: tab.question }));
  else if (tab.outcome?.note) lines.push(element("div", { className: "command", textContent: tab.outcome.note }));
  card.text.replaceChildren(...lines);
  const picture = pictures.get(name);
  if (picture?.url && card.image.src !== picture.url) card.image.src = picture.url;
  return card.item;
}

function drawGrid() {
  const tabs = shown();
  const groups = ["Needs you", "Working", "Idle", "For review"];
  const sections = [];
  for (const group of groups) {
    const own = tabs.filter((tab) => groupOf(tab) === group);
    if (own.length) sections.push(element("section", {}, element("h2", { textContent: group + " (" + own.length + ")" }), element("ul", { className: "cards" }, ...own.map(cardOf))));
  }
  if (!tabs.length) {
    const text = state.tabs.length ? "No tab matches." : "No tabs. When a task opens a page, it appears here.";
    sections.push(element("p", { className: "empty", textContent: text }));
  }
  const focused = document.activeElement;
  $("grid").replaceChildren(...sections);
  if (focused?.isConnected) focused.focus({ preventScroll: true });
  for (const name of cards.keys()) if (!state.tabs.some((tab) => nameOf(tab) === name)) forget(name);
}

function forget(name) {
  cards.delete(name);
  if (pictures.get(name)?.url) URL.revokeObjectURL(pictures.get(name).url);
  pictures.delete(name);
}

function drawFilter() {
  const sessions = [...new Set(state.tabs.map((tab) => tab.sessionId))];
  const select = $("session");
  const known = [...select.options].slice(1).map((option) => option.value);
  if (sessions.join("\n") === known.join("\n")) return;
  const chosen = select.value;
  select.replaceChildren(element("option", { value: "", textContent: "all" }), ...sessions.map((name) => element("option", { value: name, textContent: name })));
  select.value = sessions.includes(chosen) ? chosen : "";
}

// redraw replaces what an element shows if the text that describes it has changed. Otherwise a redraw
// would take the focus from what is in the element.
function redraw(container, description, make) {
  if (container.dataset.shown === description) return;
  container.dataset.shown = description;
  container.replaceChildren(...make());
}

function drawUndo() {
  redraw($("undo"), state.closing.map(({ id }) => id).join(), () => state.closing.map((closing) => {
    const names = closing.tabs.map((tab) => tab.session + "/" + tab.tab);
    const text = names.length === 1 ? "Closing " + names[0] : "Closing " + names.length + " tabs";
    const button = element("button", { type: "button", textContent: "Undo" });
    button.addEventListener("click", () => attempt(() => ask("undo", { id: closing.id })));
    return element("div", {}, element("span", { textContent: text }), button);
  }));
}

function draw() {
  drawUndo();
  drawFilter();
  $("close-released").disabled = !toClose().length;
  const focused = document.activeElement;
  const detail = drawDetail();
  $("grid").hidden = detail;
  $("detail").hidden = !detail;
  if (!detail) drawGrid();
  keepFocus(focused);
  const waiting = state.tabs.filter((tab) => groupOf(tab) === "Needs you").length;
  document.title = (waiting ? "(" + waiting + ") " : "") + "abrowser review";
}

// keepFocus moves the focus to the shown part if what had it is gone. Otherwise a person without a mouse
// would have to begin at the top of the page.
function keepFocus(focused) {
  if (focused && focused !== document.body && !focused.checkVisibility()) $($("grid").hidden ? "detail" : "grid").focus({ preventScroll: true });
}

const closeTabs = (tabs) => attempt(() => ask("close", { tabs: tabs.map((tab) => ({ session: tab.sessionId, tab: tab.tabId })) }));

// A tab that is kept is not closed with the others, here or by tab prune.
const keepTab = (tab) => attempt(() => run(tab.sessionId, "broker keep", { tab: tab.tabId, off: !!tab.kept }));

function drawKeep(button, tab) {
  button.setAttribute("aria-label", "Keep " + nameOf(tab) + " open");
  button.setAttribute("aria-pressed", String(!!tab.kept));
}

const toClose = () => shown().filter((tab) => tab.activity === "released" && !tab.kept);

// visible resolves when a person can see this page. A hidden page asks for nothing.
function visible() {
  if (!document.hidden) return Promise.resolve();
  return new Promise((resolve) => document.addEventListener("visibilitychange", () => document.hidden || resolve(), { once: true }));
}

// Without this, the ages would be those of the last event.
setInterval(() => {
  if (!document.hidden) for (const card of cards.values()) card.command.textContent = describeCommand(card.tab);
}, 5000);

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// follow keeps the state current. An error of an action stays visible until the next action.
async function follow() {
  let lost = false;
  for (;;) {
    await visible();
    try {
      state = await ask("state?after=" + state.version);
      if (state.problem || lost) report(state.problem);
      lost = false;
      for (const event of state.events) {
        const picture = pictures.get(event.session + "/" + event.tabId);
        if (picture && Date.parse(event.at) > picture.at) picture.wanted = true;
      }
      draw();
      await pause(150); // several things often happen at once
    } catch (error) {
      lost = true;
      report("The review has ended, or cannot be reached: " + error.message);
      await pause(2000);
    }
  }
}

// thumbnails takes one picture after the other, of the tab whose picture is oldest. Of tabs without a
// picture, the first on the screen is the next.
async function thumbnails() {
  for (;;) {
    await pause(thumbnailPause);
    await visible();
    if ($("grid").hidden) continue;
    const due = shown()
      .map((tab) => ({ tab, at: pictureAge(tab), place: placeOf(tab) }))
      .filter(({ at }) => at > 0)
      .sort((a, b) => (a.at === b.at ? a.place - b.place : b.at - a.at))[0];
    if (!due) continue;
    const { tab } = due;
    const picture = pictures.get(nameOf(tab)) ?? {};
    pictures.set(nameOf(tab), Object.assign(picture, { at: Date.now(), wanted: false, command: tab.lastCommand?.at }));
    try {
      const response = await fetch("picture?" + new URLSearchParams({ session: tab.sessionId, tab: tab.tabId, width: 400, once: 1 }));
      if (response.status !== 200) continue;
      const old = picture.url;
      picture.url = URL.createObjectURL(await response.blob());
      const card = cards.get(nameOf(tab));
      if (card) card.image.src = picture.url;
      if (old) URL.revokeObjectURL(old);
    } catch {
      // the page has crashed or the broker is being replaced; the next picture may succeed
    }
  }
}

// placeOf says how far a tab's card is below the top of the window. Cards above the window come last.
function placeOf(tab) {
  const top = cards.get(nameOf(tab))?.item.getBoundingClientRect().top ?? 0;
  return top < 0 ? 1e6 - top : top;
}

// pictureAge says how much a tab needs a new picture: 0 if it needs none.
function pictureAge(tab) {
  const picture = pictures.get(nameOf(tab));
  if (tab.activity === "crashed") return 0;
  if (!picture) return Infinity;
  const age = Date.now() - picture.at;
  const changed = picture.wanted || picture.command !== tab.lastCommand?.at || tab.activity === "working" && age > 2000;
  return changed || age > thumbnailAge && tab.activity !== "released" ? age : 0;
}

$("search").addEventListener("input", draw);
$("session").addEventListener("change", draw);
$("close-released").addEventListener("click", () => closeTabs(toClose()));
addEventListener("hashchange", draw);
addEventListener("DOMContentLoaded", () => { // then view.js is there, too
  draw();
  follow();
  thumbnails();
});
