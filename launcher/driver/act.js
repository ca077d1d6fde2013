// Actions on a page, in two phases. Wait: until the element is ready. This phase is
// aborted when the time is over or the caller has left, and does nothing to the page but
// scroll it. Act: from directly before the first input event, or before the script that
// has the effect, until the page has acknowledged the last one. This phase is not aborted.
// No input event is sent to find out whether an element is ready.
//
// These are methods of a page's CDP session:
//   Abrowser.act    {target, id, limit, verb, selector, ...}: performs a verb, see verbs. limit is the
//                   time for the wait phase in milliseconds, ack that for the act phase after
//                   it. The answer has a state:
//                   "done"     the action was performed, exactly once
//                   "none"     nothing was done: why is what the element lacked when it was last
//                              looked at, error what made the action impossible
//                   "unknown"  the action was begun and not seen to end, see doubt
//   Abrowser.leave  {target, id}: aborts the action if it still waits
// This is an event of it:
//   Abrowser.phase  {id, acting}: sent before the act phase begins, and when the element turned
//                   out to be covered, so that the action waits again

const lookTime = 1000; // for which one message has the page wait for an element
const coverTime = 500; // for which a cover is waited for before the page is scrolled differently
const settleTime = 1000; // for a navigation that the action has begun
const acts = new WeakMap(); // the action that runs, of each page

class Act {
  constructor(session, server, page, params) {
    Object.assign(this, { page, params, until: performance.now() + params.limit, facts: {}, ahead: 0, why: "", refusals: 0, dialogs: 0, acting: false });
    this.tell = (acting) => session.emit("event", { method: "Abrowser.phase", params: { id: params.id, acting } });
    this.ended = new Promise((_, reject) => (this.end = reject));
    this.ended.catch(() => {});
    server.signal.addEventListener("abort", () => this.stop("left")); // its daemon is gone
    const race = (promises) => this.race(promises, [promises].flat());
    this.progress = {
      ...playwright.nullProgress,
      race,
      wait: (time) => race(new Promise((done) => setTimeout(done, time))),
      metadata: { ...playwright.nullProgress.metadata, log: [] },
    };
  }

  // race returns what the first of some promises comes to. In the wait phase it throws as
  // soon as the action is aborted, in the act phase when the page is late to acknowledge.
  // Of an action that is aborted, the handles that ours still come to are released.
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

  // own is race for a handle of ours.
  own(promise) {
    return this.race(promise, [promise]);
  }

  // stop aborts the wait phase, now or when the action returns to it. race ignores it in
  // the act phase.
  stop(why) {
    this.stopped ??= why;
    this.left ||= why === "left";
    this.end(new Error(this.stopped));
  }

  // check throws where the act phase may not begin any more. It reads the clock: in a
  // process that was stopped for a while, the timers are late.
  check() {
    if (performance.now() >= this.until) this.stop("late");
    if (this.stopped) throw new Error(this.stopped);
  }

  // begin begins the act phase.
  begin() {
    this.check();
    this.tell(true);
    this.acting = true;
    this.dialogs = 0;
    this.unacknowledged = new Promise((_, reject) => {
      this.timer = setTimeout(() => reject(new Error("the page did not acknowledge it")), this.until - performance.now() + this.params.ack);
    });
    this.unacknowledged.catch(() => {});
  }

  // undo goes back to the wait phase, where nothing was done.
  undo() {
    clearTimeout(this.timer);
    this.acting = false;
    this.tell(false);
  }

  async run() {
    const timer = setTimeout(() => this.stop("late"), this.params.limit);
    const { dialogManager } = this.page.browserContext;
    const dialog = (dialog) => ((this.dialogs += dialog.page() === this.page), false); // which others handle
    dialogManager.addDialogHandler(dialog);
    try {
      for (;;) {
        const done = await this.attempt();
        if (done) return { state: "done", count: this.facts.count, saves: this.facts.saves, ...done };
        this.check();
      }
    } catch (error) {
      const { acting, stopped, why, facts } = this;
      if (acting) return { state: "unknown", doubt: firstLine(error) };
      return { state: "none", stopped, why, count: facts.count ?? -1, error: stopped ? undefined : firstLine(error), ...error.details };
    } finally {
      clearTimeout(timer);
      clearTimeout(this.timer);
      dialogManager.removeDialogHandler(dialog);
    }
  }

