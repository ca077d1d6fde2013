// verbs are the actions of Abrowser.act. Each has these members:
//   states   the states in which the element must be before the action
//   perform  the function that performs the action. It returns members of the response, or
//            undefined if another attempt is needed
//   steady   milliseconds, see awaitReady; 0 if missing
//   kind     the kind of element that the verb requires, see awaitReady
//   labels   true if input for a checkbox or radio button may go to its label, see label.js
// The comment above a verb lists its parameters.
const verbs = {
  await: { states: [], perform: async () => ({}) },
  // {button, count, modifiers}
  click: {
    states: ["visible", "enabled"],
    labels: true,
    perform(act, node, needsClick) {
      const { button = "left", count = 1 } = act.params;
      const type = count > 1 ? "dblclick" : { left: "click", middle: "auxclick", right: "contextmenu" }[button];
      return act.pointer(node, "click", (progress, { x, y }) => act.page.mouse.click(progress, x, y, { button, clickCount: count }), type, needsClick);
    },
  },
  // The page need not emulate a touch screen, which Playwright's own tap requires.
  tap: {
    states: ["visible", "enabled"],
    labels: true,
    perform: (act, node) => act.pointer(node, "tap", (progress, { x, y }) => act.page.touchscreen._raw.tap(progress, x, y, act.page.keyboard._modifiers())),
  },
  hover: {
    states: ["visible"],
    perform: (act, node) => act.pointer(node, "hover", (progress, { x, y }) => act.page.mouse.move(progress, x, y)),
  },
  // {checked}
  check: {
    states: [],
    kind: "checkbox",
    labels: true,
    async perform(act, node) {
      const is = (node) => act.race(node.evaluateInUtility(([injected, node]) => injected.elementState(node, "checked"), {}));
      const { checked } = act.params;
      const before = await is(node);
      if (before.received === "error:notconnected") return;
      if (before.matches === checked) return {};
      if (!checked && before.isRadio) throw new Impossible("Cannot uncheck radio button: select another one of its group");
      const ready = await act.find(verbs.click.states);
      if (!ready) return;
      try {
        // The page may have changed or replaced the box during the wait.
        const needsClick = async () => (await is(ready)).matches !== checked;
        const done = await verbs.click.perform(act, ready, needsClick);
        // A box that the page has replaced, or whose document is gone, has no state.
        const after = done && (await is(ready).catch(() => ({})));
        return done && { unchanged: after.matches === !checked && after.received !== "error:notconnected" };
      } finally {
        ready.dispose();
      }
    },
  },
  // {text}
  fill: {
    states: ["visible", "enabled", "editable"],
    kind: "field",
    async perform(act, node) {
      const { text } = act.params;
      const watch = await act.watch(node._frame, watchKeys, node, { keys: text ? 0 : 1 });
      try {
        const how = await act.script(node, fillElement, text);
        if (how !== "needsinput" && how !== "needskeys") return how && {};
        if (how === "needskeys") await act.page.keyboard.press(act.progress, "ControlOrMeta+A");
        await (text ? act.page.keyboard.insertText(act.progress, text) : act.page.keyboard.press(act.progress, "Delete"));
        return (await watch.confirm()) ? {} : await act.again();
      } finally {
        watch.dispose();
      }
    },
  },
  // {values}
  select: {
    states: ["visible", "enabled"],
    kind: "select",
    async perform(act, node) {
      const chosen = await act.script(node, (injected, node, values) => {
        const chosen = injected.selectOptions(node, values.map((valueOrLabel) => ({ valueOrLabel })));
        if (chosen !== "error:optionsnotfound") return chosen;
        return { options: Array.from(injected.retarget(node, "follow-label").options, (o) => [o.value, o.label]) };
      }, act.params.values);
      if (chosen?.options) {
        act.undo();
        throw new Impossible("the element does not have these options", chosen);
      }
      return chosen && {};
    },
  },
  // There are no parameters. The response has the frame that the element contains.
  frame: {
    states: [],
    async perform(act, node) {
      const frame = await act.race(act.page.delegate.getContentFrame(node));
      if (!frame) throw new Impossible("is not a frame");
      return { frame: { id: frame._id, name: frame._name } };
    },
  },
  focus: {
    states: [],
    perform: async (act, node) => (await act.script(node, (injected, node) => injected.focusNode(node))) && {},
  },
  // {by}; without a selector the page is scrolled
  scroll: {
    states: ["visible"],
    perform: async (act, node) => (await act.script(node, (injected, node, by) => ((node ?? window).scrollBy(by), "done"), act.params.by)) && {},
  },
  // {text, delay}; without a selector the keys go to the element that has the focus
  type: {
    states: [],
    steady: 100,
    async perform(act, node) {
      const { text, delay } = act.params;
      const { keyboard } = act.page;
      const keys = [...text].filter((char) => hasKey(keyboard, char)).length;
      const frame = node?._frame ?? act.page.mainFrame();
      const watch = await act.watch(frame, watchKeys, node, { keys });
      try {
        if (!node) act.begin();
        const focused = !node || await act.script(node, (injected, node) => {
          const done = injected.focusNode(node);
          return done !== "done" || node.matches(":focus, :focus-within") ? done : "error:notfocused";
        });
        if (!focused) return;
        const document = frame._currentDocument;
        let typed = 0;
        for (const char of text) {
          const why = act.left ? "the caller left" : frame._currentDocument !== document || frame._isDetached() ? "the page navigated" : "";
          if (why) throw new Error(`${why} after ${typed} of ${[...text].length} keys`);
          await keyboard.type(act.progress, char, { delay });
          typed++;
        }
        return text === "" || (await watch.confirm()) ? {} : await act.again();
      } finally {
        watch.dispose();
      }
    },
  },
  // {key}; there is no selector, so the key goes to the element that has the focus
  press: {
    async perform(act) {
      const { key } = act.params;
      const { keyboard } = act.page;
      for (const name of splitChord(key)) keyboard._keyDescriptionForString(name); // throws if unknown
      const watch = await act.watch(act.page.mainFrame(), watchKeys, undefined, { keys: 1 });
      try {
        act.begin();
        await keyboard.press(act.progress, key);
        if (!(await watch.confirm())) return await act.again();
        return { pending: await act.pending() };
      } finally {
        watch.dispose();
      }
    },
  },
};

