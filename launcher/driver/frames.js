// A session can choose a frame, in which its commands then find their elements and run their
// scripts. The frame is named by its CDP id, which it keeps as long as it exists: when it navigates,
// also to another origin, and when the session connects to another driver.
//
// A selector that begins with abrowser-frame=ID >> is resolved in the frame with this id, see
// enterFrame. The driver adds this method to the CDP session of a page:
//   Abrowser.inFrame  {target, frame, method, params}: sends a CDP command to the frame's process.
//                     Runtime.evaluate gets the frame's own world. The response is {result}.
//                     Without a method the response is {name, url}. The response is {gone: true}
//                     if the page does not have the frame any more, and {} if the driver does not
//                     have the page

const frameIsGone = "the frame is gone";

// enterFrame returns the frame in which to resolve a selector, and the selector to resolve there.
function enterFrame(frame, selector) {
  const [, id, rest] = /^abrowser-frame=(\S+) >> (.*)$/s.exec(selector) ?? [];
  if (!id) return [frame, selector];
  const entered = frame._page.frameManager.frame(id);
  if (!entered) throw new Impossible(frameIsGone);
  return [entered, rest];
}

async function inFrame(progress, page, { frame: id, method, params }) {
  const frame = page.frameManager.frame(id);
  if (!frame) return { gone: true };
  if (!method) return { name: frame._name, url: frame._url };
  const { delegate } = await progress.race(frame.context("main"));
  const { _client: client, _contextId: contextId } = delegate;
  return { result: await progress.race(client.send(method, method === "Runtime.evaluate" ? { ...params, contextId } : params)) };
}
