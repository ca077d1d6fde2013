// The fast path of a click or a fill uses as few messages as possible. Playwright asks the
// page one after the other for the element, its state, its position and the element at that
// position. The functions here ask all of that in one evaluation, with Playwright's own
// functions. The daemon sends it itself, to Playwright's isolated world. It acts only on an
// element that is ready at once; otherwise Playwright waits for the element, see act.js.
//
// The CDP session of a page has these additional methods:
//   Abrowser.world    {target, limit}: installs the questions in the page's main frame. The
//                     response is {context, name, ahead}. The questions are members of the
//                     global object with that name in the isolated world. ahead is a lower
//                     bound of the milliseconds by which the page's clock is ahead of ours
//   Abrowser.settled  {target, limit}: waits until a pending navigation is committed. The
//                     response is {pending: true} if the limit came first
//   Abrowser.follow   {target}: sends the event Abrowser.pending {pending} from now on, when
//                     the main frame begins to navigate to another document, and when the
//                     navigation is committed or has failed
// The limits are in milliseconds. The response is {} if the driver cannot do it.

// answer returns the response to one of these methods, or of those of act.js and picture.js.
async function answer(session, progress, browsers, method, params) {
  const until = Date.now() + params.limit;
  const page = pageOf(browsers, params.target);
  if (!page) return {};
  if (method === "Abrowser.act") return new Act(session, progress, page, params).run();
  if (method === "Abrowser.leave") return leave(page, params.id);
  if (method === "Abrowser.picture") return picture(progress, page, params, until);
  if (method === "Abrowser.world") return (await progress.race(inTime(world(page), until))) ?? {};
  if (method === "Abrowser.follow") return follow(session, page);
  return { pending: !(await progress.race(settled(page, until))) };
}

async function world(page) {
  const context = await page.mainFrame().context("utility");
  const injected = await context.injectedScript();
  if (!context.abrowserName) {
    const name = "abrowser" + crypto.randomBytes(12).toString("hex");
    context.abrowserAhead = (await injected.evaluate(questions, name)) - Date.now(); // at least
    context.abrowserName = name;
  }
  return { context: context.delegate._contextId, name: context.abrowserName, ahead: context.abrowserAhead };
}

// inject brings Playwright's functions into a document: 300 KB of script, most of whose
// cost is the way there. A page that comes to a second document has it for all that
// follow, which make of it what they need, when they need it; the browser keeps it, 400
// KB a page, so one that stays at its first does without. Where it cannot be kept, and in
// the page's own world, it is brought as Playwright would.
async function inject(context, source, options, whole) {
  const { delegate } = context.frame._page;
  const client = context.delegate._client;
  const { abrowserMet: met } = client;
  client.abrowserMet ||= context.world === "utility";
  if (!met || context.world !== "utility" || !delegate.utilityWorldName) return context.rawEvaluateHandle(whole);
  client.abrowserBrought ??= client.send("Page.addScriptToEvaluateOnNewDocument", {
    source: `Object.defineProperty(globalThis, "${brought}", { configurable: true, get() { const module = {}; ${source}; return module.exports; } })`,
    worldName: delegate.utilityWorldName,
    runImmediately: true,
  }).catch(() => {});
  await client.abrowserBrought;
  return context.rawEvaluateHandle(`new (globalThis.${brought}.InjectedScript())(globalThis, ${JSON.stringify(options)})`).catch(() => context.rawEvaluateHandle(whole));
}
const brought = "abrowser" + crypto.randomBytes(12).toString("hex");

// settled waits for the navigation of the main frame that the page has asked for, with
// what follows from it before the next document is there, and reports whether that is over.
// The page's answer comes after all that it has asked for so far. Chromium keeps the
// question until a navigation that has begun is over, and a busy page answers later still:
// one that has asked for nothing by answerTime is not waited for.
async function settled(page, until) {
  const over = Date.now() + answerTime;
  const frame = page.mainFrame();
  const said = await inTime(page.delegate.inputActionEpilogue().then(() => true), Math.min(until, over));
  if (!said && until < over && !frame.pendingDocument()) return false;
  while (frame.pendingDocument() && Date.now() < until) {
    let heard;
    const next = new Promise((done) => frame.on("internalnavigation", (heard = done)));
    await page.openScope.race(inTime(next, until)).finally(() => frame.off("internalnavigation", heard));
  }
  return !frame.pendingDocument();
}

const answerTime = 1000;

// follow sends Abrowser.pending events. While a navigation is committed, Playwright replaces
// one pending document by another, so the state is read after that, in a microtask.
function follow(session, page) {
  const frame = page.mainFrame();
  let told = false;
  const tell = () => {
    const pending = !!frame.pendingDocument();
    if (pending !== told) session.emit("event", { method: "Abrowser.pending", params: { pending: (told = pending) } });
  };
  frame.on("abrowserpending", () => queueMicrotask(tell));
  tell();
  return {};
}

