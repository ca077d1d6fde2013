// An action whose caller has set no timeout gives up when the page has not changed for some time,
// since waiting longer would hardly help. The page changes while one of these is the case:
//   - The main frame navigates, or a frame gets another document.
//   - A request of a frame is in flight. See isLoading for the requests that do not count.
//   - A node is added, removed or changed, in a frame or in an open shadow root, or an image,
//     frame or script is loaded, or a frame changes its size. What happens at most scrollTime
//     after a scroll does not count, because the attempts of an action scroll the page.
//   - A finite animation runs: a CSS transition, a CSS animation or an animation by a script. An
//     endless animation does not count, since many pages at rest have one, such as a pulsing dot. A
//     page that shows an endless spinner while it loads usually has a request in flight too.
//   - A frame does not answer.
// A script that changes the page once a second, such as a clock, therefore keeps an action
// waiting until its timeout.

const frameAnswerTime = 1000; // milliseconds that a frame has for its answer
const openTime = 10_000;
const requests = new WeakMap(); // maps a request to the time at which isLoading first saw it

// sinceChange returns how long ago the page last changed, in milliseconds. Changes before the
// first call in a document were not observed, so the result is at most the time since that
// call. The result is negative if an animation will still run for some time.
async function sinceChange(page) {
  const { frameManager } = page;
  if (page.mainFrame().pendingDocument() || frameManager.frames().some(isLoading)) return 0;
  const ask = async (frame) => {
    const utility = await frame.utilityContext();
    return utility.evaluateExpression(`(injected) => (${watchChanges})(injected).sinceChange()`, { isFunction: true }, await utility.injectedScript());
  };
  const until = Date.now() + frameAnswerTime;
  const all = await Promise.all(frameManager.frames().map((frame) => inTime(ask(frame).catch(() => {}), until)));
  return Math.min(...all.map((since) => since ?? 0));
}

// isLoading reports whether a request of the frame is in flight. Beacons, media and event streams
// do not count, since a page at rest may have them. Neither does a request that isLoading first saw
// more than openTime ago: the page keeps it open to get messages.
function isLoading(frame) {
  return [...frame._inflightRequests].some((request) => {
    if (!requests.has(request)) requests.set(request, performance.now());
    return !["eventsource", "media", "ping"].includes(request.resourceType()) && performance.now() - requests.get(request) < openTime;
  });
}

// watchChanges runs in pages. From its first call in a document on, it watches the document for
// changes. It returns an object with two functions:
//   unchanged(element)  reports whether nothing that can move the element has happened in the
//                       last three animation frames. It ignores animations, see isStill
//   sinceChange()       returns how long ago the document last changed, in milliseconds. The
//                       result is negative if an animation will still run for some time
function watchChanges(injected) {
  if (injected.abrowserChanges) return injected.abrowserChanges;
  const scrollTime = 250; // milliseconds
  // A few frames show whether a script moves an element. If nothing in the document has changed in
  // the last three frames, there is no need to wait. The criterion is a number of frames and not a
  // time, since on a busy machine the scripts that would move the element are late too. A timer of the
  // page can be late by several frames, so a timer of our own must have fired too, see staysInPlace.
  const { setTimeout, clearTimeout } = injected.utils.builtins;
  let moved = performance.now(), frames = 0, counting = false, timer, timed;
  let changed = moved, scrolled = -Infinity;
  const frame = () => ((counting = ++frames < 3) && requestAnimationFrame(frame));
  const onMove = () => {
    [moved, frames, timed] = [performance.now(), 0, false];
    clearTimeout(timer);
    timer = setTimeout(() => (timed = true), 50);
    if (!counting) counting = !!requestAnimationFrame(frame);
  };
  const onScroll = () => {
    onMove();
    scrolled = moved;
  };
  const onChange = () => {
    onMove();
    if (moved - scrolled > scrollTime) changed = moved;
  };
  const observer = new MutationObserver(onChange);
  const observed = new WeakSet();
  for (const [type, listener] of [["scroll", onScroll], ["resize", onChange], ["load", onChange]]) addEventListener(type, listener, { capture: true, passive: true });
  const observe = (root) => {
    if (observed.has(root)) return;
    observed.add(root);
    observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
    onChange();
  };
  observe(document);
  const unchanged = (element) => {
    for (let root = element.getRootNode(); root.host; root = root.host.getRootNode()) observe(root);
    if (observer.takeRecords().length > 0) onChange();
    return (frames >= 3 && timed) || performance.now() - moved > 1000; // a page that is not drawn has no frames
  };
  // endOf returns the time at which an animation ends, or 0 if it does not run or has no end.
  const endOf = ({ playState, playbackRate, currentTime, effect }) => {
    const left = (effect?.getComputedTiming().endTime - currentTime) / playbackRate;
    return playState === "running" && Number.isFinite(left) ? performance.now() + Math.max(0, left) : 0;
  };
  const sinceChange = () => {
    const roots = new Set([document]);
    for (const root of roots) for (const e of root.querySelectorAll("*")) if (e.shadowRoot) roots.add(e.shadowRoot);
    roots.forEach(observe);
    if (observer.takeRecords().length > 0) onChange();
    const ends = [...roots].flatMap((root) => root.getAnimations().map(endOf));
    return performance.now() - Math.max(changed, ...ends);
  };
  return (injected.abrowserChanges = { unchanged, sinceChange });
}

