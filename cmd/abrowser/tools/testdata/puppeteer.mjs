// Does with puppeteer-core what package tools expects of each tool, and prints what it found.
// node puppeteer.mjs MODULES ENDPOINT SITE DIRECTORY
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [modules, endpoint, site, directory] = process.argv.slice(2);
const { default: puppeteer } = await import(join(modules, 'puppeteer-core/lib/puppeteer/puppeteer-core.js'));
const browser = await puppeteer.connect({ browserWSEndpoint: endpoint });
const found = { before: (await browser.pages()).map(page => page.url()) };

const page = await browser.newPage();
await page.goto(site + '/form');
found.snapshot = JSON.stringify(await page.accessibility.snapshot());
await page.locator('#name').fill('Ada');
await page.click('#agree');
await Promise.all([page.waitForNavigation(), page.click('#send')]);
found.sent = await page.$eval('#sent', e => e.textContent);
found.screenshot = (await page.screenshot()).length;

await page.goto(site + '/popups');
const opened = new Promise(resolve => page.once('popup', resolve));
await page.click('#open');
found.popup = await (await opened).waitForSelector('#name').then(e => e.evaluate(e => e.textContent));

const session = await browser.target().createCDPSession(); // the target of the browser itself
await session.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: directory, eventsEnabled: true });
const done = new Promise(resolve => session.on('Browser.downloadProgress', e => e.state === 'completed' && resolve()));
await page.goto(site + '/downloads');
await page.click('#a');
await done;
found.download = readFileSync(join(directory, readdirSync(directory)[0]), 'utf8');

await page.goto(site + '/me');
found.user = await page.$eval('#who', e => e.textContent);
found.after = (await browser.pages()).map(page => page.url());
console.log(JSON.stringify(found));
await browser.disconnect();
