// Measures Playwright in one Node process that connects to a browser over CDP.
// Usage: node inprocess.js PLAYWRIGHT ENDPOINT URL ROUNDS
const [, , library, endpoint, site, rounds] = process.argv;
const { chromium } = require(library);

(async () => {
  const times = {};
  const measure = async (name, do_) => {
    const began = process.hrtime.bigint();
    const got = await do_();
    (times[name] ||= []).push(Number(process.hrtime.bigint() - began) / 1e6);
    return got;
  };
  let browser, page;
  const began = process.hrtime.bigint();
  browser = await measure('connect', () => chromium.connectOverCDP(endpoint, { noDefaults: true }));
  const context = browser.contexts()[0];
  page = await measure('new page', () => context.newPage());
  await page.goto(site + '/form');
  times['connect, new page, navigate'] = [Number(process.hrtime.bigint() - began) / 1e6];
  await page.bringToFront();
  for (let i = 0; i < +rounds; i++) {
    await measure('title', () => page.title());
    if (await measure('eval', () => page.evaluate('21*2')) !== 42) throw new Error('eval');
    await measure('fill', () => page.fill('#name', 'Ada'));
    await measure('click', () => page.click('#go'));
    await measure('screenshot', () => page.screenshot());
  }
  if (await page.textContent('#count') !== rounds) throw new Error('clicks');
  for (let i = 0; i < 3; i++) {
    await page.goto(site + '/noise');
    const picture = await measure('screenshot of 30 MB', () => page.screenshot({ fullPage: true }));
    if (picture.length < 20e6) throw new Error('the picture has ' + picture.length + ' bytes');
  }
  await page.close();
  await browser.close();
  console.log(JSON.stringify(times));
})().catch(error => { console.error(error); process.exit(1); });
