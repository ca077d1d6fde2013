// describe runs in pages, for each element of a snapshot. Playwright's snapshot has only some of
// what a person sees, hears or can use. describe adds the rest to Playwright's node of the element,
// as these properties:
//   expanded    only "false", because Playwright shows "true"
//   required, invalid, disabled, editable, readonly, focusable, clickable, listens, labels
//               "true". An element is disabled if it looks like a control and gets no pointer
//               events. It is editable if it has no role and its content can be edited. It is
//               readonly if it has the role of a text box and cannot be edited. For clickable
//               see isClickable. An element listens if it has an event listener for clicks, and
//               no role of a control. It labels if it is the label of a control that has a ref
//   unused      "true" for an element that is hidden from assistive technology, and is also
//               transparent, or is a form control that is hidden from the keyboard or has no
//               area. The page shows another element instead
//   value       of a slider, spin button, progress bar, meter, scroll bar or file input
//   blocked     "true" for an element that is hidden from assistive technology because another
//               element, such as a dialog, covers all of it, see isBlocked
//   of          the label of the form control in whose place the page shows the element, see
//               hiddenLabel
//   label, word what identifies an element without a name that can be read, see labelOf
//
// Playwright gives no ref to an element that gets no pointer events, or that has no area. Some can
// be used all the same, so describe lets them have a ref:
//   - a disabled control, which often gets no pointer events
//   - a control whose label gets the pointer events instead
//   - a text box without an area that takes keyboard input, as in code editors
function describe(node, element, role, { isClickable, isListening, labelOf, hiddenLabel, isBlocked }) {
  const { props } = node;
  const has = (name) => element.hasAttribute(name);
  const attribute = (name) => element.getAttribute(name);
  const isTrue = (name, condition) => condition && (props[name] = "true");
  const isControl = /^(INPUT|SELECT|TEXTAREA|BUTTON)$/.test(element.nodeName);
  const isTextBox = role === "textbox" || role === "combobox";
  const isPage = element === document.body || element === document.documentElement;
  if (element === document.body) globalThis.abrowserCollect?.(); // a snapshot begins here
  const hasArea = (e) => {
    const { width, height } = e.getBoundingClientRect();
    return width >= 3 && height >= 3;
  };
  if (isControl && element.closest("[aria-hidden=true]") && isTrue("unused", element.tabIndex < 0 || !hasArea(element))) return;
  if (attribute("aria-hidden") === "true") {
    if (isTrue("unused", getComputedStyle(element).opacity === "0")) return;
    isTrue("blocked", isBlocked(element));
  }
  isTrue("clickable", isClickable(element));
  const isControlRole = /^(iframe|button|link|textbox|searchbox|combobox|listbox|spinbutton|slider|checkbox|radio|switch|tab|option|treeitem|gridcell|menuitem.*)$/.test(role);
  isTrue("listens", !isPage && !isControlRole && isListening(element, node.box.cursor, { labelOf }));
  if (element.nodeName === "SUMMARY" && element.parentElement?.open === false) props.expanded = "false";
  if (element.nodeName === "LABEL") {
    const control = element.control ?? (element.id && element.getRootNode().querySelector(`[aria-labelledby~="${CSS.escape(element.id)}"]`));
    isTrue("labels", control && control.checkVisibility({ visibilityProperty: true }) && control.getBoundingClientRect().width > 0);
  }
  if (element.attributes.length > 0) {
    if (attribute("aria-disabled") === "true") node.receivesPointerEvents = true;
    isTrue("focusable", !isPage && has("tabindex") && element.tabIndex >= 0);
    isTrue("required", element.required === true || attribute("aria-required") === "true");
    isTrue("invalid", !["false", "", null].includes(attribute("aria-invalid")));
    if (attribute("aria-expanded") === "false") props.expanded = "false";
  }
  if (isControl) {
    if (element.labels?.length > 0 || element.matches(":disabled")) node.receivesPointerEvents = true;
    isTrue("invalid", element.matches(":user-invalid"));
  } else if (isTextBox) {
    if (element.isContentEditable) props.value = element.textContent; // Playwright shows only the values of form controls
    else isTrue("readonly", role === "textbox" && attribute("aria-readonly") === "true");
    if (!node.box.visible && element.tabIndex >= 0 && element.getClientRects().length > 0) node.box = { ...node.box, visible: true };
    const label = role === "combobox" && hiddenLabel(element);
    if (label) props.of = label;
  } else if (role === "generic" && (has("contenteditable") || (isPage && document.designMode === "on"))) {
    isTrue("editable", element.isContentEditable && !element.parentElement?.isContentEditable);
  }
  if (!node.receivesPointerEvents && isTrue("disabled", /^(link|button|tab|menuitem)/.test(role))) node.receivesPointerEvents = true;
  if (element.type === "file" && element.files) props.value = [...element.files].map((file) => file.name).join(", ") || "No file chosen";
  else if (/^(slider|spinbutton|progressbar|meter|scrollbar)$/.test(role)) {
    const own = ["PROGRESS", "METER"].includes(element.nodeName) && has("value") && String(element.value);
    const value = attribute("aria-valuetext") || attribute("aria-valuenow") || own;
    if (value) props.value = value;
  }
  const isUsed = node.box.cursor === "pointer" || props.clickable || props.listens || props.focusable || props.editable;
  if (isUsed || isControlRole) Object.assign(props, labelOf(element, node.name));
}

