// These are more verbs of Abrowser.act, see verbs.js: input to the page or to the element that has
// the focus, scrolling to an element, uploads, and drags. A drag ends at a second element.

const chooserTime = 2000; // milliseconds in which a click opens its file chooser
const frameTime = 500; // milliseconds; a page that is not drawn has no frames

Object.assign(verbs, {
  // {key, released}; released says whether the key is released or pressed
  key: {
    async perform(act) {
      const { key, released } = act.params;
      const { keyboard } = act.page;
      keyboard._keyDescriptionForString(key); // throws if unknown
      if (released) return act.send(() => keyboard.up(act.progress, key));
      const watch = await act.watch(act.page.mainFrame(), watchKeys, undefined, { keys: 1 });
      try {
        act.begin();
        await keyboard.down(act.progress, key);
        if (!(await watch.confirm())) return await act.again();
        return { pending: await act.pending() };
      } finally {
        watch.dispose();
      }
    },
  },
  // {text}; the text goes to the element that has the focus
  insert: {
    async perform(act) {
      const frame = act.page.mainFrame();
      const utility = await act.race(frame.utilityContext());
      if (!(await act.race(utility.evaluateExpression(`(${takesText})`, { isFunction: true })))) {
        throw new Impossible("no element that takes text has the focus");
      }
      const watch = await act.watch(frame, watchKeys, undefined, { keys: 0 });
      try {
        act.begin();
        await act.page.keyboard.insertText(act.progress, act.params.text);
        return (await watch.confirm()) ? {} : await act.again();
      } finally {
        watch.dispose();
      }
    },
  },
  // {x, y, steps}
  move: { perform: (act) => act.send(({ mouse }) => mouse.move(act.progress, act.params.x, act.params.y, { steps: act.params.steps })) },
  // {button, released}
  button: {
    perform: (act) => act.send(({ mouse }) => (act.params.released ? mouse.up : mouse.down).call(mouse, act.progress, { button: act.params.button })),
  },
  // {x, y}. If no listener of the page can stop the scrolling, the browser answers before the page
  // gets the event and scrolls, which happens in the page's next frame. So perform waits for two
  // frames.
  wheel: {
    perform: (act) => act.send(async ({ mouse }) => {
      await mouse.apiWheel(act.progress, act.params.x, act.params.y);
      const frames = act.page.mainFrame().utilityContext().then((utility) => utility.evaluateExpression("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"));
      await act.race(inTime(frames, Date.now() + frameTime));
    }),
  },
  scrollIntoView: {
    states: [],
    perform: async (act, node) => (await act.script(node, (injected, node) => {
      if (node.getClientRects().length === 0) return "error:notvisible";
      node.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
      return "done";
    })) && {},
  },
  // {files} or {directory}: absolute paths. The element is a file field or its label, or opens a
  // file chooser when it is clicked
  upload: {
    states: [],
    async perform(act, node) {
      const { files, directory } = act.params;
      const items = directory ? { localDirectory: directory } : { localPaths: files };
      const takes = (node) => act.race(node.evaluateInUtility(fileField, { several: files?.length > 1, directory: !!directory }));
      const { isField, lacks } = await takes(node);
      if (lacks) throw new Impossible(lacks);
      if (isField) {
        act.begin();
        return (await node._setInputFiles(act.progress, items)) === "done" ? {} : await act.again();
      }
      const ready = await act.find(verbs.click.states);
      if (!ready) return;
      const { page } = act;
      let onOpen;
      const opened = new Promise((done) => page.once("filechooser", (onOpen = done)));
      try {
        await act.race(page._setFileChooserInterceptedBy(true, act)); // no chooser is shown
        const clicked = await verbs.click.perform(act, ready);
        if (!clicked) return;
        const chooser = await act.race(inTime(opened, Date.now() + chooserTime));
        if (!chooser) return { ...clicked, unopened: true };
        const { lacks } = await takes(chooser.element());
        if (lacks) return { ...clicked, lacks };
        await chooser.element()._setInputFiles(act.progress, items);
        return clicked;
      } finally {
        ready.dispose();
        page.off("filechooser", onOpen);
        page._setFileChooserInterceptedBy(false, act).catch(() => {}); // the page is closed
      }
    },
  },
  // {to, toBegan}: the selector of the element to drop on, and when the document of its ref began
  drag: {
    states: ["visible"],
    async perform(act, node) {
      const { facts } = act;
      // If the wait ends here, the response is about the element to drop on.
      act.second = { selector: act.params.to, began: act.params.toBegan };
      act.facts = {};
      const target = await act.find(["visible"], lookTime, act.second);
      if (!target) return;
      act.second = undefined;
      act.facts = facts;
      const { mouse } = act.page;
      const start = async (progress, { x, y }) => {
        await mouse.move(progress, x, y);
        await mouse.down(progress);
      };
      // Libraries begin a drag only after a few pixels, and follow the mouse by its move events.
      const drop = async (progress, { x, y }) => {
        await mouse.move(progress, x, y, { steps: 10 });
        await mouse.up(progress);
      };
      try {
        if (!(await act.pointer(node, "move and down", start))) return;
        const result = await target._performPointerAction(act.progress, "move and up", false, drop, undefined, { waitAfter: "disabled" });
        if (result !== "done") {
          act.refused(result);
          throw new Error(`the element was picked up and not dropped, because the other element ${act.why || "went away"}`);
        }
        return { pending: await act.pending() };
      } finally {
        target.dispose();
        if (act.acting && mouse._buttons.has("left")) abandonDrag(act.page);
      }
    },
  },
});

// abandonDrag cancels the drag and releases the mouse button, because each later move of the mouse
// would otherwise continue the drag. Nothing is dropped. abandonDrag does not wait for the page.
function abandonDrag(page) {
  const cancelled = page.delegate.rawMouse._dragManager.cancelDrag();
  cancelled.then(() => page.mouse.up(playwright.nullProgress)).catch(() => {}); // the page is closed
}

// fileField runs in pages. It returns whether the element is a file field, or the label of one, and
// why the field cannot take the files.
function fileField([injected, node, { several, directory }]) {
  const field = injected.retarget(node, "follow-label");
  if (field?.nodeName !== "INPUT" || field.type !== "file") return { isField: false };
  if (directory && !field.webkitdirectory) return { lacks: "the file field takes no directory" };
  if (!directory && field.webkitdirectory) return { lacks: "the file field takes a directory, and no files" };
  if (several && !field.multiple) return { lacks: "the file field takes only one file" };
  return { isField: true };
}

// takesText runs in pages. It reports whether the element that has the focus takes text, as far as
// this document can tell.
function takesText() {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  if (document.designMode === "on" || active?.isContentEditable || /^(IFRAME|FRAME|OBJECT|EMBED|TEXTAREA)$/.test(active?.nodeName)) return true;
  return active?.nodeName === "INPUT" && !/^(button|checkbox|color|file|hidden|image|radio|range|reset|submit)$/.test(active.type);
}
