// This script checks that Playwright works at a session's endpoint as with a Chromium of its own:
//
//	node checks.js <driver's package directory> <endpoint> <directory for files> <pages that the session has>
//
// It prints a line of JSON for each check, with the check's name and, if the check failed, the
// error. The script serves the pages itself, under three host names of this machine. Chromium
// treats these as three sites.
const dns = require('dns');
const fs = require('fs');
const http = require('http');
const path = require('path');
const [, , driver, endpoint, dir, had] = process.argv;
const { chromium } = require(driver);

const pages = {
  '/': '<title>home</title><p>home</p>',
  '/opener': '<a id=plain target=_blank href=/popup>a</a> <a id=noopener target=_blank rel=noopener href=/popup>b</a>',
  '/popup': '<title>popup</title><script>window.early = typeof binding</script>',
  '/inner': '<button onclick="this.textContent = \'clicked\'">inner</button>',
  '/worker': '<script>window.worker = new Worker("/worker.js")</script>',
  '/worker.js': 'self.answer = 42',
  '/sw': '<script>navigator.serviceWorker.register("/sw.js").then(() => navigator.serviceWorker.ready).then(() => window.ready = 1)</script>',
  '/sw.js': 'self.answer = 43; addEventListener("fetch", e => e.respondWith(e.request.url.endsWith("/made") ? new Response("made") : fetch(e.request)))',
  '/file': '<input type=file>',
  '/folder': '<input type=file webkitdirectory>',
  '/ask': '<script>window.said = prompt("name?")</script>',
};

function serve() {
  const server = http.createServer((q, r) => {
    const [where] = q.url.split('?');
    const port = server.address().port;
    if (where === '/download') {
      r.setHeader('Content-Disposition', 'attachment; filename=f.txt');
      return r.end('downloaded');
    }
    if (where === '/endless') {
      r.setHeader('Content-Disposition', 'attachment; filename=e.txt');
      return r.write('x'.repeat(100000));
    }
    if (where === '/headers')
      return r.end(JSON.stringify(q.headers));
    r.setHeader('Content-Type', where.endsWith('.js') ? 'text/javascript' : 'text/html');
    if (where === '/outer')
      return r.end(`<p>outer</p><iframe src="http://127.0.0.1:${port}/middle"></iframe>`);
    if (where === '/middle')
      return r.end(`<p>middle</p><iframe src="http://deep.localhost:${port}/inner"></iframe>`);
    r.statusCode = where in pages ? 200 : 404;
    r.end('<!doctype html>'.repeat(!where.endsWith('.js')) + (pages[where] || ''));
  });
  return new Promise(f => server.listen(0, '127.0.0.1', () => f(server)));
}

function equal(got, want, what) {
  got = JSON.stringify(got), want = JSON.stringify(want);
  if (got !== want)
    throw new Error(`${what}: got ${got}, want ${want}`);
}