// splitChord returns the names of the keys in a chord such as Control+Shift+a. It splits the chord
// in the same way as Playwright's press.
function splitChord(chord) {
  const names = [""];
  for (const char of chord) {
    if (char === "+" && names.at(-1)) names.push("");
    else names[names.length - 1] += char;
  }
  return names;
}

// hasKey reports whether Playwright's keyboard has a key for a character. Playwright inserts a
// character without a key as text.
function hasKey(keyboard, char) {
  try {
    return !!keyboard._keyDescriptionForString(char);
  } catch {
    return false;
  }
}

// fillElement runs in pages. It fills an element with Playwright's fill. If an input cannot have
// the value, Playwright's fill throws only after it has assigned the value. Therefore fillElement
// first fills a new input of the same kind that is not in the document. If this throws an error,
// fillElement throws it too, and the page's own input is unchanged. The result "needsinput" means
// that the caller must now send keyboard input, which replaces the selected text. The result
// "needskeys" means that the caller must first press the keys that select everything.
function fillElement(injected, node, text) {
  if (takesKeys(node)) return injected.focusNode(node) === "done" ? "needskeys" : "error:notfocused";
  const input = injected.retarget(node, "follow-label");
  if (input?.localName === "input") {
    const probe = document.createElement("input");
    for (const name of ["type", "min", "max", "step"]) if (input.hasAttribute(name)) probe.setAttribute(name, input.getAttribute(name));
    injected.fill(probe, text);
  }
  return injected.fill(node, text);
}

// embedded selects elements that contain a document of their own. That document gets the input to
// the element, so the document of the page gets no events.
const embedded = "iframe, frame, object, embed, fencedframe";