  // attempt performs the action where the element is ready. It returns what there is to
  // answer, or nothing where another attempt is to be made.
  async attempt() {
    const verb = verbs[this.params.verb];
    try {
      await this.page.performActionPreChecks(this.progress); // a navigation is waited for
      if (this.params.selector === undefined) return await verb.perform(this);
      const node = await this.find(verb.states);
      if (node) return await verb.perform(this, node).finally(() => node.dispose());
    } catch (error) {
      if (this.acting || this.stopped || error instanceof Impossible || this.page.mainFrame().isNonRetriableError(error)) throw error;
      await this.progress.wait(20); // the document or the frame was replaced
    }
  }

  // find has the page wait until the element is there and in certain states. It returns a
  // handle to it, or nothing after a while.
  async find(states) {
    const { selector, began } = this.params;
    const ref = /^aria-ref=(.*)/.exec(selector)?.[1];
    const { selectors } = this.page.mainFrame();
    const resolved = await this.race(selectors.resolveInjectedForSelector(selector, { strict: false })).catch((error) => {
      if (ref && error.name === "InvalidSelectorError") this.stop("stale"); // there is no such frame any more
      throw error;
    });
    if (!resolved) { // the frame that it would be in is not there
      this.facts = { count: 0 };
      return void (await this.progress.wait(100));
    }
    const most = Math.max(0, this.until - performance.now()) * 0.6; // so that what it saw is known when the time is over
    const cover = this.refusals > 0 ? Math.min(coverTime, most) : 0;
    const steady = verbs[this.params.verb].steady ?? 0;
    const look = `(injected, arg) => { const isRef = ${isRef}; return (${awaitReady})(injected, arg); }`;
    const seen = await this.own(resolved.injected._evaluateExpressionHandle(look, { isFunction: true }, {
      parsed: resolved.info.parsed, states, ref, began, cover, steady, time: Math.min(lookTime, most),
    }));
    const taken = seen.evaluateHandle((s) => s.node);
    const [facts, found] = await this.race([Promise.all([seen.evaluate((s) => s.facts), taken])], [taken]);
    seen.dispose();
    this.facts = facts;
    this.ahead = facts.now - Date.now(); // of the page's clock to ours, at least
    const node = found.asElement();
    if (node && !facts.why) return node;
    found.dispose();
    this.why = facts.why || this.why;
    if (facts.stale) this.stop(facts.stale);
  }

  // refused notes why an element was not ready after all.
  refused(result) {
    this.refusals++;
    if (result === "error:notvisible") this.why = "is not visible";
    if (result === "error:notinviewport") this.why = "is outside of the viewport";
    if (result === "error:notfocused") this.why = "does not take the focus";
    if (result === "error:optionnotenabled") this.why = "has that option disabled";
    if (result?.missingState) this.why = "is not " + result.missingState;
    if (result?.hitTargetDescription) this.why = "is covered by " + result.hitTargetDescription;
  }

