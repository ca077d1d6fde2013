// verbs are the actions of Abrowser.act. Each has the states that the element must be in, and
// the function that performs the action. perform returns members of the response, or undefined
// if another attempt is needed. The comment above a verb lists its parameters.
const verbs = {
  await: { states: [], perform: async () => ({}) },
  // {button, count, modifiers}
  click: {
    states: ["visible", "enabled"],
    perform(act, node, needsClick) {
      const { button = "left", count = 1 } = act.params;
      const type = count > 1 ? "dblclick" : { left: "click", middle: "auxclick", right: "contextmenu" }[button];
      return act.pointer(node, "click", (progress, { x, y }) => act.page.mouse.click(progress, x, y, { button, clickCount: count }), type, needsClick);
    },
  },
  hover: {
    states: ["visible"],
    perform: (act, node) => act.pointer(node, "hover", (progress, { x, y }) => act.page.mouse.move(progress, x, y)),
  },
  // {checked}
  check: {
    states: [],
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
    async perform(act, node) {
      const { text } = act.params;
      const watch = await act.watch(node._frame, watchKeys, node, { keys: text ? 0 : 1 });
      try {
        const how = await act.script(node, fillElement, text);
        if (how !== "needsinput") return how && {};
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
  focus: {
    states: [],
    perform: async (act, node) => (await act.script(node, (injected, node) => injected.focusNode(node))) && {},
  },
  // {by}; without a selector the page is scrolled
  scroll: {
    states: ["visible"],
    perform: async (act, node) => (await act.script(node, (injected, node, by) => ((node ?? window).scrollBy(by), "done"), act.params.by)) && {},
  },
  // {text, delay}
  type: {
    states: [],
    steady: 100,
    async perform(act, node) {
      const { text, delay } = act.params;
      const { keyboard } = act.page;
      const keys = [...text].filter((char) => hasKey(keyboard, char)).length;
      const watch = await act.watch(node._frame, watchKeys, node, { keys });
      try {
        const focused = await act.script(node, (injected, node) => {
          const done = injected.focusNode(node);
          return done !== "done" || node.matches(":focus, :focus-within") ? done : "error:notfocused";
        });
        if (!focused) return;
        const frame = node._frame;
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
  // {key}; it has no selector
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

// splitChord returns the names of a chord's keys, as Playwright's press splits them.
function splitChord(chord) {
  const names = [""];
  for (const char of chord) {
    if (char === "+" && names.at(-1)) names.push("");
    else names[names.length - 1] += char;
  }
  return names;
}

// hasKey reports whether the keyboard has a key for a character. Characters without a key
// are inserted as text.
function hasKey(keyboard, char) {
  try {
    return !!keyboard._keyDescriptionForString(char);
  } catch {
    return false;
  }
}

// isRef runs in pages. It reports whether a node still has its ref, and the role and name
// that it had in the snapshot. Playwright gives a node a new ref if its role or name changes.
function isRef(injected, node, ref) {
  const was = node?._ariaRef;
  const { getAriaRole, getElementAccessibleName, normalizeWhiteSpace } = injected.utils;
  return was?.ref === ref && (getAriaRole(node) ?? "generic") === was.role &&
    normalizeWhiteSpace(getElementAccessibleName(node, false) || "") === was.name;
}

// awaitReady runs in pages. It waits until the first element that matches is in all states.
// In a document that changes, the element must also have matched for steady milliseconds.
// For up to cover milliseconds, awaitReady also waits until nothing covers the element. Its
// checks take less than an eighth of the page's time.
async function awaitReady(injected, { parsed, states, ref, began, cover, steady, time }) {
  const { setTimeout, clearTimeout, requestAnimationFrame, performance } = injected.utils.builtins;
  const frame = () => new Promise((done) => {
    const timer = setTimeout(done, 100); // a page that is not drawn has no frames
    requestAnimationFrame(() => (clearTimeout(timer), done()));
  });
  const isCovered = (node) => {
    const rect = [...node.getClientRects()].find((r) => r.width * r.height > 0.99);
    const [x, y] = rect ? [rect.x + rect.width / 2, rect.y + rect.height / 2] : [-1, -1];
    const target = injected.retarget(node, "button-link");
    return x >= 0 && y >= 0 && x < innerWidth && y < innerHeight && target && injected.expectHitTarget({ x, y }, target) !== "done";
  };
  const first = performance.now();
  let last, since;
  for (;;) {
    const start = performance.now();
    const all = injected.querySelectorAll(parsed, document);
    const node = all[0];
    if (node !== last) [last, since] = [node, start];
    const isNew = steady > start - since && !injected.abrowserUnchanged?.(node);
    const facts = { count: all.length, why: "", now: Date.now(), saves: !!node?.closest?.("a[download]") };
    if (began && globalThis.performance.timeOrigin !== began) return { facts: { ...facts, stale: "replaced" } };
    if (ref && !isRef(injected, node, ref)) return { facts: { ...facts, stale: "stale" } };
    for (const state of node ? states : []) {
      const is = injected.elementState(node, state);
      if (!is.matches) facts.why ||= "is not " + (is.received === "error:notconnected" ? "there" : state);
    }
    const elapsed = performance.now() - first;
    if (node && !facts.why && !isNew && !(elapsed < cover && isCovered(node))) return { node, facts };
    if (elapsed >= time) return { facts };
    const took = performance.now() - start;
    do await frame(); while (performance.now() - start < 8 * took);
  }
}

// fillElement runs in pages. It calls Playwright's fill. If a field cannot have the value,
// Playwright's fill throws only after it has assigned the value. So fillElement first fills an
// input of the same kind outside of the document: if this call throws, the page's field is
// unchanged.
function fillElement(injected, node, text) {
  const input = injected.retarget(node, "follow-label");
  if (input?.localName === "input") {
    const probe = document.createElement("input");
    for (const name of ["type", "min", "max", "step"]) if (input.hasAttribute(name)) probe.setAttribute(name, input.getAttribute(name));
    injected.fill(probe, text);
  }
  return injected.fill(node, text);
}

// embedded selects elements that contain a document of their own, which gets the input.
const embedded = "iframe, frame, object, embed, fencedframe";

// watchInput runs in pages. It listens for trusted events of some types until the watch is
// stopped. onInput is called with each event, and returns true as soon as the input has arrived.
// The watch has:
//   seen       a promise of whether the input has arrived before the watch was stopped
//   stop()     stops the watch and returns the verdict of decide: "seen" if the input has
//              arrived
//   verdict()  does the same after the page's current task: a click event follows in the task
//              of the mouse button's release
// The page may stop events before onInput is called, but the browser counts those events too.
// decide is called with an object: hidden(type) returns how many events of a type onInput has
// missed, and none is true if the browser has dispatched no event of any of the types.
function watchInput(injected, types, onInput, decide) {
  const { setTimeout } = injected.utils.builtins;
  const { eventCounts } = globalThis.performance;
  // Adding the present count of a type gives the number of its events that onInput has missed.
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

// watchClick runs in pages. It watches for a click on an element: for the given number of
// presses, and for the event of the given type that follows the last release. Its verdict is
// "seen"; "unseen" if the document got no input; "hidden" if the page stopped all events before
// they could be observed; or "apart" if only a part of the input came to the element.
function watchClick([injected, node, { type, presses }]) {
  const target = injected.retarget(node, "button-link") ?? node;
  const counts = { pointerdown: 0, mousedown: 0, mouseup: 0, [type]: 0 }; // of events on the element
  const pressed = [];
  let hadInput = false;
  const onInput = (event) => {
    hadInput = true;
    if (!event.composedPath().includes(target)) return false;
    counts[event.type]++;
    if (/down$/.test(event.type)) pressed.push(event);
    return event.type === type;
  };
  return watchInput(injected, ["pointerdown", "mousedown", "pointerup", "mouseup", type], onInput, ({ none }) => {
    if (counts[type] > 0) return "seen";
    if (none) return target.matches?.(embedded) || target.querySelector?.(embedded) ? "seen" : "unseen";
    if (!hadInput) return "hidden";
    // If the page hides only the click, the other events show that it happened.
    if (counts.mousedown >= presses && counts.mouseup >= presses && target.isConnected) return "seen";
    // If the page handles the presses itself and opens a menu, the menu may get the release.
    const all = Math.max(counts.pointerdown, counts.mousedown) >= presses;
    return all && pressed.some((event) => event.defaultPrevented) ? "seen" : "apart";
  });
}

// watchKeys runs in pages. It watches for the given number of keys, or for text if keys is 0, at
// a node or where the page has moved the focus to. If a frame has the focus, the frame's own
// document gets the input. If the node is not in the document any more, watchKeys keeps keys
// that go to the body from the page, which could treat them as shortcuts. The verdict is "seen";
// "partly" if some input is missing; "gone" if the document got no input and the node is not in
// it any more; or else "unseen".
function watchKeys([injected, node, { keys }]) {
  let count = 0;
  const isNowhere = (target) => target === document.body || target === document.documentElement; // nothing has the focus
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
    // Text comes only to an element that has the focus, keys come to the body as well.
    if (keys === 0) count += hidden("beforeinput") + hidden("input");
    else if (!node || (active && !isNowhere(active))) count += hidden("keydown");
    if (count >= Math.max(1, keys) || active?.matches?.(embedded)) return "seen";
    if (!none) return "partly";
    return node && !node.isConnected ? "gone" : "unseen";
  });
}

// watching is the source of the watchers, for pages.
const watching = `const embedded = ${JSON.stringify(embedded)}; ${[watchInput, watchClick, watchKeys].join("; ")}`;
