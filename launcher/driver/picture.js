// A screenshot of a page is taken as Playwright does it, with three differences. The text
// cursor is not hidden, because hiding it would cost a frame. The sizes of the page and of its
// visible part are requested at the same time, not one after the other. PNG is compressed for
// speed, which takes half the time and makes the picture 1.5 times as large.
//
// The driver adds this method to the CDP session of a page:
//   Abrowser.picture  {target, type, quality, full, files, limit}: type is "png" or "jpeg", and
//                     quality that of a JPEG, from 1 to 100. full means
//                     the whole page instead of the visible part. If files is set, a large
//                     picture is saved to a file, which the caller then moves. limit is in
//                     milliseconds. The response is {state: "done", data} with the picture in
//                     base64, {state: "done", file}, or {state: "late"} if the page was not
//                     drawn in time. The response is {} if the driver does not have the page

const largePicture = 1 << 20; // characters of base64; a longer picture is saved to a file
const fileLifetime = 600_000; // milliseconds in which the caller must move the file

async function picture(progress, page, { type, quality, full, files }, until) {
  // Playwright's own screenshots go through the same queue, so no two run at the same time.
  const captured = page.screenshotter._queue._postTask(() => progress.race(inTime(capture(progress, page, { type, quality, full, until }), until)));
  const data = await inTime(captured, until);
  if (data === undefined) return { state: "late" };
  return { state: "done", ...((files && data.length > largePicture && saved(data)) || { data }) };
}

async function capture(progress, page, { type, quality, full, until }) {
  const { screenshotter, delegate } = page;
  const client = delegate._mainFrameSession._client;
  const fonts = page.mainFrame().nonStallingEvaluateInExistingContext("document.fonts.ready", "utility").catch(() => {});
  const [{ visualViewport: seen }, view, whole] = await Promise.all([
    client.send("Page.getLayoutMetrics"),
    screenshotter._originalViewportSize(progress),
    full && screenshotter._fullPageSize(progress),
    inTime(fonts, until),
  ]);
  const clip = full
    ? { x: 0, y: 0, width: whole.width, height: whole.height, scale: 1 }
    : { x: seen.pageX, y: seen.pageY, width: Math.ceil(view.width / seen.scale), height: Math.ceil(view.height / seen.scale), scale: seen.scale };
  const captureBeyondViewport = full && (whole.width > view.width || whole.height > view.height);
  return (await client.send("Page.captureScreenshot", { format: type, quality, clip, captureBeyondViewport, optimizeForSpeed: true })).data;
}

// saved saves a picture to a file and returns the file, or undefined if saving fails.
function saved(data) {
  const file = path.join(process.env.TMPDIR, "picture-" + crypto.randomUUID());
  try {
    fs.writeFileSync(file, data, { encoding: "base64", flag: "wx" });
  } catch (error) {
    log("saving a picture", { error: String(error) });
    fs.rmSync(file, { force: true });
    return undefined;
  }
  setTimeout(() => fs.rm(file, { force: true }, () => {}), fileLifetime).unref();
  return { file };
}