// watchInput runs in pages. It finds out whether input arrives in the document. It listens for
// trusted events of the given types, and calls the function onInput with each of them. onInput
// returns true when all of the input has arrived. The result of watchInput has three members:
//   seen       a promise. It resolves to true when onInput returns true, or to false if stop is
//              called before that
//   stop()     stops listening. It returns the verdict, which is the string that the function
//              decide returns. The verdict is "seen" if the input has arrived
//   verdict()  calls stop in a later task of the page's event loop and returns its result. The
//              page dispatches the click event in the same task as the release of the mouse
//              button, so the click event comes before that later task
// A listener of the page may stop an event before onInput gets it. The browser counts such an
// event too, in performance.eventCounts. The argument of decide has two members that are computed
// from these counts:
//   hidden(type)  returns how many events of a type onInput did not get
//   none          is true if the browser has dispatched no event of any of the types
function watchInput(injected, types, onInput, decide) {
  const { setTimeout } = injected.utils.builtins;
  const { eventCounts } = globalThis.performance;
  // The browser's present count of events of a type, plus the number in missed for that type, is
  // the number of events that onInput did not get.
  const missed = new Map(types.map((type) => [type, -eventCounts.get(type)]));
  const hidden = (type) => Math.max(0, eventCounts.get(type) + missed.get(type));
  let any = false, resolveSeen;
  const seen = new Promise((done) => (resolveSeen = done));
  const listener = (event) => {
    if (!event.isTrusted) return;
    any = true;
    missed.set(event.type, missed.get(event.type) - 1);
    if (onInput(event)) resolveSeen(true);
  };
  for (const type of types) addEventListener(type, listener, { capture: true });
  const stop = () => {
    for (const type of types) removeEventListener(type, listener, { capture: true });
    resolveSeen(false);
    return decide({ hidden, none: !any && types.every((type) => hidden(type) === 0) });
  };
  const verdict = () => new Promise((done) => setTimeout(() => done(stop())));
  return { seen, stop, verdict };
}

// watchClick runs in pages. It watches for a click on an element, or on a label of a checkbox or
// radio button. A click consists of presses and releases of a mouse button, as many as the
// parameter presses says, and ends with an event of the given type. The verdict is one of these:
//   "saves"   as "seen", and since the watch began the page has followed a link that saves a file
//   "unused"  as "seen", and it is known that nothing on the page has used the click, see unused.js
//   "seen"    one of these is true:
//             - the element got the click event
//             - the element got all presses and releases, and is still in the document
//             - the element got all presses, and the page prevented the default action of one
//             - the document got no input, but the element is or has an embedded document
//   "unseen"  the document got no input, and the element neither is nor has such a document
//   "hidden"  the page stopped all events before they could be observed
//   "apart"   the document got input, but the element got nothing or only a part of it
function watchClick([injected, node, { type, presses }]) {
  const target = injected.retarget(node, "button-link") ?? node;
  // If an option of a list is pressed, the list gets the click.
  const list = target.nodeName === "OPTION" ? target.closest("select") : undefined;
  const aims = [target, ...(["checkbox", "radio"].includes(target.type) && target.labels || [])];
  const counts = { pointerdown: 0, mousedown: 0, mouseup: 0, [type]: 0 }; // events that the element got
  const pressed = [], saving = [];
  let hadInput = false;
  let isUsed; // undefined before the press
  const observer = new MutationObserver(() => (isUsed = true));
  const isUnused = () => isUsed === false && observer.takeRecords().length === 0;
  // A document without an origin or a URL gets no navigate events.
  const onNavigate = (event) => typeof event.downloadRequest === "string" && saving.push(event);
  window.navigation?.addEventListener("navigate", onNavigate);
  const onInput = (event) => {
    hadInput = true;
    const path = event.composedPath();
    if (!aims.some((e) => path.includes(e)) && !(event.type === type && counts.mousedown > 0 && path[0] === list)) return false;
    counts[event.type]++;
    if (isUsed === undefined && !(isUsed = type !== "click" || mayUseClick(path))) observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    if (/down$/.test(event.type)) pressed.push(event);
    return event.type === type;
  };
  const decide = ({ none }) => {
    if (counts[type] > 0) return "seen";
    if (none) return target.matches?.(embedded) || target.querySelector?.(embedded) ? "seen" : "unseen";
    if (!hadInput) return "hidden";
    // If the page stops only the click event, the other events show that the click happened.
    if (counts.mousedown >= presses && counts.mouseup >= presses && target.isConnected) return "seen";
    // If the page handles the press and opens a menu, the menu may get the release instead.
    const all = Math.max(counts.pointerdown, counts.mousedown) >= presses;
    return all && pressed.some((event) => event.defaultPrevented) ? "seen" : "apart";
  };
  const watcher = watchInput(injected, ["pointerdown", "mousedown", "pointerup", "mouseup", type], onInput, (facts) => {
    window.navigation?.removeEventListener("navigate", onNavigate);
    const verdict = decide(facts);
    const unused = isUnused();
    observer.disconnect();
    if (verdict !== "seen") return verdict;
    return saving.some((event) => !event.defaultPrevented) ? "saves" : unused ? "unused" : verdict;
  });
  return { ...watcher, isUnused };
}

