// A session can choose a frame, in which its commands then find their elements and run their
// scripts. The frame is named by its CDP id. A frame keeps this id as long as it exists, even if
// the frame navigates to another origin, or the session connects to another driver.
//
// A selector that begins with abrowser-frame=ID >> is resolved in the frame with this id, see
// enterFrame. The driver adds this method to the CDP session of a page:
//   Abrowser.inFrame  {target, frame, method, params}: sends a CDP command to the frame's process.
//                     Runtime.evaluate runs in the main execution context of the frame. Responses:
//                     {result}     the command's result
//                     {name, url}  if no method was given
//                     {gone: true} if the frame does not exist in the page any more
//                     {}           if the driver does not have the page

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
