// This program connects to a session's endpoint. It makes every setting that a Playwright program
// can make on the session's page and context:
//
//	node settings.js <driver's package directory> <endpoint> <observe.js>
//
// Then it prints the settings that the page observes, as one line of JSON. It ends when its
// standard input is closed, unless it is killed before.
const fs = require('fs');
const [, , driver, endpoint, observe] = process.argv;
const { chromium, devices } = require(driver);

(async () => {
  const browser = await chromium.connectOverCDP(endpoint);
  const [context] = browser.contexts();
  const [page] = context.pages();
  await context.addInitScript('window.setByInitScript = 1');
  await context.exposeBinding('setByBinding', () => 1);
  await context.route('**/isolation/routed', r => r.fulfill({ body: 'by the program' }));
  await context.setExtraHTTPHeaders({ 'x-set': 'by the program' });
  await context.setGeolocation({ latitude: 1, longitude: 2 });
  context.on('dialog', d => d.accept());
  await page.setViewportSize({ width: 400, height: 300 });
  await page.emulateMedia({ media: 'print', colorScheme: 'dark', reducedMotion: 'reduce', forcedColors: 'active' });
  const refused = await context.grantPermissions(['geolocation', 'notifications']).then(() => 'granted', () => 'refused');
  const cdp = await context.newCDPSession(page);
  const phone = devices['iPhone 15'];
  for (const [method, params] of Object.entries({
    'Emulation.setTimezoneOverride': { timezoneId: 'Asia/Tokyo' },
    'Emulation.setLocaleOverride': { locale: 'de-DE' },
    'Emulation.setUserAgentOverride': { userAgent: phone.userAgent, acceptLanguage: 'de-DE', platform: 'iPhone' },
    'Emulation.setTouchEmulationEnabled': { enabled: true, maxTouchPoints: 5 },
    'Emulation.setHardwareConcurrencyOverride': { hardwareConcurrency: 33 },
    'Emulation.setDeviceMetricsOverride': { width: 393, height: 659, deviceScaleFactor: 3, mobile: false },
    'Emulation.setCPUThrottlingRate': { rate: 4 },
    'Network.setCacheDisabled': { cacheDisabled: true },
    'Page.setBypassCSP': { enabled: true },
  }))
    await cdp.send(method, params);
  await page.reload();
  const seen = await page.evaluate(fs.readFileSync(observe, 'utf8'));
  // This setting is the last one, because the page cannot send requests to the server after it.
  await context.setOffline(true);
  seen.online = await page.evaluate('navigator.onLine');
  console.log(JSON.stringify({ seen, refused }));
  process.stdin.resume();
  process.stdin.on('end', () => browser.close().then(() => process.exit(0)));
})().catch(e => {
  console.error(e);
  process.exit(1);
});