// These checks run in the shared context, and again in contexts that the script creates. Each check
// gets a new page.
const everywhere = {
  async popups({ context, page, site }) {
    await context.exposeBinding('binding', () => 7);
    await page.goto(site + '/opener');
    for (const id of ['plain', 'noopener']) {
      const [popup] = await Promise.all([context.waitForEvent('page'), page.click('#' + id)]);
      await popup.waitForLoadState();
      equal([await popup.title(), await popup.evaluate('early')], ['popup', 'function'], id);
      await popup.close();
    }
    const [popup] = await Promise.all([page.waitForEvent('popup'), page.evaluate(() => { open('/popup'); })]);
    await popup.waitForURL('**/popup');
    equal(await popup.evaluate(() => opener.location.pathname), '/opener', 'opener');
    await popup.close();
  },
  async 'the end of a popup\'s first load'({ context, page, site }) {
    await page.goto(site + '/opener');
    const request = context.waitForEvent('request');
    const popup = context.waitForEvent('page');
    await page.click('#noopener');
    await (await (await request).response()).finished();
    await (await popup).close();
  },
  async 'frames of three sites'({ page, site }) {
    await page.goto(site + '/outer');
    const inner = page.frameLocator('iframe').frameLocator('iframe').locator('button');
    await inner.click();
    equal(await inner.textContent(), 'clicked', 'inner frame');
    equal(page.frames().length, 3, 'frames');
  },
  async 'dedicated worker'({ page, site }) {
    const [worker] = await Promise.all([page.waitForEvent('worker'), page.goto(site + '/worker')]);
    equal(await worker.evaluate('self.answer'), 42, 'in the worker');
    const closed = worker.waitForEvent('close');
    await page.evaluate('worker.terminate()');
    await closed;
  },
  async 'request interception'({ context, page, site }) {
    await page.route('**/made-up', r => r.fulfill({ body: 'fulfilled' }));
    await context.route('**/forbidden', r => r.abort());
    await page.route('**/headers', r => r.continue({ headers: { ...r.request().headers(), 'x-added': 'yes' } }));
    await page.goto(site);
    equal(await page.evaluate(() => fetch('/made-up').then(r => r.text())), 'fulfilled', 'fulfilled');
    equal(await page.evaluate(() => fetch('/forbidden').catch(() => 'aborted')), 'aborted', 'aborted');
    equal(await page.evaluate(() => fetch('/headers').then(r => r.json()).then(h => h['x-added'])), 'yes', 'header');
    await context.unrouteAll();
  },
  async tracing({ context, page, site }, name) {
    const file = path.join(dir, name + '.zip');
    await context.tracing.start({ screenshots: true, snapshots: true });
    await page.goto(site);
    await page.click('p');
    await context.tracing.stop({ path: file });
    equal(fs.readFileSync(file).toString('latin1', 0, 2), 'PK', 'trace');
  },
  async 'PDF and screenshot'({ page, site }) {
    await page.goto(site);
    equal((await page.pdf()).toString('latin1', 0, 5), '%PDF-', 'PDF');
    equal((await page.screenshot()).toString('latin1', 1, 4), 'PNG', 'screenshot');
  },
  async 'file chooser'({ page, site }) {
    await page.goto(site + '/file');
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.click('input')]);
    await chooser.setFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('in it') });
    equal(await page.evaluate(() => document.querySelector('input').files[0].text()), 'in it', 'file');
  },
  async 'a folder'({ page, site }, name) {
    const folder = path.join(dir, name + '.folder');
    fs.mkdirSync(path.join(folder, 'below'), { recursive: true });
    fs.writeFileSync(path.join(folder, 'a.txt'), 'in it');
    fs.writeFileSync(path.join(folder, 'below', 'b.txt'), 'below it');
    await page.goto(site + '/folder');
    // A popup comes to the front, so the page that opens it is in the background then.
    const [popup] = await Promise.all([page.waitForEvent('popup'), page.evaluate(() => { open('/popup'); })]);
    await page.setInputFiles('input', folder);
    const files = await page.evaluate(() => Promise.all([...document.querySelector('input').files]
        .map(async f => [f.webkitRelativePath.split('/').slice(1).join('/'), await f.text()])));
    equal(files.sort(), [['a.txt', 'in it'], ['below/b.txt', 'below it']], 'files');
    await popup.close();
  },
  async exposeBinding({ page, site }) {
    await page.exposeBinding('where', ({ frame }) => new URL(frame.url()).pathname);
    await page.goto(site + '/popup');
    equal(await page.evaluate('where()'), '/popup', 'binding');
  },
  async dialogs({ page, site }) {
    page.once('dialog', d => d.accept('Ada'));
    await page.goto(site + '/ask');
    equal(await page.evaluate('said'), 'Ada', 'prompt');
  },
  async 'settings of a page'({ page, site }) {
    await page.setViewportSize({ width: 500, height: 400 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setExtraHTTPHeaders({ 'x-mine': 'me' });
    await page.addInitScript('window.before = 1');
    await page.goto(site + '/headers');
    equal(JSON.parse(await page.textContent('body'))['x-mine'], 'me', 'header');
    equal(await page.evaluate(() => [innerWidth, matchMedia('(prefers-color-scheme: dark)').matches, window.before]), [500, true, 1], 'page');
  },
  async downloads({ context, page, site }, name) {
    await page.goto(site + '/file');
    for (const how of [() => { location.href = '/download'; }, () => { open('/download'); }]) {
      // If a new tab only downloads a file, Playwright emits the download event either on the
      // page that opened the tab, or on the page of the tab.
      const inPopup = context.waitForEvent('page').then(p => p.waitForEvent('download'));
      inPopup.catch(() => {});
      const [download] = await Promise.all([Promise.race([page.waitForEvent('download'), inPopup]), page.evaluate(how)]);
      const file = path.join(dir, name + '.download');
      await download.saveAs(file);
      equal([download.suggestedFilename(), download.url(), fs.readFileSync(file, 'utf8')], ['f.txt', site + '/download', 'downloaded'], 'download');
    }
    const [download] = await Promise.all([page.waitForEvent('download'), page.evaluate(() => { location.href = '/endless'; })]);
    await download.cancel();
    equal(await download.failure(), 'canceled', 'failure');
  },
  async 'a CDP session'({ context, page }) {
    const session = await context.newCDPSession(page);
    equal((await session.send('Runtime.evaluate', { expression: '6*7' })).result.value, 42, 'evaluated');
    await session.detach();
  },
};

const own = {
  async 'service worker'({ context, page, site }) {
    const [worker] = await Promise.all([context.waitForEvent('serviceworker'), page.goto(site + '/sw')]);
    equal(await worker.evaluate('self.answer'), 43, 'in the worker');
    await page.waitForFunction('window.ready');
    await page.reload();
    equal(await page.evaluate(() => fetch('/made').then(r => r.text())), 'made', 'fetched');
  },
  async 'storage state'({ browser, context, page, site }) {
    await page.goto(site);
    // Chromium sets the cookie asynchronously. Reading it waits until it is set.
    await page.evaluate(() => { localStorage.a = 'b'; document.cookie = 'c=d'; return document.cookie; });
    const other = await browser.newContext({ storageState: await context.storageState() });
    const there = await other.newPage();
    await there.goto(site);
    equal(await there.evaluate(() => [localStorage.a, document.cookie]), ['b', 'c=d'], 'state');
    await other.close();
  },
  async 'contexts apart'({ browser, page, site }) {
    await page.goto(site);
    await page.evaluate(() => { document.cookie = 'mine=1'; });
    const other = await browser.newContext();
    const there = await other.newPage();
    await there.goto(site);
    equal(await there.evaluate(() => document.cookie), '', 'cookies');
    await other.close();
  },
  async HAR({ browser, site }) {
    const file = path.join(dir, 'own.har');
    const context = await browser.newContext({ recordHar: { path: file } });
    const page = await context.newPage();
    await page.goto(site);
    await context.close();
    const entries = JSON.parse(fs.readFileSync(file)).log.entries;
    equal(entries.some(e => e.request.url === site + '/' && e.response.content.text.includes('home')), true, 'entry');
    const replayed = await (await browser.newContext()).newPage();
    await replayed.routeFromHAR(file);
    await replayed.goto(site);
    equal(await replayed.title(), 'home', 'replayed');
    await replayed.context().close();
  },
  async permissions({ context, page, site }) {
    await context.grantPermissions(['geolocation']);
    await context.setGeolocation({ latitude: 10, longitude: 20 });
    await page.goto(site);
    equal(await page.evaluate(() => new Promise(f => navigator.geolocation.getCurrentPosition(p => f(p.coords.latitude)))), 10, 'latitude');
    await context.setOffline(true);
    equal(await page.evaluate(() => navigator.onLine), false, 'online');
  },
};

const shared = {
  async 'large files both ways'({ page, site }, name) {
    const large = path.join(dir, name + '.large');
    // In base64, the file is larger than 8 MiB, the size up to which the broker parses a message.
    // Playwright decodes the file in the page. On two busy cores this takes over 20 s, even in a
    // Chromium without abrowser. So this check has no timeout except that of the whole script.
    const bytes = require('crypto').randomBytes(7 << 20);
    page.setDefaultTimeout(0);
    fs.writeFileSync(large, bytes);
    await page.goto(site + '/file');
    await page.setInputFiles('input', large);
    const [download] = await Promise.all([page.waitForEvent('download'), page.evaluate(() => {
      const a = document.createElement('a');
      a.href = URL.createObjectURL(document.querySelector('input').files[0]);
      a.download = 'back';
      a.click();
    })]);
    equal(fs.readFileSync(await download.path()).equals(bytes), true, 'what came back is what went');
  },
  async 'no permissions for all'({ context }) {
    const refusal = await context.grantPermissions(['geolocation']).catch(e => e.message);
    equal(/Not allowed/.test(refusal), true, 'refusal');
  },
  async 'nothing of others'({ context }) {
    // The context has the session's own pages and the page of this check, and no page of another
    // session.
    equal(context.pages().length, Number(had) + 1, 'pages ' + context.pages().map(p => p.url()));
  },
};

async function check(name, does, browser, context, site) {
  let error;
  const began = Date.now();
  const page = await context.newPage();
  page.setDefaultTimeout(20000);
  try {
    await does({ browser, context, page, site }, name.replace(/\W+/g, '-'));
  } catch (e) {
    error = String(e.stack || e);
  }
  await page.close().catch(e => error = error || String(e));
  console.log(JSON.stringify({ name, error, ms: Date.now() - began }));
}

(async () => {
  const server = await serve();
  const site = `http://localhost:${server.address().port}`;
  // The endpoint is a Unix socket, so connecting must not wait for the name of a host.
  const lookup = dns.promises.lookup;
  dns.promises.lookup = () => new Promise(() => {});
  const browser = await chromium.connectOverCDP(endpoint);
  dns.promises.lookup = lookup;
  const [common] = browser.contexts();
  for (const [name, does] of Object.entries({ ...everywhere, ...shared }))
    await check('shared context: ' + name, does, browser, common, site);
  for (const [name, does] of Object.entries({ ...everywhere, ...own })) {
    const context = await browser.newContext();
    await check('own context: ' + name, does, browser, context, site);
    await context.close();
  }
  await browser.close();
  server.closeAllConnections();
  server.close();
})().catch(e => {
  console.log(JSON.stringify({ name: 'the script', error: String(e.stack || e) }));
  process.exit(1); // the server would keep it running
});
