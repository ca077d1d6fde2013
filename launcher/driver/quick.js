// The fast path of a click or a fill uses as few messages as possible. Playwright sends one
// message after the other to get the element, its state, its position and the element at that
// position. The functions here get all of this in one evaluation, and use Playwright's own
// functions for it. The daemon, not the driver, sends the evaluation, and it runs in Playwright's
// isolated world in the page. The fast path acts only on an element that is ready at once. For
// any other element, the daemon uses Abrowser.act, which waits for the element, see act.js.
//
// The driver adds these methods to the CDP session of a page:
//   Abrowser.world    {target, limit}: installs the functions of questions (below) in the
//                     page's main frame. The response is {context, name, ahead}. context is the
//                     id of the isolated world's execution context. name is the global variable
//                     of this world that contains an object with the functions. ahead is a lower
//                     bound of the milliseconds by which the page's clock is ahead of the
//                     driver's
//   Abrowser.settled  {target, limit}: waits until no navigation is pending, but not longer than
//                     the limit. The response is {pending}: pending is false if no navigation is
//                     pending any more
//   Abrowser.loaded   {target, state, limit}: waits until the main frame's document has reached a
//                     load state, but not longer than the limit. The state is
//                     "domcontentloaded", "load" or "networkidle". The response is {loaded}
//   Abrowser.follow   {target}: from now on, the driver sends the event Abrowser.pending
//                     {pending} when the main frame begins to navigate to another document, and
//                     when the navigation is committed or has failed
// The limits are in milliseconds. The response to Abrowser.follow is always {}. The response to
// another method is {} if the driver does not have the page. It is {} too if Abrowser.world takes
// longer than its limit.

// answer returns the response to a method of this file, of act.js, of frames.js, of observe.js, of
// traffic.js, of settings.js or of picture.js.
async function answer(session, progress, browsers, method, params) {
  const until = Date.now() + params.limit;
  const page = pageOf(browsers, params.target);
  if (!page) return {};
  if (method === "Abrowser.act") return new Act(session, progress, page, params).run();
  if (method === "Abrowser.leave") return leave(page, params.id);
  if (method === "Abrowser.inFrame") return inFrame(progress, page, params);
  if (method === "Abrowser.settings") return applySettings(progress, page, params);
  if (method === "Abrowser.picture") return picture(progress, page, params, until);
  if (method === "Abrowser.world") return (await progress.race(inTime(world(page), until))) ?? {};
  if (method === "Abrowser.follow") return follow(session, page);
  if (method === "Abrowser.settled") return { pending: !(await progress.race(settled(page, until))) };
  if (method === "Abrowser.loaded") return { loaded: await progress.race(loaded(page, params.state, until)) };
  await progress.race(caughtUp(page));
  if (method === "Abrowser.console") return readLog(page, params);
  if (method === "Abrowser.requests") return listRequests(page, params);
  return progress.race(readRequest(page, params, until));
}

// world installs the functions of questions in the page's main frame, unless they are there
// already, and returns the response to Abrowser.world.
async function world(page) {
  const context = await page.mainFrame().context("utility");
  const injected = await context.injectedScript();
  if (!context.abrowserName) {
    const name = "abrowser" + crypto.randomBytes(12).toString("hex");
    context.abrowserAhead = (await injected.evaluate(questions, name)) - Date.now(); // a lower bound
    context.abrowserName = name;
  }
  return { context: context.delegate._contextId, name: context.abrowserName, ahead: context.abrowserAhead };
}