// isClickable runs in pages. It reports whether an element shows by its attributes that it can be
// clicked or dragged.
function isClickable(element) {
  if (element.hasAttribute("onclick") || element.getAttribute("draggable") === "true") return true;
  return element.nodeName === "SUMMARY" && element.parentElement?.nodeName === "DETAILS";
}

// isListening runs in pages. It reports whether an element listens to clicks, see bringListeners.
// It returns false for these elements, which are of no use:
//   - a handle that is dragged to resize an element. No verb drags an element by a distance. Some
//     style sheets set the cursor of a handle only for the time when the mouse is over it
//   - an element without a text that is hidden from assistive technology, such as a scroll bar
//   - the empty overlay that some pages have after a checkbox that they draw themselves
function isListening(element, cursor, { labelOf }) {
  const listening = globalThis.abrowserListening;
  if (!listening?.has(element) || cursor?.endsWith("-resize")) return false;
  if (element.textContent.trim()) return true;
  if (element.closest("[aria-hidden=true]") && !labelOf(element, "").label) return false;
  if (element.firstChild) return true;
  const findHandles = (rules) => [...rules].flatMap((rule) => {
    const selector = rule.selectorText ?? "";
    const isHandle = selector.includes(":hover") && !selector.includes("&") && rule.style.cursor.endsWith("-resize");
    return [...(isHandle ? [selector.replaceAll(":hover", ":is(*)")] : []), ...findHandles(rule.cssRules ?? [])];
  });
  const handlesOf = (sheet) => {
    try {
      return findHandles(sheet.cssRules);
    } catch {
      return []; // it is of another origin
    }
  };
  listening.handles ??= [...document.styleSheets].flatMap(handlesOf).join(",");
  const isHandle = listening.handles && element.matches(listening.handles);
  return !isHandle && !element.previousElementSibling?.matches("input");
}

// isBlocked runs in pages. It reports whether another element covers all of an element that is in
// the viewport. It checks only a few points.
function isBlocked(element) {
  const box = element.getBoundingClientRect();
  const [left, top] = [Math.max(0, box.left), Math.max(0, box.top)];
  const [width, height] = [Math.min(innerWidth, box.right) - left, Math.min(innerHeight, box.bottom) - top];
  if (width < 3 || height < 3) return false;
  const steps = [0.05, 0.5, 0.95];
  return steps.flatMap((y) => steps.map((x) => element.getRootNode().elementFromPoint(left + x * width, top + y * height)))
    .every((hit) => hit && !hit.contains(element) && !element.contains(hit));
}

// isClickableText runs in pages. It reports whether an element that contains only text shows by
// itself, and not through its parent, that it can be clicked. The parameter cursor is its cursor.
function isClickableText(element, cursor, { isClickable, isListening, labelOf }) {
  if (isClickable(element)) return true;
  if (cursor !== "pointer") return isListening(element, cursor, { labelOf });
  const parent = element.assignedSlot ?? element.parentElement ?? element.getRootNode().host;
  return !parent || getComputedStyle(parent).cursor !== "pointer";
}

// hiddenLabel runs in pages. Some pages show an element of their own in place of a form control,
// directly after it. hiddenLabel returns the text of the control's label for such an element. It
// returns an empty string for other elements.
function hiddenLabel(element) {
  for (let e = element, up = 0; e && up < 4; e = e.parentElement, up++) {
    const control = e.previousElementSibling;
    if (!control?.matches("select, input") || control.tabIndex >= 0) continue;
    return [...(control.labels ?? [])].map((label) => label.textContent.trim()).join(" ");
  }
  return "";
}