function pageOf(browsers, target) {
  const contexts = browsers.flatMap((b) => [b._defaultContext, ...b.contexts()].filter(Boolean));
  return contexts.flatMap((c) => c.pages()).find((p) => p.delegate._targetId === target);
}

// inTime returns the result of a promise, or undefined at the time until.
async function inTime(promise, until) {
  let timer;
  const over = new Promise((done) => (timer = setTimeout(done, until - Date.now())));
  promise.catch(() => {});
  return Promise.race([promise, over]).finally(() => clearTimeout(timer));
}

// questions runs in pages, with still. It makes what a daemon asks known by a name:
//   look(selector, until, button, count, began)
//                                whether the first element is ready to be clicked, and where,
//                                having made sure that the click arrives; how many there are;
//                                or why it is not, where that is plain
//   fill(selector, text, until, began)
//                                fills it where it is ready: "done", or "needsinput" where it
//                                is ready for the keyboard
//   typed()                      waits until the keyboard's input is seen. It is asked for
//                                before fill
//   endTyped()                   the verdict of watchKeys on that
//   read(selector, what, name)   what the first element has, see values
//   same(ref)                    whether the element that had a ref in the last snapshot is
//                                shown, and what it was then; and when its document began
//   came()                       waits until the click is seen on the element
//   over(count)                  waits for it to be over, as end does. On a large page it is
//                                when the page has heard of it, and neither goes elsewhere
//                                nor sends a form by it, which is calm. Both are asked for
//                                before look
//   end()                        ends the watch over what a click hits, when it is over, with
//                                what the page has put off: whether that was the element, and
//                                whether the page has navigated meanwhile
//   stop()                       ends it at once
// A selector that is a ref has when its document began.
// Nothing is begun after until, in milliseconds since 1970 by the page's clock.
const questions = Object.assign(() => {}, {
  toString: () => `(injected, name) => {
    const still = ${still}, settles = ${rests}, isRef = ${isRef};
    ${watching}; ${fillElement}
    const many = 2000; // elements of a page that takes long to paint
    let turn = 0, guard, moved, sent, large, released, seen, heard, calm, watcher, keys, entered, aim, last, report;
    const moves = () => (moved = true);
    const sends = () => (sent = true);
    // In a task of its own: with the button's release comes the click.
    const release = ({ isTrusted }) => isTrusted && setTimeout(() => (released++, heard?.()));
    // What this hears has hit, and all that hears of it before has done its part. What the
    // click does by itself is still to come.
    const { matches } = Element.prototype; // a form's field may have that name
    const goes = (e) => e instanceof Element && (matches.call(e, "a, area, label, [type=file]") || (e.form && ["submit", "image"].includes(e.type)));
    const click = (event) => {
      if (event.isTrusted && large && !moved && !sent && event.composedPath().includes(aim) && (event.defaultPrevented || !event.composedPath().some(goes))) calm?.();
    };
    const watched = [["mouseup", release, true], ["submit", sends, true], ["click", click, false]]; // the page may keep some from us
    // Whether a script moves an element shows in a few frames. Where nothing in the document
    // has changed in the last ones, no more need be waited for. Frames and not time are
    // counted, since timers that would move it are late when the machine is.
    let changed = performance.now(), frames = 0, counts = false;
    const frame = () => ((counts = ++frames < 3) && requestAnimationFrame(frame));
    const changes = () => {
      [changed, frames] = [performance.now(), 0];
      if (!counts) counts = !!requestAnimationFrame(frame);
    };
    const observer = new MutationObserver(changes);
    const observed = new WeakSet();
    for (const type of ["scroll", "resize", "load"]) addEventListener(type, changes, { capture: true, passive: true });
    const observe = (root) => {
      if (observed.has(root)) return;
      observed.add(root);
      observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
      changes();
    };
    observe(document);
    const rested = (element) => {
      for (let root = element.getRootNode(); root.host; root = root.host.getRootNode()) observe(root);
      if (observer.takeRecords().length > 0) changes();
      return frames >= 3 || performance.now() - changed > 1000; // a page that is not drawn has no frames
    };
    injected.abrowserRested = rested;
    // The same for an element that was looked at before.
    const isWhere = (node) => {
      const { x, y, width, height } = node.getBoundingClientRect();
      const is = { node, at: [x, y, width, height].join(), time: document.timeline.currentTime };
      const was = last;
      last = is;
      return rested(node) || (was?.node === node && was.at === is.at && was.time !== is.time);
    };
    const find = (selector, until, began) => {
      const parsed = injected.parseSelector(selector);
      // Other frames, and what is to be asked in the page's own world, are Playwright's.
      const others = parsed.parts.some((p) => p.name === "internal:control" || p.name.startsWith("_") || (p.name === "aria-ref" && !/^e/.test(p.body)));
      const all = others ? [] : injected.querySelectorAll(parsed, document);
      if (began && (began !== performance.timeOrigin || !isRef(injected, all[0], parsed.parts[0].body))) all.length = 0;
      const is = (state) => injected.elementState(all[0], state).matches;
      const seen = until && all[0] && is("visible");
      const why = seen && !is("enabled") ? "is not enabled" : "";
      return { others, node: all[0], count: all.length, is, why, ready: seen && !why && Date.now() <= until };
    };
    const leave = () => {
      const hit = guard ? guard.stop() : "done";
      guard = undefined;
      for (const [type, listener, capture] of watched) removeEventListener(type, listener, capture);
      window.navigation?.removeEventListener("navigate", moves);
      return hit === "done";
    };
    const stop = () => {
      const ended = { hit: leave(), click: watcher?.stop(), moved: !!moved };
      released = Infinity;
      seen?.(false);
      heard?.(ended);
      seen = heard = calm = watcher = undefined;
      return ended;
    };
    const watch = () => {
      leave();
      sent = false;
      for (const [type, listener, capture] of watched) addEventListener(type, listener, capture);
    };
    const end = async () => {
      // A form is sent, and most of what a page puts off is done, in a task of its own
      // that comes before this one.
      const mine = turn;
      if (!moved) await new Promise((done) => setTimeout(done));
      if (mine !== turn) return { hit: true }; // another click has begun, and goes on
      return (report ??= stop()); // over and end may both ask
    };
    const came = () => {
      stop();
      turn++;
      report = undefined;
      return new Promise((done) => (seen = done));
    };
    const over = (count) => {
      released = 0;
      return new Promise((done) => {
        heard = (ended) => released >= count && done(ended ?? end());
        if (count === 1) calm = () => ((heard = undefined), done({ hit: true, calm: true, click: "seen" }));
      });
    };
    const look = async (selector, until, button, presses, began) => {
      const { node, count, ready, why } = find(selector, until, began);
      if (!ready) return stop(), { why };
      const mover = injected.retarget(node, "no-follow-label");
      const mine = turn;
      aim = mover;
      if (mover && !(still(mover) && isWhere(mover))) {
        const rests = await settles(mover, requestAnimationFrame);
        if (mine !== turn) return {};
        if (!rests || Date.now() > until) return stop(), rests === false ? { why: "is not stable" } : {};
      }
      const { scale, offsetLeft, offsetTop } = window.visualViewport;
      if (!mover || scale !== 1 || offsetLeft || offsetTop) return stop(), {};
      const box = [...node.getClientRects()].find((r) => r.width * r.height > 0.99);
      if (!box || box.left < 0 || box.top < 0 || box.right > innerWidth || box.bottom > innerHeight) return stop(), {};
      const round = (n) => Math.round(n * 100) / 100;
      const point = { x: round((box.left + box.right) / 2), y: round((box.top + box.bottom) / 2) };
      watch(); // before the guard, which keeps from us what misses
      const set = injected.setupHitTargetInterceptor(node, "mouse", point, false);
      if (typeof set === "string") return stop(), set.startsWith("error:") ? {} : { why: "is covered by " + set };
      guard = set;
      const type = presses > 1 ? "dblclick" : { left: "click", middle: "auxclick", right: "contextmenu" }[button];
      watcher = watchClick([injected, node, { type, presses }]);
      watcher.seen.then((is) => is && seen?.(true));
      large = document.getElementsByTagName("*").length > many;
      // Of a document without an origin or a URL nobody is told that it navigates.
      moved = !window.navigation || origin === "null" || document.URL === "about:blank";
      window.navigation?.addEventListener("navigate", moves);
      return { ready: true, ...point, count, saves: !!node.closest?.("a[download]") };
    };
    const fill = (selector, text, until, began) => {
      const { node, count, is, ready, why } = find(selector, until, began);
      if (!ready) return { why };
      if (!is("editable")) return { why: "is not editable" };
      keys?.stop();
      keys = watchKeys([injected, node, { keys: text ? 0 : 1 }]);
      keys.seen.then((is) => is && entered?.(true));
      return { how: fillElement(injected, node, text), count };
    };
    const typed = () => {
      entered?.(false);
      return new Promise((done) => (entered = done));
    };
    const endTyped = () => keys.verdict();
    const values = {
      text: (e) => e.innerText ?? e.textContent ?? "",
      html: (e) => e.innerHTML,
      value: (e) => (["INPUT", "TEXTAREA", "SELECT"].includes(e.nodeName) ? e.value : undefined),
      attribute: (e, name) => e.getAttribute(name),
      styles: (e) => Array.from(getComputedStyle(e), (p) => [p, getComputedStyle(e).getPropertyValue(p)]),
    };
    const read = (selector, what, name) => {
      const { others, node, count } = find(selector, 0);
      const value = node && values[what](node, name);
      return { ready: !others && (!node || value !== undefined), count, value };
    };
    const same = (ref) => {
      const { node, is } = find("aria-ref=" + ref, 0);
      return { same: isRef(injected, node, ref) && is("visible"), began: performance.timeOrigin };
    };
    globalThis[name] = { look, fill, typed, endTyped, came, over, end, stop, read, same };
    return Date.now();
  }`,
});