// inject installs Playwright's functions in a document. They are 300 KB of script, and the
// transfer to the browser is most of the cost. To avoid the transfer, inject registers the script
// with the browser when a page comes to its second document. From then on each document of the
// page evaluates the registered script when it first needs the functions. A registered script takes
// 400 KB of the browser's memory, so inject does not register it for pages that have only one
// document. inject sends the script itself, as Playwright does, in these cases:
//   - for the first document of a page
//   - in the page's main world
//   - if the registered script cannot be evaluated
async function inject(context, source, options, whole) {
  const { delegate } = context.frame._page;
  const client = context.delegate._client;
  const { abrowserHadDocument: isLater } = client;
  client.abrowserHadDocument ||= context.world === "utility";
  if (!isLater || context.world !== "utility" || !delegate.utilityWorldName) return context.rawEvaluateHandle(whole);
  client.abrowserRegistered ??= client.send("Page.addScriptToEvaluateOnNewDocument", {
    source: `Object.defineProperty(globalThis, "${scriptName}", { configurable: true, get() { const module = {}; ${source}; return module.exports; } })`,
    worldName: delegate.utilityWorldName,
    runImmediately: true,
  }).catch(() => {});
  await client.abrowserRegistered;
  return context.rawEvaluateHandle(`new (globalThis.${scriptName}.InjectedScript())(globalThis, ${JSON.stringify(options)})`).catch(() => context.rawEvaluateHandle(whole));
}
const scriptName = "abrowser" + crypto.randomBytes(12).toString("hex");

// settled waits until the pending navigation of the page's main frame and every navigation that
// follows it are committed, but not longer than the deadline in the parameter until, which is in
// milliseconds since 1970. It returns true if no navigation is pending any more.
//
// settled first calls Playwright's inputActionEpilogue, which sends a message to the browser. The
// answer comes after the events of all navigations that the page has requested before. The answer
// may be late, because Chromium delays it while a navigation is pending, and because the page may
// be busy. settled waits at most answerTime for the answer. If no navigation is pending after
// answerTime, settled returns true without the answer. If the deadline is earlier than that and
// there is no answer by then, settled returns false, because the page may have requested a
// navigation.
async function settled(page, until) {
  const enough = Date.now() + answerTime;
  const frame = page.mainFrame();
  const answered = await inTime(page.delegate.inputActionEpilogue().then(() => true), Math.min(until, enough));
  if (!answered && until < enough && !frame.pendingDocument()) return false;
  while (frame.pendingDocument() && Date.now() < until) await nextEvent(page, "internalnavigation", until);
  return !frame.pendingDocument();
}

const answerTime = 1000; // milliseconds

// loaded waits until the document of the page's main frame has reached a load state, but not longer
// than the deadline in the parameter until. It returns whether the document has reached the state.
async function loaded(page, state, until) {
  const { _firedLifecycleEvents: reached } = page.mainFrame();
  while (!reached.has(state) && Date.now() < until) await nextEvent(page, "addlifecycle", until);
  return reached.has(state);
}

// nextEvent waits for the next event with this name of the page's main frame, but not longer than
// the deadline in the parameter until. It throws an error if the page is closed or crashes.
async function nextEvent(page, name, until) {
  const frame = page.mainFrame();
  let listener;
  const next = new Promise((done) => frame.on(name, (listener = done)));
  await page.openScope.race(inTime(next, until)).finally(() => frame.off(name, listener));
}

// follow sends Abrowser.pending events. If another navigation is already pending when a navigation
// is committed, Playwright clears the pending document and directly sets it again. follow reads
// the state in a microtask, which runs after both changes, so it sends no event for them.
function follow(session, page) {
  const frame = page.mainFrame();
  let sent = false;
  const report = () => {
    const pending = !!frame.pendingDocument();
    if (pending !== sent) session.emit("event", { method: "Abrowser.pending", params: { pending: (sent = pending) } });
  };
  frame.on("abrowserpending", () => queueMicrotask(report));
  report();
  return {};
}

// pageOf returns the page whose CDP target id is the parameter target, or undefined if the driver
// does not have such a page.
function pageOf(browsers, target) {
  const contexts = browsers.flatMap((b) => [b._defaultContext, ...b.contexts()].filter(Boolean));
  return contexts.flatMap((c) => c.pages()).find((p) => p.delegate._targetId === target);
}

