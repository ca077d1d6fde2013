// Works on a form with puppeteer-core or playwright-core, in rounds of six steps, and prints how many
// milliseconds each round took.
// node steps.mjs LIBRARY MODULES ENDPOINT FORM BUTTON ROUNDS
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [library, modules, endpoint, form, button, rounds] = process.argv.slice(2);
const playwright = library === 'playwright-core';
let browser, page, snapshot;
if (playwright) {
  browser = await createRequire(join(modules, 'x'))('playwright-core').chromium.connectOverCDP(endpoint);
  page = await browser.contexts()[0].newPage();
  snapshot = () => page.locator('body').ariaSnapshot();
} else {
  const { default: puppeteer } = await import(join(modules, 'puppeteer-core/lib/puppeteer/puppeteer-core.js'));
  browser = await puppeteer.connect({ browserWSEndpoint: endpoint });
  page = await browser.newPage();
  snapshot = async () => JSON.stringify(await page.accessibility.snapshot());
}
const times = [];
for (let i = 0; i < +rounds; i++) {
  const began = performance.now(), text = `${library}-${i}`;
  await page.goto(form);
  await snapshot();
  await (playwright ? page.fill('#name', text) : page.locator('#name').fill(text));
  await page.click('#' + button);
  const seen = await snapshot();
  if (!seen.includes(text)) throw new Error(`round ${i} shows ${seen}`);
  await page.screenshot();
  times.push(performance.now() - began);
}
const pages = playwright ? browser.contexts()[0].pages() : await browser.pages();
const foreign = pages.map(p => p.url()).filter(url => url !== form && url !== 'about:blank');
if (foreign.length > 0) throw new Error(`it found the pages ${foreign}`);
console.log(JSON.stringify(times));
await (playwright ? browser.close() : browser.disconnect());