// watchKeys runs in pages. It watches for keyboard input to a node: for as many pressed keys as
// the parameter keys says, or for inserted text if keys is 0. Input to another element counts
// too, because the page may have moved the focus. Input to the body does not count, unless node is
// undefined. If the node was removed from the document, the browser sends keys to the body
// instead. watchKeys stops the events of such keys, so that the page does not treat the keys as
// shortcuts. The verdict is one of these:
//   "seen"    all of the input has arrived, or an embedded document has the focus and gets it
//   "partly"  the document got input, but not all of it
//   "gone"    the document got no input, and the node is not in it any more
//   "unseen"  the document got no input, and the node is still in it or is undefined
function watchKeys([injected, node, { keys }]) {
  let count = 0;
  // isNowhere reports whether target is the target that a key event has if no element has the
  // focus. The body itself can be an editor.
  const isNowhere = (target) => target !== node && (target === document.body || target === document.documentElement);
  const onInput = (event) => {
    if (node && isNowhere(event.composedPath()[0])) {
      if (!node.isConnected) event.preventDefault(), event.stopImmediatePropagation();
      return false;
    }
    if (event.type === "keydown" || keys === 0) count++;
    return count >= Math.max(1, keys);
  };
  return watchInput(injected, ["keydown", "beforeinput", "input"], onInput, ({ hidden, none }) => {
    let active = document.activeElement;
    while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
    // An event that onInput did not get counts if it cannot have gone to the body. Text goes only
    // to an element that has the focus. Keys go to the body if no element has the focus.
    if (keys === 0) count += hidden("beforeinput") + hidden("input");
    else if (!node || (active && !isNowhere(active))) count += hidden("keydown");
    if (count >= Math.max(1, keys) || active?.matches?.(embedded)) return "seen";
    if (!none) return "partly";
    return node && !node.isConnected ? "gone" : "unseen";
  });
}

// filling is the source text of fillElement and of the functions that it calls.
const filling = [takesKeys, stateOf, fillElement].join("; ");

// doubts are the messages for the watchers' verdicts that leave open whether the input arrived.
const doubts = {
  apart: "the button was pressed on the element and released elsewhere, so the page got no click",
  partly: "the page saw only a part of the input",
  hidden: "the page stopped the events before they could be observed",
  unseen: "the page did not see the input",
  lost: "the page navigated before it said that it saw the input",
};

// watching is the source text of the watchers, for scripts that are evaluated in pages.
const watching = `const embedded = ${JSON.stringify(embedded)}; ${[watchInput, watchClick, watchKeys, mayUseClick, isStyledByMouse].join("; ")}`;

// Impossible is an error in the wait phase that waiting longer cannot resolve.
class Impossible extends Error {
  constructor(message, details) {
    super(message);
    this.details = details;
  }
}