// inTime returns the result of a promise. It returns undefined if the promise has not settled by
// the deadline in the parameter until, which is in milliseconds since 1970.
async function inTime(promise, until) {
  let timer;
  const late = new Promise((done) => (timer = setTimeout(done, until - Date.now())));
  promise.catch(() => {});
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

// questions runs in pages. It sets a global variable to an object with the functions that a daemon
// calls. The parameter name is the name of the variable. The functions are:
//   look(selector, until, button, count, began)
//                                reports whether the first element that matches is ready for a
//                                click with this button and this count of presses. If it is
//                                ready, look starts to watch for the click, and also returns the
//                                position and the number of matches. If it is not, look returns
//                                the reason, if that is known
//   fill(selector, text, until, began)
//                                fills the first element that matches if it is ready. The
//                                member how of the result is "done", or "needsinput" if the
//                                daemon must now send keyboard input
//   typed()                      waits until the page has seen the keyboard input that follows
//                                fill. The daemon calls it before fill
//   endTyped()                   returns the verdict of watchKeys about this keyboard input
//   read(selector, what, name)   returns a value of the first element that matches; what is a
//                                key of values (below), and name is the name of an attribute
//   same(ref)                    reports whether the element with this ref is visible and is the
//                                same as in the last snapshot. It also returns the time at which
//                                the document began
//   came()                       waits until the element has seen the click. The daemon calls it
//                                before look, since the click directly follows look
//   over(count)                  waits until the buttons were released count times and the click
//                                is complete, and returns the same as end. On a large page,
//                                over(1) returns as soon as the page has handled the click event,
//                                if the click has not navigated, has not submitted a form, and has
//                                no default action left. The member calm of this earlier result is
//                                true. The daemon calls over before look
//   end()                        waits until the tasks that the click has queued in the page's
//                                event loop are done, and stops watching. It returns whether the
//                                click has hit the element (hit), the verdict of watchClick
//                                (click), and whether the page has begun to navigate since look
//                                (moved). If the page gets no navigate events, moved is true
//   stop()                       stops watching at once
// If the selector is a ref, began is the time at which the document of this ref began. For other
// selectors it is undefined. The parameter until is a deadline in milliseconds since 1970 by the
// page's clock. look and fill start nothing after the deadline.
const questions = Object.assign(() => {}, {
  toString: () => `(injected, name) => {
    const isStill = ${isStill}, staysInPlace = ${staysInPlace}, isRef = ${isRef};
    ${watching}; ${filling};
    const many = 2000; // elements; a page with more takes long to paint
    let turn = 0, guard, moved, sent, large, released, seen, complete, calm, watcher, keys, entered, aim, last, report;
    const onNavigate = () => (moved = true);
    const onSubmit = () => (sent = true);
    // Count the release in a later task, because the click event follows in the same task as the
    // release.
    const onRelease = ({ isTrusted }) => isTrusted && setTimeout(() => (released++, complete?.()));
    // onClick is called when the click has hit the element and the page's own listeners have
    // run. The default action of the click follows after it.
    const { matches } = Element.prototype; // in a form, e.matches may be a field with this name
    const hasDefaultAction = (e) => e instanceof Element && (matches.call(e, "a, area, label, [type=file]") || (e.form && ["submit", "image"].includes(e.type)));
    const onClick = (event) => {
      if (event.isTrusted && large && !moved && !sent && event.composedPath().includes(aim) && (event.defaultPrevented || !event.composedPath().some(hasDefaultAction))) calm?.();
    };
    const listeners = [["mouseup", onRelease, true], ["submit", onSubmit, true], ["click", onClick, false]]; // the page may stop some events before these listeners get them
    const { unchanged } = (${watchChanges})(injected);
    // isInPlace returns the result of unchanged. It also returns true if the element has the same
    // place as in the last call, and a frame has passed since then.
    const isInPlace = (node) => {
      const { x, y, width, height } = node.getBoundingClientRect();
      const is = { node, at: [x, y, width, height].join(), time: document.timeline.currentTime };
      const was = last;
      last = is;
      return unchanged(node) || (was?.node === node && was.at === is.at && was.time !== is.time);
    };
    const find = (selector, until, began) => {
      const parsed = injected.parseSelector(selector);
      // Playwright handles other frames, and selectors that run in the page's main world.
      const others = parsed.parts.some((p) => p.name === "internal:control" || p.name.startsWith("_") || (p.name === "aria-ref" && !/^e/.test(p.body)));
      const all = others ? [] : injected.querySelectorAll(parsed, document);
      if (began && (began !== performance.timeOrigin || !isRef(injected, all[0], parsed.parts[0].body))) all.length = 0;
      const is = (state) => injected.elementState(all[0], state).matches;
      const seen = until && all[0] && is("visible");
      const why = seen && !is("enabled") ? "is not enabled" : "";
      return { others, node: all[0], count: all.length, is, why, ready: seen && !why && Date.now() <= until };
    };
    const stopWatching = () => {
      const hit = guard ? guard.stop() : "done";
      guard = undefined;
      for (const [type, listener, capture] of listeners) removeEventListener(type, listener, capture);
      window.navigation?.removeEventListener("navigate", onNavigate);
      return hit === "done";
    };
    const stop = () => {
      const ended = { hit: stopWatching(), click: watcher?.stop(), moved: !!moved };
      released = Infinity;
      seen?.(false);
      complete?.(ended);
      seen = complete = calm = watcher = undefined;
      return ended;
    };
    const watch = () => {
      stopWatching();
      sent = false;
      for (const [type, listener, capture] of listeners) addEventListener(type, listener, capture);
    };
    const end = async () => {
      // The browser submits a form in a separate task, and a page does most of its deferred work in
      // such tasks. These tasks come before this one.
      const mine = turn;
      if (!moved) await new Promise((done) => setTimeout(done));
      if (mine !== turn) return { hit: true }; // another click has begun, and is still being watched
      return (report ??= stop()); // over and end may both call this
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
        complete = (ended) => released >= count && done(ended ?? end());
        if (count === 1) calm = () => ((complete = undefined), done({ hit: true, calm: true, click: watcher?.isUnused() ? "unused" : "seen" }));
      });
    };
    const look = async (selector, until, button, presses, began) => {
      const { node, count, ready, why } = find(selector, until, began);
      if (!ready) return stop(), { why, now: Date.now() };
      const target = injected.retarget(node, "no-follow-label");
      const mine = turn;
      aim = target;
      if (target && !(isStill(target) && isInPlace(target))) {
        const stays = await staysInPlace(target, injected.utils.builtins);
        if (mine !== turn) return {};
        if (!stays || Date.now() > until) return stop(), stays === false ? { why: "is not stable" } : {};
      }
      const { scale, offsetLeft, offsetTop } = window.visualViewport;
      if (!target || scale !== 1 || offsetLeft || offsetTop) return stop(), {};
      const box = [...node.getClientRects()].find((r) => r.width * r.height > 0.99);
      if (!box || box.left < 0 || box.top < 0 || box.right > innerWidth || box.bottom > innerHeight) return stop(), {};
      const round = (n) => Math.round(n * 100) / 100;
      const point = { x: round((box.left + box.right) / 2), y: round((box.top + box.bottom) / 2) };
      watch(); // before the guard, which stops events that do not hit the element
      const set = injected.setupHitTargetInterceptor(node, "mouse", point, false);
      if (typeof set === "string") return stop(), set.startsWith("error:") ? {} : { why: "is covered by " + set };
      guard = set;
      const type = presses > 1 ? "dblclick" : { left: "click", middle: "auxclick", right: "contextmenu" }[button];
      watcher = watchClick([injected, node, { type, presses }]);
      watcher.seen.then((is) => is && seen?.(true));
      large = document.getElementsByTagName("*").length > many;
      // A document without an origin or a URL gets no navigate events.
      moved = !window.navigation || origin === "null" || document.URL === "about:blank";
      window.navigation?.addEventListener("navigate", onNavigate);
      return { ready: true, ...point, count, saves: !!node.closest?.("a[download]") };
    };
    const fill = (selector, text, until, began) => {
      const { node, count, is, ready, why } = find(selector, until, began);
      if (!ready) return { why, now: Date.now() };
      if (takesKeys(node)) return {};
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
