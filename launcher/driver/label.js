// Many pages draw their own checkboxes and radio buttons: the input is transparent under its label,
// or has no size, or is clipped, hidden or outside of the page, and a person clicks the label. A
// click on such an input therefore goes to its label. If the label covers the middle of the input,
// which is the point that Playwright clicks, the click goes to this point (hitsOwnLabel).
// Otherwise, if the input has no area that a person could click, the click goes to a point of the
// label (labelsOfInput).

// hitsOwnLabel runs in pages, as a part of Playwright's check whether a point hits an element. It
// reports whether a click on a node activates the input because the node is in a label of the
// input. A click on a link or another control in the label does not activate the input. hitParents
// contains the node and its ancestors.
function hitsOwnLabel(hitParents, input) {
  if (input.localName !== "input" || !["checkbox", "radio"].includes(input.type)) return false;
  const labels = [...input.labels];
  const at = hitParents.findIndex((e) => labels.includes(e));
  const interactive = "a, area, audio, button, details, embed, iframe, input, label, object, select, textarea, video, [contenteditable], [role=button], [role=link]";
  return at >= 0 && hitParents.slice(0, at).every((e) => !e.matches?.(interactive));
}

// labelsOfInput runs in pages. It returns the visible labels of a checkbox or radio button if a
// click on the input itself is not possible, and a click on a label is: the input has no area that
// can be clicked, or a link or another control in its label covers it. Otherwise it returns an
// empty list. It also returns an empty list if the input is outside of the viewport and the
// parameter isScrolled is false, because scrolling may then show the input.
function labelsOfInput(injected, input, isScrolled) {
  if (input.localName !== "input" || !["checkbox", "radio"].includes(input.type)) return [];
  const isVisible = (e) => injected.elementState(e, "visible").matches;
  const labels = [...input.labels].filter(isVisible);
  const rect = isVisible(input) && [...input.getClientRects()].find((r) => r.width * r.height > 0.99);
  if (labels.length === 0 || !rect) return labels;
  const [x, y] = [rect.x + rect.width / 2, rect.y + rect.height / 2];
  if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return isScrolled || rect.right + scrollX <= 0 || rect.bottom + scrollY <= 0 ? labels : [];
  if (injected.expectHitTarget({ x, y }, input) === "done") return [];
  const all = input.getRootNode().elementsFromPoint(x, y); // also the elements that are covered
  return !all.includes(input) || labels.some((label) => label.contains(all[0])) ? labels : [];
}

// pointOfLabel runs in pages. It scrolls a label of the input into view, and looks for a point of
// the label that activates the input. It returns the label, and the position of the point in the
// label's padding box. If there is no such point, it returns the result of Playwright's check of
// the first point. The parameter scroll says how to scroll, as for scrollIntoView.
function pointOfLabel(injected, input, { labels, scroll }) {
  const steps = [0.5, 0.1, 0.3, 0.7, 0.9];
  const mostParts = 50;
  let refusal;
  for (const label of labels) {
    label.scrollIntoView({ block: "nearest", inline: "nearest", ...scroll, behavior: "instant" });
    const parts = [label, ...label.querySelectorAll("*")].slice(0, mostParts);
    for (const { left, top, width, height } of parts.flatMap((e) => [...e.getClientRects()])) {
      for (const [x, y] of steps.flatMap((b) => steps.map((a) => [left + a * width, top + b * height]))) {
        if (width * height <= 0.99 || x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue;
        const result = injected.expectHitTarget({ x, y }, input);
        refusal ??= result;
        if (result !== "done") continue;
        const box = label.getBoundingClientRect();
        const border = injected.getElementBorderWidth(label);
        label.abrowserInput = input; // see guardInput
        return { label, position: { x: x - box.left - border.left, y: y - box.top - border.top } };
      }
    }
  }
  return { refusal };
}

// guardInput runs in pages, when Playwright sets up a hit-target guard for a click on a node. It
// returns the element for the guard. If the node is the label that pointOfLabel has found for an
// <input> element, the guard must let only those mouse events pass that activate the <input>
// element, so guardInput returns the <input> element.
function guardInput(node) {
  const input = node.abrowserInput ?? node;
  delete node.abrowserInput;
  return input;
}

// throughLabel finds a point of a label of the input, see pointOfLabel. It returns a handle to the
// label, and the position. If there is no such point, the member refusal says why.
async function throughLabel(act, node, scroll) {
  const utility = await act.race(node._frame.utilityContext());
  const injected = await act.race(utility.injectedScript());
  const find = `([injected, input, scroll]) => (${pointOfLabel})(injected, input, { scroll, labels: (${labelsOfInput})(injected, input, true) })`;
  const found = await act.own(utility.evaluateExpressionHandle(find, { isFunction: true }, [injected, node, scroll]));
  const handle = found.evaluateHandle((f) => f.label);
  const [{ position, refusal }, label] = await act.race([Promise.all([found.evaluate(({ position, refusal }) => ({ position, refusal })), handle])], [handle]);
  found.dispose();
  if (!position) label.dispose();
  return { position, refusal, label: label.asElement() };
}
