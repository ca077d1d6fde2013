// An action on a page has two phases. The wait phase lasts until the element is ready. It is
// aborted at the timeout, when the page has not changed for some time (still.js), or when the
// caller disconnects. It changes nothing in the page but the scroll position. The act phase starts
// directly before the first input event, or before the script that has the effect. It lasts until
// the page has acknowledged the last event or the script. The act phase is not aborted, with one
// exception: the verb type sends no more keys after the caller has left. No input event is sent to
// find out whether an element is ready.
//
// The driver adds these methods to the CDP session of a page:
//   Abrowser.act    {target, id, limit, still, ack, verb, selector, ...}: performs a verb, see
//                   verbs.js. limit is the timeout of the wait phase in milliseconds. If still is
//                   set, the wait phase ends earlier when the page has not changed for this many
//                   milliseconds, see still.js. The act phase must end within limit + ack
//                   milliseconds from the start of the action. The response has a state:
//                   "done"     the action was performed, exactly once
//                   "none"     nothing was done. The member stopped of the response says why the
//                              wait phase was aborted. The member why says what the element
//                              lacked in the last check. The member error says what made the
//                              action impossible
//                   "unknown"  the action began, and its end was not confirmed. The member doubt
//                              of the response says why
//   Abrowser.leave  {target, id}: aborts the action with this id if it is in the wait phase. The
//                   daemon sends Abrowser.act and Abrowser.leave concurrently, so Abrowser.leave
//                   may arrive first. It then aborts the action when the action arrives
// The CDP session also gets this event:
//   Abrowser.phase  {id, acting}: sent with acting true before the act phase begins, and with
//                   acting false when the action returns to the wait phase because nothing was
//                   done

// These times are in milliseconds. After an attempt was refused, find waits at most coverTime
// until nothing covers the element. The next attempt then scrolls the page in another way.
const lookTime = 1000; // the longest wait for an element in one evaluation
const coverTime = 500;
const settleTime = 1000; // the longest wait for a navigation that the action has started
const stillPause = 500; // the longest pause between two calls of checkStill
const firstPause = 250; // from the start of an action to its first call of checkStill
const acts = new WeakMap(); // maps a page to its last action
const abortedIds = new WeakMap(); // maps a page to the id in its last Abrowser.leave

class Act {
  constructor(session, server, page, params) {
    Object.assign(this, { page, params, facts: {}, why: "", refusals: 0, dialogs: 0, acting: false });
    this.reportPhase = (acting) => session.emit("event", { method: "Abrowser.phase", params: { id: params.id, acting } });
    this.startWait(params.limit);
    this.changed = performance.now(); // when the page last changed
    this.nextStill = params.still ? this.changed + firstPause : Infinity; // when to call checkStill
    server.signal.addEventListener("abort", () => this.stop("left")); // the daemon has disconnected
    acts.set(page, this);
    if (abortedIds.get(page) === params.id) this.stop("left");
    const race = (promises) => this.race(promises, [promises].flat());
    this.progress = {
      ...playwright.nullProgress,
      race,
      wait: (time) => race(new Promise((done) => setTimeout(done, time))),
      metadata: { ...playwright.nullProgress.metadata, log: [] },
    };
  }

  // startWait starts a wait phase that is aborted after limit milliseconds.
  startWait(limit) {
    this.stopped = undefined;
    this.until = performance.now() + limit;
    this.ended = new Promise((_, reject) => (this.end = reject));
    this.ended.catch(() => {});
    clearTimeout(this.waitTimer);
    this.waitTimer = setTimeout(() => this.stop("late"), limit);
  }

  // race returns the result of the first promise to settle. In the wait phase it throws when the
  // action is aborted. In the act phase it throws when the page has not acknowledged the action in
  // time. The parameter ours contains promises of handles. If race throws because the action is
  // aborted, it releases these handles.
  async race(promises, ours = []) {
    const all = [promises].flat();
    if (this.acting) return Promise.race([...all, this.unacknowledged]);
    try {
      return await Promise.race([...all, this.ended]);
    } catch (error) {
      if (this.stopped) ours.forEach(release);
      throw error;
    }
  }

  // own returns the handle that a promise resolves to. It throws in the same cases as race. If the
  // action is aborted, own releases the handle.
  own(promise) {
    return this.race(promise, [promise]);
  }

  // stop aborts the wait phase. In the act phase it has no effect until the action returns to the
  // wait phase. The verb type is an exception: in the act phase, it reads the property "left",
  // which stop sets, before each key.
  stop(why) {
    this.stopped ??= why;
    this.left ||= why === "left";
    this.end(new Error(this.stopped));
  }

