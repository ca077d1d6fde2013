// A click or a fill in as few messages as there can be. Playwright asks the page for
// the element, its state, its place and what lies there one after the other, and a
// daemon has asked before whether it is there. Here all of it is one question; only
// what is ready at once is acted on, in Playwright's own way. Of the rest nothing is
// done: the daemon then has Playwright wait for it.
//
// A session's daemon asks for it in two steps, so that nothing is done for a caller of
// whose end it has heard meanwhile. They are methods of a page's CDP session:
//   Abrowser.look   whether it could be done at once
//     id                 by which the other two name it
//     target, selector   the page, and the element in its main frame; the first is taken
//     verb               "click", with button and clickCount, or "fill", with text
//     limit              in milliseconds; nothing is begun after that
//   Abrowser.act    id, limit: does it
//   Abrowser.leave  id: it is not to be done
// The answer is {state, count, saves}: "ready" from look; "done", "begun" where it was
// begun and not seen to end, "refused" where nothing was done, "late" where the page has
// not answered; how many elements there are, and whether this one saves a file.

const beginTime = 2000; // for what was begun in time

const looks = new Map(); // what was found ready and is not begun yet, by its id

// answer is what a method of ours comes to.
async function answer(progress, browsers, method, params) {
  if (method === "Abrowser.picture") return picture(progress, browsers, params);
  if (method === "Abrowser.look") return lookAt(progress, browsers, params);
  const found = looks.get(params.id);
  if (!found) return { state: "refused" };
  looks.delete(params.id);
  clearTimeout(found.timer);
  if (method === "Abrowser.act") return act(progress, found, params.limit);
  found.leave();
  return { state: "refused" };
}

async function lookAt(progress, browsers, { id, target, selector, verb, text, button, clickCount, limit }) {
  const until = Date.now() + limit;
  const page = pageOf(browsers, target);
  if (!page) return { state: "refused" };
  const frame = page.mainFrame();
  const resolving = frame.selectors.resolveInjectedForSelector(selector, { strict: false });
  const resolved = await progress.race(inTime(resolving, until)); // by the page, when it is asked for the first time
  if (!resolved || resolved.frame !== frame) return { state: "refused" };
  const { injected, info } = resolved;
  const look = injected.evaluate(quickLook, { parsed: info.parsed, verb, until });
  const seen = await progress.race(inTime(look, until));
  const leave = (saw) => saw.point && injected.evaluate(quickStop).catch(() => {});
  if (!seen) {
    look.then(leave, () => {});
    return { state: "late" };
  }
  if (!seen.ready || Date.now() > until) {
    leave(seen);
    return { state: "refused" };
  }
  const document = frame._currentDocument.documentId;
  const found = { page, frame, document, injected, parsed: info.parsed, point: seen.point, verb, text, button, clickCount, leave: () => leave(seen) };
  found.timer = setTimeout(() => looks.delete(id) && found.leave(), limit);
  looks.set(id, found);
  return { state: "ready", count: seen.count, saves: seen.saves };
}

async function act(progress, { page, frame, document, injected, parsed, point, verb, text, button, clickCount }, limit) {
  const until = Date.now() + limit;
  if (frame._currentDocument.documentId !== document) return { state: "refused" };
  if (verb === "fill") {
    const filled = await progress.race(inTime(injected.evaluate(quickFill, { parsed, text, until }), until));
    if (filled === undefined) return { state: "late" };
    if (filled === "done") return { state: "done" };
    if (filled !== "needsinput" || Date.now() > until) return { state: "refused" };
  }
  let acted = false;
  let stopped = Promise.resolve("done");
  const perform = async (progress) => {
    if (verb === "fill") {
      await (text ? page.keyboard.insertText(progress, text) : page.keyboard.press(progress, "Delete"));
    } else {
      await page.mouse.click(progress, point.x, point.y, { button, clickCount });
      stopped = frame.raceAgainstEvaluationStallingEvents(() => injected.evaluate(quickStop)).catch(() => "done");
    }
    acted = true;
    return "done";
  };
  const acting = page.frameManager.waitForSignalsCreatedBy(progress, verb === "click", perform);
  const ended = await inTime(acting.catch(() => {}), until);
  if (!ended && !acted) await inTime(acting.catch(() => {}), Date.now() + beginTime); // it is in the page's hands
  if (!acted) return { state: "begun" };
  // What is navigated to is waited for as long as there is time.
  const hit = await inTime(stopped, ended ? until : Date.now() + 100);
  return { state: hit === undefined || hit === "done" ? "done" : "refused" };
}

function pageOf(browsers, target) {
  const contexts = browsers.flatMap((b) => [b._defaultContext, ...b.contexts()].filter(Boolean));
  return contexts.flatMap((c) => c.pages()).find((p) => p.delegate._targetId === target);
}

// inTime is what a promise comes to, or undefined when the time is over.
async function inTime(promise, until) {
  let timer;
  const over = new Promise((done) => (timer = setTimeout(done, until - Date.now())));
  promise.catch(() => {});
  return Promise.race([promise, over]).finally(() => clearTimeout(timer));
}

// quickLook runs in pages, with still. It reports whether an element is ready, and where
// a click has to go, having made sure that it arrives.
const quickLook = Object.assign(() => {}, {
  toString: () => `(injected, { parsed, verb, until }) => {
    const still = ${still};
    const all = injected.querySelectorAll(parsed, document);
    const node = all[0];
    const is = (state) => injected.elementState(node, state).matches;
    if (!node || Date.now() > until || !is("visible") || !is("enabled")) return {};
    if (verb === "fill") return { ready: is("editable"), count: all.length };
    const mover = injected.retarget(node, "no-follow-label");
    const { scale, offsetLeft, offsetTop } = window.visualViewport;
    if (!mover || !still(mover) || scale !== 1 || offsetLeft || offsetTop) return {};
    const box = [...node.getClientRects()].find((r) => r.width * r.height > 0.99);
    if (!box || box.left < 0 || box.top < 0 || box.right > innerWidth || box.bottom > innerHeight) return {};
    const round = (n) => Math.round(n * 100) / 100;
    const point = { x: round((box.left + box.right) / 2), y: round((box.top + box.bottom) / 2) };
    const guard = injected.setupHitTargetInterceptor(node, "mouse", point, false);
    if (typeof guard === "string") return {};
    injected.abrowserGuard = guard;
    return { ready: true, point, count: all.length, saves: !!node.closest?.("a[download]") };
  }`,
});

// quickFill runs in pages. It reports "done", or "needsinput" where the keyboard is needed.
function quickFill(injected, { parsed, text, until }) {
  const node = injected.querySelectorAll(parsed, document)[0];
  const ready = node && Date.now() <= until && ["visible", "enabled", "editable"].every((state) => injected.elementState(node, state).matches);
  return ready ? injected.fill(node, text) : "";
}

// quickStop runs in pages. It ends the watch over what a click hits, and reports "done"
// where that was the element.
function quickStop(injected) {
  const guard = injected.abrowserGuard;
  injected.abrowserGuard = undefined;
  return guard ? guard.stop() : "done";
}
