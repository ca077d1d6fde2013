// These functions run in pages, in the page's main world. They find out, independently of abrowser,
// which elements of a page can be used, and to which element an event was delivered. Each element
// gets a number in its attribute data-w.
const walk = (window.walk = {});

// all returns the elements of the document, of open shadow roots and of frames of the same origin.
walk.all = (root = document) => [...root.querySelectorAll("*")].flatMap((e) => {
  const inside = e.shadowRoot ? walk.all(e.shadowRoot) : [];
  if (e.nodeName === "IFRAME" && e.contentDocument) inside.push(...walk.all(e.contentDocument));
  return [e, ...inside];
});

walk.number = () => walk.all().forEach((e, i) => e.setAttribute("data-w", i));

// parent returns the parent that events bubble to, across shadow roots and frames.
walk.parent = (e) => e.assignedSlot ?? e.parentElement ?? e.getRootNode().host ?? e.ownerDocument.defaultView?.frameElement ?? null;
walk.up = (e) => (e ? [e, ...walk.up(walk.parent(e))] : []);

// isVisible reports whether a person sees the element. A control that a person sees only by its
// label counts as visible, because a click on the label uses the control.
walk.isVisible = (e) => {
  const is = (x) => {
    const { width, height } = x.getBoundingClientRect();
    return x.checkVisibility({ visibilityProperty: true }) && width >= 3 && height >= 3;
  };
  const opaque = (x) => x.checkVisibility({ opacityProperty: true });
  const labels = [...(e.labels ?? [])];
  return (is(e) && (opaque(e) || labels.length > 0)) || (labels.some((l) => is(l) && opaque(l)) && e.checkVisibility({ visibilityProperty: true }));
};

const roles = "button link textbox searchbox combobox listbox spinbutton slider checkbox radio switch tab option treeitem menuitem menuitemcheckbox menuitemradio".split(" ");
walk.why = (e, listening) => {
  const role = e.getAttribute("role");
  if (e.isContentEditable && !e.parentElement?.isContentEditable && e.nodeName !== "HTML") return "editable";
  if (e.nodeName === "BODY" && e.ownerDocument.designMode === "on") return "editable";
  if (roles.includes(role)) return role;
  if (!role && e.matches("button, a[href], input:not([type=hidden]), select, textarea, summary")) return e.nodeName.toLowerCase();
  if (e.hasAttribute("onclick") || e.draggable && e.getAttribute("draggable") === "true") return "clickable";
  if (e.hasAttribute("tabindex") && e.tabIndex >= 0) return "focusable";
  if (getComputedStyle(e).pointerEvents === "none") return "";
  return listening.has(e.getAttribute("data-w")) ? "listener" : "";
};

// excuse returns why a usable element needs no ref, or an empty string. The parameter refs has the
// numbers of the elements with refs.
walk.excuse = (e, why, refs) => {
  const has = (x) => refs.has(x.getAttribute("data-w"));
  const above = walk.up(walk.parent(e));
  const whole = "button, a[href], summary, label, option, [role=button], [role=link], [role=checkbox], [role=radio], [role=switch], [role=tab], [role=option], [role^=menuitem]";
  // The page shows another element instead.
  if (e.closest("[aria-hidden=true]") && (e.tabIndex < 0 || !["listener", "clickable"].includes(why))) return "hidden from assistive technology";
  const holds = (x) => walk.all().some((y) => y !== x && has(y) && walk.up(y).includes(x));
  // A click on the element is a click on the control that contains it.
  if (above.some((x) => has(x) && x.matches(whole))) return "part of a control";
  // The element also gets the clicks on elements inside it that have refs. So it is a wrapper, or
  // its listener serves many elements.
  if (["listener", "clickable", "focusable"].includes(why) && holds(e)) return "contains refs";
  // A click on a label is a click on its control.
  const control = e.closest("label")?.control ?? (e.id && e.getRootNode().querySelector(`[aria-labelledby~="${CSS.escape(e.id)}"]`));
  if (control && (has(control) || holds(control))) return "label";
  // An overlay without content takes the clicks of a control beside it.
  const beside = e.previousElementSibling;
  if (why === "listener" && !e.firstChild && beside?.matches("input") && has(beside)) return "overlay of a control";
  // The element can have the focus only so that the keyboard can scroll it.
  if (why === "focusable" && e.matches("[role=tabpanel]")) return "scrolled panel";
  // A ref of a resize handle has no use, because no verb moves an element by a distance. Such a
  // handle is recognized by its cursor. Some style sheets set this cursor only while the mouse is
  // over the handle.
  if (why === "listener" && (getComputedStyle(e).cursor.endsWith("-resize") || (!e.firstChild && walk.resizesUnderMouse(e)))) return "resize handle";
  return "";
};

walk.resizesUnderMouse = (e) => {
  const isOwn = ({ href }) => !href || new URL(href).origin === origin;
  const rules = (of) => [...of.cssRules].flatMap((rule) => (rule.media ? rules(rule) : rule));
  return [...document.styleSheets].filter(isOwn).flatMap(rules).some((rule) => rule.style?.cursor.endsWith("-resize") && rule.selectorText?.includes(":hover") && e.matches(rule.selectorText.replaceAll(":hover", ":not(x)")));
};

// usable returns the usable elements. For each it returns how the element can be used, and, if the
// element has no ref, the excuse.
walk.usable = (listening, refs) => {
  [listening, refs] = [new Set(listening), new Set(refs)];
  return walk.all().filter((e) => walk.isVisible(e) && !e.closest("[inert]") && !["HTML", "IFRAME"].includes(e.nodeName)).flatMap((e) => {
    const why = walk.why(e, listening);
    if (!why || (e.nodeName === "BODY" && why !== "editable")) return [];
    const has = refs.has(e.getAttribute("data-w"));
    return [{ why, has, excuse: has ? "" : walk.excuse(e, why, refs), is: e.outerHTML.slice(0, 160) }];
  });
};

// watch records for each document which elements get events, and keeps clicks from leaving the
// page. An event of a label counts for its control as well, since a click on the label is one on
// the control.
walk.watch = () => {
  walk.got = new Set();
  const windows = new Set(walk.all().map((e) => e.ownerDocument.defaultView));
  for (const w of windows) {
    for (const type of ["pointerdown", "mousedown", "mouseup", "click"]) w.addEventListener(type, (event) => walk.up(event.composedPath()[0]).flatMap((e) => [e, e.localName === "label" && e.control]).forEach((e) => e && walk.got.add(e.getAttribute("data-w"))), true);
    w.addEventListener("click", (event) => {
      const to = event.composedPath().find((e) => e.href)?.href;
      if (to && !String(to).startsWith(w.document.URL.split("#")[0] + "#")) event.preventDefault();
    });
    w.addEventListener("submit", (event) => event.preventDefault());
  }
};

// focused returns the number of the code editor that has the focus. Such an editor has no area. A
// person clicks the text that it shows in other elements, and the editor gets the focus.
walk.focused = () => document.activeElement?.editContext && document.activeElement.getAttribute("data-w");

// rest waits until the page has not changed for a while.
walk.rest = () => new Promise((done) => {
  const end = () => { observer.disconnect(); done(); };
  let timer = setTimeout(end, 300);
  const observer = new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(end, 300); });
  observer.observe(document, { subtree: true, childList: true, attributes: true });
  setTimeout(end, 3000);
});
