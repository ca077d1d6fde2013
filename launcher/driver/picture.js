// A picture of a page, as Playwright takes it but for some things: the blinking cursor
// stays where it is, since to hide it costs a frame, and what has to be known before is
// asked for at once. A PNG is packed for speed: half the time, half as large again.
//
// A session's daemon asks for it as a method of a page's CDP session, Abrowser.picture:
//   target       the page
//   type         "png" or "jpeg"
//   full         the whole page, not only what is in view
//   files        a large picture may be left in a file, which the caller takes
//   limit        in milliseconds
// The answer is {state, data, file}: "done" with the picture in base64 or the path of its
// file, "late" where it has not drawn in time, none where the page is none of ours.

const largePicture = 1 << 20; // characters of base64
const pictureTime = 600_000; // for the caller to take the file

async function picture(progress, page, { type, full, files }, until) {
  // One after the other with those that Playwright takes itself.
  const taken = page.screenshotter._queue._postTask(() => progress.race(inTime(shoot(progress, page, { type, full, until }), until)));
  const data = await inTime(taken, until);
  if (data === undefined) return { state: "late" };
  return { state: "done", ...((files && data.length > largePicture && left(data)) || { data }) };
}

async function shoot(progress, page, { type, full, until }) {
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
  const quality = type === "jpeg" ? 80 : undefined;
  return (await client.send("Page.captureScreenshot", { format: type, quality, clip, captureBeyondViewport, optimizeForSpeed: true })).data;
}

// left is the file that a picture is left in, or undefined where it cannot be written.
function left(data) {
  const file = path.join(process.env.TMPDIR, "picture-" + crypto.randomUUID());
  try {
    fs.writeFileSync(file, data, { encoding: "base64", flag: "wx" });
  } catch (error) {
    say("leaving a picture", { error: String(error) });
    fs.rmSync(file, { force: true });
    return undefined;
  }
  setTimeout(() => fs.rm(file, { force: true }, () => {}), pictureTime).unref();
  return { file };
}