  // check throws if the act phase must not begin any more. It reads the clock, since a timer
  // fires late in a process that was suspended or busy.
  check() {
    if (performance.now() >= this.until) this.stop("late");
    if (this.stopped) throw new Error(this.stopped);
  }

  // begin begins the act phase.
  begin() {
    this.check();
    this.reportPhase(true);
    this.acting = true;
    this.held = new Set(this.page.keyboard._pressedKeys);
    this.dialogs = 0;
    this.unacknowledged = new Promise((_, reject) => {
      this.timer = setTimeout(() => reject(new Error("the page did not acknowledge it")), this.until - performance.now() + this.params.ack);
    });
    this.unacknowledged.catch(() => {});
  }

  // undo returns to the wait phase, because nothing was done.
  undo() {
    clearTimeout(this.timer);
    this.acting = false;
    this.reportPhase(false);
  }

  async run() {
    const { dialogManager } = this.page.browserContext;
    const dialog = (dialog) => ((this.dialogs += dialog.page() === this.page), false); // leaves the dialog to other handlers
    dialogManager.addDialogHandler(dialog);
    try {
      for (;;) {
        const done = await this.attempt();
        if (done) return { state: "done", count: this.facts.count, saves: this.facts.saves, unused: this.unused, ...done };
        this.check();
        await this.checkStill();
        this.check();
      }
    } catch (error) {
      const { acting, stopped } = this;
      if (acting) {
        this.releaseKeys();
        return { state: "unknown", doubt: firstLine(error) };
      }
      if (stopped === "late" || stopped === "still") await this.describe();
      const { why, facts } = this;
      return { state: "none", stopped, why, second: !!this.second, count: facts.count ?? -1, error: stopped ? undefined : firstLine(error), ...error.details };
    } finally {
      clearTimeout(this.waitTimer);
      clearTimeout(this.timer);
      dialogManager.removeDialogHandler(dialog);
    }
  }

  // checkStill aborts the wait phase if the page has not changed for as many milliseconds as the
  // parameter "still" of the action says. It does nothing before the time in nextStill, because it
  // sends a message to each frame.
  async checkStill() {
    const { still } = this.params;
    if (performance.now() < this.nextStill) return;
    const since = await this.race(sinceChange(this.page));
    this.changed = Math.max(this.changed, performance.now() - since);
    const left = this.changed + still - performance.now();
    if (left <= 0) this.stop("still");
    this.nextStill = performance.now() + Math.min(left, stillPause);
  }

  // describe checks the element once if the wait phase ended before the first check, so that the
  // response can say what the element lacks.
  async describe() {
    if (this.facts.count !== undefined || this.params.selector === undefined) return;
    this.startWait(lookTime);
    const node = await this.find(verbs[this.params.verb].states, 0, this.second).catch(() => {}); // the page does not answer
    node?.dispose();
  }

  // releaseKeys releases the keys that the action has left pressed, so that they do not change
  // what later commands type. It does not wait for the page to handle their release. Keys that an
  // earlier command holds stay pressed.
  releaseKeys() {
    const { keyboard } = this.page;
    for (const code of [...keyboard._pressedKeys].filter((code) => !this.held.has(code))) keyboard.up(playwright.nullProgress, code).catch(() => {}); // the page is closed
  }

  // attempt waits for the element and performs the action. It returns members of the
  // response, or undefined if another attempt is needed.
  async attempt() {
    const verb = verbs[this.params.verb];
    try {
      await this.page.performActionPreChecks(this.progress); // waits for a pending navigation
      if (this.params.selector === undefined) return await verb.perform(this);
      const node = await this.find(verb.states);
      if (node) return await verb.perform(this, node).finally(() => node.dispose());
    } catch (error) {
      if (this.acting || this.stopped || error instanceof Impossible || this.page.mainFrame().isNonRetriableError(error)) throw error;
      await this.progress.wait(20); // the document or the frame was replaced
    }
  }

