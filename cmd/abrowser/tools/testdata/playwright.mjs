// Does with playwright-core what package tools expects of each tool, and prints what it found.
// node playwright.mjs MODULES ENDPOINT SITE DIRECTORY
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [modules, endpoint, site, directory] = process.argv.slice(2);
const { chromium } = createRequire(join(modules, 'x'))('playwright-core');
const browser = await chromium.connectOverCDP(endpoint);
const context = browser.contexts()[0];
const found = { before: context.pages().map(page => page.url()) };

const page = await context.newPage();
await page.goto(site + '/form');
found.snapshot = await page.locator('body').ariaSnapshot();
await page.fill('#name', 'Ada');
await page.check('#agree');
await page.click('#send');
found.sent = await page.textContent('#sent');
found.screenshot = (await page.screenshot()).length;

await page.goto(site + '/popups');
const [popup] = await Promise.all([page.waitForEvent('popup'), page.click('#open')]);
found.popup = await popup.textContent('#name');

await page.goto(site + '/downloads');
const [download] = await Promise.all([page.waitForEvent('download'), page.click('#a')]);
await download.saveAs(join(directory, 'report.txt'));
found.download = readFileSync(join(directory, 'report.txt'), 'utf8');

await page.goto(site + '/me');
found.user = await page.textContent('#who');
found.after = context.pages().map(page => page.url());
console.log(JSON.stringify(found));
await browser.close();