// isStill runs in pages. It reports whether no animation can move the element. This is so if no
// animation of the element or of its ancestors is running, and no other running animation changes
// the layout.
function isStill(element) {
  const paintOnly = new Set(["offset", "computedOffset", "easing", "composite", "opacity", "transform", "translate", "rotate", "scale", "filter", "backdropFilter",
    "color", "backgroundColor", "backgroundPosition", "boxShadow", "outlineColor", "fill", "stroke", "strokeDashoffset", "visibility"]);
  const ancestors = new Set();
  const roots = new Set([element.ownerDocument]);
  for (let e = element; e; e = e.assignedSlot || e.parentElement || e.getRootNode().host) {
    ancestors.add(e);
    roots.add(e.getRootNode());
  }
  // document.getAnimations does not return the animations in shadow roots.
  for (const root of roots) for (const e of root.querySelectorAll("*")) if (e.shadowRoot) roots.add(e.shadowRoot);
  return [...roots].every((root) => root.getAnimations().every((animation) => {
    if (animation.playState !== "running") return true;
    const { effect } = animation;
    if (!effect || !effect.target || ancestors.has(effect.target)) return false;
    return effect.getKeyframes().every((frame) => Object.keys(frame).every((property) => paintOnly.has(property)));
  }));
}

// staysInPlace runs in pages, if something may move the element. It reports whether the element
// has the same place in four frames. It compares more than two frames, because a timer that moves
// the element need not do so in each frame. Frames with the same timeline time count as one frame,
// because the animations have the same state in all of them. Several frames have the same time
// when frames are late and a script examines the page. The browser then advances the animations to
// the current time, and they keep this state in all frames that are overdue. On a busy machine a
// timer can be late by several frames, so a timer of our own, as long as the four frames usually take,
// must have fired too: timers fire in the order in which they are due. If this does not happen in 30
// frames, or they do not have four different times, staysInPlace returns undefined.
async function staysInPlace(element, { requestAnimationFrame, setTimeout }) {
  const { timeline } = element.ownerDocument;
  let time, place, same = 0, timed = false;
  setTimeout(() => (timed = true), 50);
  for (let i = 0; i < 30; i++) {
    await new Promise((done) => requestAnimationFrame(done));
    if (timeline.currentTime === time) continue;
    const { x, y, width, height } = element.getBoundingClientRect();
    const now = [x, y, width, height].join();
    if (place !== undefined && now !== place) return false;
    if (++same >= 4 && timed) return true;
    [time, place] = [timeline.currentTime, now];
  }
}