  // pointer has Playwright wait until the element is stable, scroll to it and see whether
  // the pointer arrives at it, and gives the input. Of a click, an event of a type has to
  // be seen on the element.
  async pointer(node, name, input, type) {
    const { count = 1, modifiers } = this.params;
    const scroll = [undefined, { block: "end", inline: "end" }, { block: "center", inline: "center" }, { block: "start", inline: "start" }];
    let watch, is = true;
    const begin = async () => {
      if (type) watch = await this.watch(node._frame, watchClick, node, { type, presses: count });
      this.begin();
    };
    let result, failed;
    try {
      result = await node._performPointerAction(this.progress, name, name !== "hover", input, scroll[this.refusals % 4], {
        modifiers, waitAfter: "disabled", __testHookBeforePointerAction: begin,
      });
    } catch (error) {
      if (!this.acting) throw error;
      failed = error;
    }
    if (result !== "done" && !failed) { // the page was kept from any input that came
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

  // again goes back to the wait phase, where it is known that nothing was done.
  async again() {
    this.undo();
    await this.progress.wait(20);
  }

  // watch has the page watch for input. Its confirm reports whether the input has arrived,
  // and throws where that is not known.
  async watch(frame, watcher, node, arg) {
    const utility = await this.race(frame.utilityContext());
    const injected = await this.race(utility.injectedScript());
    // The page has this question, and with it the watcher, when it has answered the next one.
    const watched = `([injected, node, arg]) => (injected.abrowserWatcher = (${watcher})([injected, node, arg])).seen`;
    const seen = utility.evaluateExpression(watched, { isFunction: true }, [injected, node, arg]).catch(() => undefined);
    const handle = await this.own(injected.evaluateHandle((injected) => injected.abrowserWatcher));
    return {
      dispose: () => release(handle),
      confirm: async (failed) => {
        const asked = handle.evaluate((w) => w.verdict()).catch(() => seen.then((is) => (is ? "seen" : "lost")));
        // The verdict comes with what the page has put off, which may be a navigation. Where
        // the input was seen, a page that is busy is not waited for.
        const verdict = await this.race([asked, seen.then((is) => (is ? inTime(asked, Date.now() + settleTime).then(() => "seen") : asked))]);
        release(handle);
        if (verdict === "seen") return true;
        // While a dialog is open the browser keeps input from the page.
        if (verdict === "gone" || (verdict === "unseen" && this.dialogs > 0)) return false;
        throw failed ?? new Error(doubts[verdict]);
      },
    };
  }

  // script runs a function in the page that has the effect, unless it runs too late or
  // the element is not ready any more. It returns what the function does.
  async script(node, effect, arg) {
    const utility = await this.race((node?._frame ?? this.page.mainFrame()).utilityContext());
    const injected = await this.race(utility.injectedScript());
    const guarded = `([injected, node, states, until, arg]) => {
      if (Date.now() >= until) return { late: true };
      for (const state of node ? states : []) {
        const is = injected.elementState(node, state);
        if (!is.matches) return { missingState: is.received === "error:notconnected" ? "there" : state };
      }
      return { result: (${effect})(injected, node, arg) };
    }`;
    const until = Date.now() + this.until - performance.now() + this.ahead;
    this.begin();
    const { states } = verbs[this.params.verb];
    let answer;
    try {
      answer = await this.race(utility.evaluateExpression(guarded, { isFunction: true }, [injected, node, states, until, arg]));
    } catch (error) {
      if (isThrown(error) || isNeverRun(error)) this.undo();
      throw error;
    }
    const { result, ...not } = answer;
    if (result !== undefined && !String(result).startsWith("error:")) return result;
    this.refused(not.missingState ? not : result);
    await this.again();
  }

  // pending waits for the navigation of the page that an action has begun, and reports
  // whether it has not been committed yet.
  async pending() {
    return !(await settled(this.page, Date.now() + settleTime));
  }
}

// doubts say why a verdict is not that the input was seen.
const doubts = {
  apart: "the button was pressed on the element and released elsewhere, so the page got no click",
  partly: "the page saw only a part of the input",
  unseen: "the page did not see the input",
  lost: "the page navigated before it said that it saw the input",
};

const firstLine = (error) => error.message.split("\n")[0];
const isThrown = (error) => error.constructor.name === "JavaScriptErrorInEvaluate";
const isNeverRun = (error) => /Cannot find context with specified id/.test(error.message);

// Impossible is an error of the wait phase that waiting cannot mend.
class Impossible extends Error {
  constructor(message, details) {
    super(message);
    this.details = details;
  }
}

// release lets go of a handle that a promise may still come to, and stops what it does.
function release(promise) {
  Promise.resolve(promise).then(async (handle) => {
    if (!handle?._objectId) return;
    await handle.evaluate((h) => Object.getPrototypeOf(h) === Object.prototype && h.stop?.());
    handle.dispose();
  }).catch(() => {}); // its document is gone
}