// labelOf runs in pages. It returns what identifies an element that has no name and no text, or
// only glyphs of an icon font, whose characters are in Unicode's private-use areas. The member
// label of the result is a text for people, or the name of the icon. If there is neither, the
// member word is a name, an id or a class that only the page's author has seen. The result has no
// members if the element has a readable name or text, or if nothing identifies it.
function labelOf(element, name) {
  const attribute = (name) => element.getAttribute(name)?.trim();
  const isReadable = (text) => /[^\s\p{Co}]/u.test(text || "");
  if (isReadable(name)) return {};
  const given = attribute("title") || attribute("aria-label") || attribute("aria-placeholder") || attribute("data-placeholder") || attribute("placeholder");
  if (given) return { label: given };
  if (element.nodeName === "IFRAME") return { label: attribute("name") || "" };
  if (element.childElementCount > 9 || isReadable(element.textContent)) return {};
  if (element.nodeName !== "SELECT" && element.isContentEditable) return {};
  // A word is an id or a class that a person has chosen. Generated ones have digits or mixed case.
  const word = (text) => /^[a-z]+([-_]+[a-z]+)*$/.test(text ?? "") && text;
  const parts = [...element.querySelectorAll("*")].slice(0, 20);
  for (const part of parts) {
    const own = part.getAttribute("title") || part.getAttribute("alt") || (part.nodeName === "title" && part.textContent);
    if (isReadable(own)) return { label: own.trim() };
  }
  for (const part of [element, ...parts]) {
    const icon = part.getAttribute("data-testid") || part.getAttribute("data-icon") || part.getAttribute("href")?.match(/#(.+)/)?.[1];
    if (part.nodeName !== "A" && isReadable(icon)) return { label: icon };
    const classes = [...part.classList].map((name) => name.match(/^(?:fa|mdi|bi|ti|icon|glyphicon|codicon|anticon|pi|ri|la|octicon)-([a-z][a-z-]*)$/)?.[1]);
    const found = classes.find((name) => name && !/^(fw|lg|sm|xs|spin|[0-9]x|solid|regular|light|brands)$/.test(name));
    if (found) return { label: found };
  }
  const chosen = word(attribute("name")) || word(element.id) || [...element.classList].find(word);
  return chosen ? { word: chosen } : {};
}

// responds reports whether a frame responds in time. A frame that does not is asked for no snapshot,
// because the snapshot of the page would wait for it until its time is over.
async function responds(frame) {
  const answer = frame.utilityContext().then((context) => context.rawEvaluateJSON("true"));
  return inTime(answer, Date.now() + frameResponseTime);
}
const frameResponseTime = 5000; // milliseconds

// bringListeners runs in the driver, before a snapshot of a frame. The function describe, which
// runs in the frame's utility world, needs it to learn which elements listen to clicks.
//
// Scripts cannot see the listeners that a page has added. Only getEventListeners can, a function of
// the browser's console, and it works only in the page's main world. The two worlds share the
// elements, so they communicate by events. reportListening, in the main world, keeps
// getEventListeners. When collectListening, in the utility world, sends an event,
// reportListening answers with an event at each element that listens. Pages do not know the
// names of these events.
//
// This takes two messages for each document. The page handles messages in order, so bringListeners
// does not wait for the responses.
function bringListeners(frame, utility) {
  const main = frame._contextData.get("main")?.context;
  if (!main || utility.abrowserCollects) return;
  utility.abrowserCollects = true;
  const evaluate = ({ delegate: { _client: client, _contextId: contextId } }, expression) =>
    client.send("Runtime.evaluate", { contextId, expression, includeCommandLineAPI: true, silent: true }).catch(() => {}); // the document is gone
  evaluate(main, `(${reportListening})("${listeningEvent}", getEventListeners)`);
  evaluate(utility, `globalThis.abrowserCollect = () => (${collectListening})("${listeningEvent}"); globalThis.abrowserIsUnheard = (element) => (${isUnheard})("${listeningEvent}", element); 0`);
}
const listeningEvent = "abrowser" + crypto.randomBytes(12).toString("hex");

// reportListening runs in pages, in the page's main world. It answers an event of collectListening
// at the document with an event at each element that listens to clicks. Form controls are left out,
// because they have refs in any case. React, whose own listener is at the root of its part of the
// page, gives a listener to each element with onClick as well. reportListening cancels an event of
// isUnheard if nothing in the event's path listens to the mouse or to the focus.
function reportListening(name, getEventListeners) {
  const { constructor: Event } = document.createEvent("Event"); // some libraries replace the global one
  const search = (root) => {
    const all = root.querySelectorAll(":not(button, input, select, textarea, option, a[href])");
    for (let i = 0; i < all.length; i++) {
      const { click, mousedown, pointerdown, mouseup, pointerup, dblclick, touchstart, touchend } = getEventListeners(all[i]);
      if (click || mousedown || pointerdown || mouseup || pointerup || dblclick || touchstart || touchend) all[i].dispatchEvent(new Event(name, { composed: true }));
      if (all[i].shadowRoot) search(all[i].shadowRoot);
    }
  };
  document.addEventListener(name + "?", () => search(document));
  const uses = /^(auxclick|blur|change|click|contextmenu|dblclick|drag|focus|mouse|pointer|select|touch)/;
  const isHeard = (target) => Object.keys(getEventListeners(target)).some((type) => uses.test(type));
  addEventListener(name + "!", (event) => event.composedPath().some(isHeard) || event.preventDefault(), true);
}

// isUnheard runs in pages, in the utility world. It returns true if reportListening answers that
// nothing in the path of an event at the element listens to the mouse or to the focus. It returns
// false if something listens, or if reportListening does not run in the document.
function isUnheard(name, element) {
  return !element.dispatchEvent(new Event(name + "!", { composed: true, cancelable: true }));
}

// collectListening runs in pages, in the utility world. It stores the elements that listen to
// clicks in the variable abrowserListening.
function collectListening(name) {
  const found = (globalThis.abrowserListening = new WeakSet());
  const collect = (event) => found.add(event.composedPath()[0]);
  addEventListener(name, collect, true);
  document.dispatchEvent(new Event(name + "?"));
  removeEventListener(name, collect, true);
}
