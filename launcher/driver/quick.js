// A click or a fill in as few messages as there can be. Playwright asks the page for
// the element, its state, its place and what lies there one after the other, and a
// daemon has asked before whether it is there. Here all of it is one question; only
// what is ready at once is acted on, in Playwright's own way. Of the rest nothing is
// done: the daemon then has Playwright wait for it.
//
// A session's daemon asks for it as a method of a page's CDP session, Abrowser.act:
//   target, selector   the page, and the element in its main frame; the first is taken
//   verb               "click", with button and clickCount, or "fill", with text
//   limit              in milliseconds; nothing is begun after that
//   id                 by which Abrowser.cancel says that nothing is to be begun any more
// The answer is {state, count, saves}: "done", "refused" where nothing was done, "late"
// where the page has not answered, or "begun", where it was begun and not seen to end;
// how many elements there are, and whether this one is in a link that saves a file.

const beginTime = 2000; // for what was begun in time

const running = new Map(); // the acts that run, by their id

// answer is what a method of ours comes to.
async function answer(progress, browsers, method, params) {
  if (method === "Abrowser.picture") return picture(progress, browsers, params);
  if (method === "Abrowser.cancel") {
    const act = running.get(params.id);
    if (act) act.over = true;
    return {};
  }
  const act = { over: false };
  running.set(params.id, act);
  return quick(progress, browsers, act, params).finally(() => running.delete(params.id));
}

async function quick(progress, browsers, act, { target, selector, verb, text, button, clickCount, limit }) {
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
  const leave = () => injected.evaluate(quickStop).catch(() => {});
  if (!seen) {
    look.then((late) => late.point && leave(), () => {});
    return { state: "late" };
  }
  const told = { count: seen.count, saves: seen.saves };
  if (!seen.ready || act.over || Date.now() > until) {
    if (seen.point) leave();
    return { state: "refused" };
  }
  if (verb === "fill") {
    const filled = await progress.race(inTime(injected.evaluate(quickFill, { parsed: info.parsed, text, until }), until));
    if (filled === undefined) return { state: "late" };
    if (filled === "done") return { state: "done", ...told };
    if (filled !== "needsinput" || act.over || Date.now() > until) return { state: "refused" };
  }
  let acted = false;
  let stopped = Promise.resolve("done");
  const perform = async (progress) => {
    if (verb === "fill") {
      await (text ? page.keyboard.insertText(progress, text) : page.keyboard.press(progress, "Delete"));
    } else {
      await page.mouse.click(progress, seen.point.x, seen.point.y, { button, clickCount });
      stopped = frame.raceAgainstEvaluationStallingEvents(() => injected.evaluate(quickStop)).catch(() => "done");
    }
    acted = true;
    return "done";
  };
  const acting = page.frameManager.waitForSignalsCreatedBy(progress, verb === "click", perform);
  const ended = await inTime(acting.catch(() => {}), until);
  if (!ended && !acted) await inTime(acting.catch(() => {}), Date.now() + beginTime); // it is in the page's hands
  if (!acted) return { state: "begun", ...told };
  // What is navigated to is waited for as long as there is time.
  const hit = await inTime(stopped, ended ? until : Date.now() + 100);
  return { state: hit === undefined || hit === "done" ? "done" : "refused", ...told };
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