  // find waits in the page, for at most the given time in milliseconds, until the element exists
  // and is in the given states. It returns a handle to the element, or undefined if the element did
  // not become ready. By default the action's parameters select the element. The last parameter of
  // find can select another one.
  async find(states, time = lookTime, { selector, began } = this.params) {
    const ref = /^aria-ref=(.*)/.exec(selector)?.[1];
    const resolved = await this.race(this.page.mainFrame().selectors.resolveInjectedForSelector(selector, { strict: false })).catch((error) => {
      if (ref && error.name === "InvalidSelectorError") this.stop("stale"); // the frame is gone
      throw error;
    });
    if (!resolved) { // the frame that the selector names does not exist
      this.facts = { count: 0 };
      return void (await this.progress.wait(100));
    }
    const now = performance.now();
    // The factor 0.6 gives the page time to respond before the timeout.
    const looks = Math.min(time, Math.max(0, this.until - now) * 0.6, Math.max(20, this.nextStill - now));
    const cover = this.refusals > 0 ? Math.min(coverTime, looks * 0.6) : 0;
    const { steady = 0, kind, labels } = verbs[this.params.verb];
    const look = `(injected, arg) => { const isRef = ${isRef}; ${filling}; ${clickedFor}; ${watchChanges}; ${labelsOfInput}; return (injected.abrowserLook = (${awaitReady})(injected, arg)).then((s) => s.node); }`;
    const taken = resolved.injected._evaluateExpressionHandle(look, { isFunction: true }, {
      parsed: resolved.info.parsed, states, kind, labels, isScrolled: this.refusals > 0, ref, began, cover, steady, time: looks,
    });
    // This message is sent directly after the first one, so it costs no round trip.
    const told = resolved.injected.evaluate((injected) => {
      const { abrowserLook } = injected;
      delete injected.abrowserLook;
      return abrowserLook.then((s) => s.facts);
    });
    const [facts, found] = await this.race([Promise.all([told, taken])], [taken]);
    this.facts = facts;
    this.learnClock(facts.now);
    if (found.asElement() && !facts.why) return found;
    found.dispose();
    this.why = facts.why || this.why;
    if (facts.stale) this.stop(facts.stale);
  }

  // learnClock gets the page's time from a response. The response may have come seconds later, so it
  // shows only a lower bound of how far the page's clock is ahead of ours. The best bound is kept.
  learnClock(now) {
    this.ahead = Math.max(this.ahead ?? -Infinity, now - Date.now());
  }

  // refused records why Playwright or the page refused the element that find had returned.
  refused(result) {
    this.refusals++;
    if (result === "error:notvisible") this.why = "is not visible";
    if (result === "error:notinviewport") this.why = "is outside of the viewport";
    if (result === "error:notfocused") this.why = "does not take the focus";
    if (result === "error:optionnotenabled") this.why = "has that option disabled";
    if (result?.missingState) this.why = "is not " + result.missingState;
    if (result?.hitTargetDescription) this.why = "is covered by " + result.hitTargetDescription;
  }

  // pointer waits in Playwright until the element is stable, in view and not covered. Then it
  // sends the mouse input, to the element or to its label (label.js). Parameters:
  //   input     the function that sends the mouse input
  //   isNeeded  a function, or undefined. pointer calls it directly before the input, and sends
  //             no input if it returns false
  //   type      the name of an event, or undefined. After the input, pointer waits until an event
  //             with this name on the element confirms the input
  async pointer(node, name, input, type, isNeeded) {
    const { count = 1, modifiers } = this.params;
    const scroll = [undefined, { block: "end", inline: "end" }, { block: "center", inline: "center" }, { block: "start", inline: "start" }];
    let watch, label, position, is = true;
    const begin = async () => {
      if (type) watch = await this.watch(node._frame, watchClick, node, { type, presses: count });
      if (isNeeded && !(await isNeeded())) throw new Error("not needed any more"); // the next attempt finds nothing to do
      this.begin();
    };
    let result, failed;
    try {
      if (this.facts.byLabel) ({ label, position, refusal: result } = await throughLabel(this, node, scroll[this.refusals % 4]));
      result ??= await (label ?? node)._performPointerAction(this.progress, name, name !== "hover", input, scroll[this.refusals % 4], {
        modifiers, position, waitAfter: "disabled", __testHookBeforePointerAction: begin,
      });
    } catch (error) {
      if (!this.acting) {
        watch?.dispose();
        throw error;
      }
      failed = error;
    } finally {
      label?.evaluate((label) => delete label.abrowserInput).catch(() => {}).finally(() => label.dispose()); // see pointOfLabel
    }
    if (result !== "done" && !failed) { // the element was not ready, or Playwright has blocked the input because it missed the element
      watch?.dispose();
      if (this.acting) this.undo();
      this.refused(result);
      return void (await this.progress.wait(20));
    }
    if (watch) is = await watch.confirm(failed);
    else if (failed) throw failed;
    if (!is) return void (await this.again());
    return { pending: await this.pending() };
  }

  // send calls a function that sends input to the page, without an element that must be ready.
  async send(input) {
    this.begin();
    await input(this.page);
    return { pending: await this.pending() };
  }

  // again calls undo, because nothing was done, and then pauses before the next attempt.
  async again() {
    this.undo();
    await this.progress.wait(20);
  }

