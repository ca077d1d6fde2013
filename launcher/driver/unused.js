// A click on an element that nothing listens to has no effect, but its success can make an agent
// believe that it had one. The driver reports such a click as unused. A click counts as used unless
// the driver can prove that nothing uses it. The driver cannot know:
//   - the listeners in a frame, or in a page of which there was no snapshot (see bringListeners)
//   - what a custom element does in a shadow root that is closed
//   - what a style sheet of another origin does with an element under the mouse

// mayUseClick runs in pages, when an element gets the press of a click. It reports whether anything
// may use the click. The parameter path is the path of the event.
function mayUseClick(path) {
  if (window !== window.top || !globalThis.abrowserIsUnheard?.(path[0])) return true;
  const { matches } = Element.prototype; // in a form, e.matches may be a field with this name
  const elements = path.filter((e) => e instanceof Element);
  const usedBySelf = "a[*|href], area, audio, button, embed, fencedframe, frame, iframe, input, label, object, option, select, summary, textarea, video, [tabindex], [usemap], [draggable=true], [is]";
  const hasOwnUse = (e) => matches.call(e, usedBySelf) || e.isContentEditable || (e.localName.includes("-") && !e.shadowRoot) ||
    (e.localName === "svg" && e.querySelector("[begin]")); // an animation may begin with a click
  if (elements.some(hasOwnUse)) return true;
  if (document.querySelector(":popover-open, dialog[open][closedby]")) return true; // a click outside may close it
  let active = document.activeElement; // the click makes it lose the focus
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  if (active && active !== document.body && (matches.call(active, "iframe, frame, object, embed, fencedframe") || !globalThis.abrowserIsUnheard(active))) return true;
  return isStyledByMouse(path, elements);
}

// isStyledByMouse runs in pages. It reports whether a style rule may show or hide another element
// when the mouse is over one of the elements, as in menus that need no script.
function isStyledByMouse(path, elements) {
  const roots = path.filter((e) => e instanceof Document || e instanceof ShadowRoot);
  const before = /^(.*?):(?:hover|active|focus(?:-within|-visible)?)\b([^]*)$/;
  const isAbout = (selector) => {
    const [, start, rest] = before.exec(selector) ?? [];
    if (start === undefined || (!/[\s>+~]/.test(rest.trim()) && !start.includes(":has("))) return false; // it is about the element itself
    try {
      return start.includes("&") || start.includes("(") || elements.some((e) => Element.prototype.matches.call(e, /[\s>+~]$/.test(start) ? start + "*" : start || "*"));
    } catch {
      return true; // not understood
    }
  };
  const isUsed = (rules) => [...rules].some((rule) => (rule.selectorText?.split(",").some(isAbout)) || (rule.cssRules && isUsed(rule.cssRules)) || (rule.styleSheet && isUsedSheet(rule.styleSheet)));
  const isUsedSheet = (sheet) => {
    try {
      return !sheet.disabled && isUsed(sheet.cssRules);
    } catch {
      return true; // it is of another origin
    }
  };
  return roots.some((root) => [...root.styleSheets, ...root.adoptedStyleSheets].some(isUsedSheet));
}
