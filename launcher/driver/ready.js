// These functions run in pages. They tell whether an element is ready for an action, see act.js.

// takesKeys runs in pages. It reports whether an element only receives the input of a code editor,
// which shows its text elsewhere. Such an element has no text of its own that could be set, and
// may have no area. The keyboard selects and replaces the editor's text.
function takesKeys(node) {
  return !!node.editContext || (node.nodeName === "TEXTAREA" && node.getAttribute("aria-roledescription") === "editor");
}

// stateOf runs in pages. It returns the same as Playwright's elementState, but regards an element
// for which takesKeys is true as visible if it has a place in the page, and as editable.
function stateOf(injected, node, state) {
  const is = injected.elementState(node, state);
  if (is.matches || is.received === "error:notconnected" || !takesKeys(node)) return is;
  const matches = state === "visible" ? node.getClientRects().length > 0 : state === "editable" && node.getAttribute("aria-readonly") !== "true";
  return { ...is, matches };
}

// clickedFor runs in pages. It returns the element that gets a click in place of a node. If the
// node only receives the input of a code editor and has no area, the result is the part of the
// editor around the node.
function clickedFor(node) {
  const hasArea = (e) => {
    const { width, height } = e.getBoundingClientRect();
    return width >= 3 && height >= 3;
  };
  let clicked = node;
  while (takesKeys(node) && clicked.parentElement && !hasArea(clicked)) clicked = clicked.parentElement;
  return clicked;
}

// isRef runs in pages. A ref is the id of a node in a snapshot, for example e2. isRef reports
// whether a node has the given ref, and still has the role and name that it had in the snapshot.
// If its role or name has changed, Playwright gives the node another ref in the next snapshot.
function isRef(injected, node, ref) {
  const was = node?._ariaRef;
  const { getAriaRole, getElementAccessibleName, normalizeWhiteSpace } = injected.utils;
  if (node?.nodeName === "IFRAME") return was?.ref === ref; // a snapshot has no role or name of a frame
  return was?.ref === ref && (getAriaRole(node) ?? "generic") === was.role &&
    normalizeWhiteSpace(getElementAccessibleName(node, false) || "") === was.name;
}

// awaitReady runs in pages. It waits until the first element that matches is ready, and returns
// the element as node. If the element is not ready in time, node is undefined. The returned facts
// describe the last check. If the element is of the wrong kind, awaitReady throws at once.
// Parameters:
//   parsed      the selector
//   states      the element must be in all of these states
//   kind        the element, or the control of a label around it, must be a "checkbox" or radio
//               button, a "field" that can be filled, or a "select"; undefined allows any kind.
//               For "checkbox", awaitReady returns the control in place of the label
//   labels      if true, a label of the element may be visible in its place, see labelsOfInput.
//               facts.byLabel is then true. In place of an element without an area, awaitReady may
//               return another one, see clickedFor
//   isScrolled  see labelsOfInput
//   ref, began  if ref is set, the element must be the one with this ref, see isRef. If began is
//               set, the document must have begun at this time. If one of the two conditions
//               fails, awaitReady returns at once, and facts.stale says which one
//   steady      while the document is changing, the element must have been the first match for
//               this many milliseconds
//   cover       for this many milliseconds, a covered element does not count as ready. After
//               this time it does
//   time        the limit in milliseconds
// The pauses between the checks are so long that the checks take at most an eighth of the time.
async function awaitReady(injected, { parsed, states, kind, labels, isScrolled, ref, began, cover, steady, time }) {
  const { setTimeout, clearTimeout, requestAnimationFrame, performance } = injected.utils.builtins;
  const frame = () => new Promise((done) => {
    const timer = setTimeout(done, 100); // a page that is not drawn gets no animation frames
    requestAnimationFrame(() => (clearTimeout(timer), done()));
  });
  const isCovered = (node) => {
    const rect = [...node.getClientRects()].find((r) => r.width * r.height > 0.99);
    const [x, y] = rect ? [rect.x + rect.width / 2, rect.y + rect.height / 2] : [-1, -1];
    const target = injected.retarget(node, "button-link");
    return x >= 0 && y >= 0 && x < innerWidth && y < innerHeight && target && injected.expectHitTarget({ x, y }, target) !== "done";
  };
  // checkKind throws the error that Playwright would throw for an element of the wrong kind if it
  // were ready. It returns the element for the further checks.
  const notField = ["button", "checkbox", "file", "hidden", "image", "radio", "reset", "submit"];
  const checkKind = (node) => {
    const control = injected.retarget(node, "follow-label") ?? node;
    const { localName, type } = control;
    const isWrong = (message) => injected.createStacklessError(message);
    if (kind === "checkbox") return injected.elementState(node, "checked"), localName === "input" ? control : node;
    if (kind === "select" && localName !== "select") throw isWrong("Element is not a <select> element");
    if (kind === "field" && localName === "input" && notField.includes(type)) throw isWrong(`Input of type "${type}" cannot be filled`);
    if (kind === "field" && localName !== "input" && localName !== "textarea" && !control.isContentEditable && !takesKeys(node)) throw isWrong("Element is not an <input>, <textarea> or [contenteditable] element");
    return node;
  };
  const first = performance.now();
  let last, since;
  for (;;) {
    const start = performance.now();
    const all = injected.querySelectorAll(parsed, document);
    let node = all[0];
    if (node !== last) [last, since] = [node, start];
    const isNew = steady > start - since && !injected.abrowserChanges?.unchanged(node);
    const facts = { count: all.length, why: "", now: Date.now(), saves: !!node?.closest?.("a[download]") };
    if (began && globalThis.performance.timeOrigin !== began) return { facts: { ...facts, stale: "replaced" } };
    if (ref && !isRef(injected, node, ref)) return { facts: { ...facts, stale: "stale" } };
    if (node && kind) node = checkKind(node);
    if (node && labels) node = clickedFor(node);
    const shown = node && labels ? labelsOfInput(injected, node, isScrolled) : [];
    facts.byLabel = shown.length > 0;
    for (const state of node ? states : []) {
      const is = stateOf(injected, state === "visible" && facts.byLabel ? shown[0] : node, state);
      if (!is.matches) facts.why ||= "is not " + (is.received === "error:notconnected" ? "there" : state);
    }
    const elapsed = performance.now() - first;
    if (node && !facts.why && !isNew && (facts.byLabel || !(elapsed < cover && isCovered(node)))) return { node, facts };
    if (elapsed >= time) return { facts };
    watchChanges(injected); // for sinceChange
    const took = performance.now() - start;
    do await frame(); while (performance.now() - start < 8 * took);
  }
}