  // watch starts a watcher in the page. A watcher is watchClick or watchKeys of verbs.js. The
  // result has two functions: dispose stops the watcher, and confirm waits for its verdict.
  // confirm returns true if the input has arrived, and false if the input certainly has not
  // arrived. It throws an error if neither is certain.
  async watch(frame, watcher, node, arg) {
    const utility = await this.race(frame.utilityContext());
    const injected = await this.race(utility.injectedScript());
    // The page handles messages in order. When it answers the message for handle, it has therefore
    // handled the message for seen, and the watcher listens.
    const watched = `([injected, node, arg]) => { ${watching}; return (injected.abrowserWatcher = ${watcher.name}([injected, node, arg])).seen; }`;
    const seen = utility.evaluateExpression(watched, { isFunction: true }, [injected, node, arg]).catch(() => undefined);
    const handle = await this.own(injected.evaluateHandle((injected) => injected.abrowserWatcher));
    return {
      dispose: () => release(handle),
      confirm: async (failed) => {
        const awaitedVerdict = handle.evaluate((w) => w.verdict()).catch(() => seen.then((is) => (is ? "seen" : "lost")));
        // The verdict comes after the tasks that the input has queued in the page's event loop. So
        // if these tasks navigate, the navigation has begun by then. On a busy page the verdict
        // comes late. If the input was seen, confirm waits at most settleTime for the verdict.
        const verdict = await this.race([awaitedVerdict, seen.then((is) => (is ? inTime(awaitedVerdict, Date.now() + settleTime).then((verdict) => (["saves", "unused"].includes(verdict) ? verdict : "seen")) : awaitedVerdict))]);
        release(handle);
        if (verdict === "saves") this.facts.saves = true;
        this.unused = verdict === "unused";
        if (["seen", "saves", "unused"].includes(verdict)) return true;
        // The browser discards input while a dialog is open.
        if (verdict === "gone" || (verdict === "unseen" && this.dialogs > 0)) return false;
        throw failed ?? new Error(doubts[verdict]);
      },
    };
  }

  // script evaluates a script in the page, which calls the function effect. The script does not
  // call effect if the timeout of the wait phase has passed when the script runs, or if the
  // element is not ready any more. The method returns the result of effect, or undefined if
  // nothing was done. A script that is late only by a bad bound of the page's clock is run again.
  async script(node, effect, arg) {
    const utility = await this.race((node?._frame ?? this.page.mainFrame()).utilityContext());
    const injected = await this.race(utility.injectedScript());
    const guarded = `([injected, node, states, until, arg]) => {
      ${filling};
      if (Date.now() >= until) return { late: Date.now() };
      for (const state of node ? states : []) {
        const is = stateOf(injected, node, state);
        if (!is.matches) return { missingState: is.received === "error:notconnected" ? "there" : state };
      }
      return { result: (${effect})(injected, node, arg) };
    }`;
    const until = Date.now() + this.until - performance.now() + (this.ahead ?? 0);
    this.begin();
    const { states } = verbs[this.params.verb];
    const { result, late, ...not } = await this.race(utility.evaluateExpression(guarded, { isFunction: true }, [injected, node, states, until, arg])).catch((error) => {
      if (error.constructor.name === "JavaScriptErrorInEvaluate") this.undo(); // the script has thrown it
      throw error;
    });
    if (late) {
      this.learnClock(late);
      await this.again();
      return this.script(node, effect, arg); // the method begin throws if it is really late
    }
    const isError = typeof result === "string" && result.startsWith("error:");
    if (result !== undefined && !isError) return result;
    this.refused(not.missingState ? not : result);
    await this.again();
  }

  // pending waits up to settleTime until a navigation that the action has started is committed.
  // It returns true if the navigation is still pending after this time, and false otherwise.
  async pending() {
    return !(await settled(this.page, Date.now() + settleTime));
  }
}

// leave aborts the action with this id on a page, even if the action has not arrived yet.
function leave(page, id) {
  abortedIds.set(page, id);
  if (acts.get(page)?.params.id === id) acts.get(page).stop("left");
  return {};
}

const firstLine = (error) => error.message.split("\n")[0];

// release disposes of the handle that a promise resolves to. If the handle is a watcher, or one of
// the hit-target guards that endGuards explains, release stops it first.
function release(promise) {
  Promise.resolve(promise).then(async (handle) => {
    if (!handle?._objectId) return;
    await handle.evaluate((h) => Object.getPrototypeOf(h) === Object.prototype && h.stop?.());
    handle.dispose();
  }).catch(() => {}); // the handle's document is gone
}
