import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { errorCatalogue } from '@plant-store/adapters-http';
import { listening } from '@plant-store/testing-servers';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { create, type RunningService, scratchDirectory, startService, TOKEN } from '../running-service.ts';
import { editor, expectAllWell, openPage, responseOn, type Watched } from './open-page.ts';

const cleanUps: (() => void | Promise<void>)[] = [];
let service: RunningService;

beforeAll(async () => {
  const directory = await scratchDirectory((cleanUp) => cleanUps.push(cleanUp));
  // The page and its files match, whichever worker responds.
  service = await startService({ DATABASE_URL: `sqlite:${join(directory, 'plants.db')}`, WORKERS: '2' });
});

afterAll(async () => {
  service.process.kill('SIGTERM');
  await service.ended;
  for (const cleanUp of cleanUps) await cleanUp();
});

const desktop = { viewport: { width: 1280, height: 900 }, colorScheme: 'light' } as const;
const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'dark', isMobile: true, hasTouch: true } as const;

test('a plant with the largest id is created by keyboard alone, exact to the last digit', async () => {
  const watched = await openPage(`${service.url}/docs`, desktop);
  const { page, sent } = watched;
  await screenshot(page, 'desktop-light');

  await tabTo(page, 'INPUT');
  await page.keyboard.type(TOKEN);
  await screenshot(page, 'desktop-light-token', false);
  await tabTo(page, 'TEXTAREA');
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('{"id": 9223372036854775807, "name": "Fern", "tag": "shade"}');
  await tabTo(page, 'Execute');
  await page.keyboard.press('Enter');

  expect(await responseOn(page)).toEqual({ status: '200', body: { name: 'Fern', tag: 'shade' } });
  expect(sent).toEqual(['{"id": 9223372036854775807, "name": "Fern", "tag": "shade"}']);
  await screenshot(page, 'desktop-light-created');
  // Stored under that very id, and not under its neighbour, which is free.
  expect((await create(service.url, '{"id":9223372036854775807,"name":"Rose"}')).status).toBe(400);
  expect((await create(service.url, '{"id":9223372036854775806,"name":"Rose"}')).status).toBe(200);
  expectAllWell(watched, service.url);
});

test('on a phone in the dark a plant is created by touch, and nothing is wider than the screen', async () => {
  const watched = await openPage(`${service.url}/docs`, phone);
  const { page } = watched;
  const background = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
  expect(await background()).toBe('rgb(28, 32, 34)');
  expect(await widthOf(page)).toBe(390);
  // Folded, so that the page is short; opened, all can be read.
  const errors = page.locator('.errors');
  expect(await errors.locator('table').first().isVisible()).toBe(false);
  await errors.locator('summary').first().tap();
  // What an error means stands beside its number, as wide as the screen allows, and not in a third of it.
  const widths = await errors
    .first()
    .locator('td')
    .evaluateAll((cells: readonly { readonly offsetWidth: number }[]) => cells.map(({ offsetWidth }) => offsetWidth));
  expect(Math.min(...widths)).toBeGreaterThan(200);
  await screenshot(page, 'phone-dark');

  await page.getByLabel('Access token').fill(TOKEN);
  await screenshot(page, 'phone-dark-token', false);
  await editor(page).fill('{"id": 2, "name": "Fern"}');
  await execute(page).tap();

  expect(await responseOn(page)).toEqual({ status: '200', body: { name: 'Fern' } });
  expect(await widthOf(page)).toBe(390);
  await screenshot(page, 'phone-dark-created');

  await page.emulateMedia({ colorScheme: 'light' });
  await expect.poll(background).not.toBe('rgb(28, 32, 34)');
  await screenshot(page, 'phone-light-created');
  expectAllWell(watched, service.url);
});

test('a wrong token shows the 401; it is hidden while it is typed, and forgotten with the page', async () => {
  const watched = await openPage(`${service.url}/docs`, desktop);
  const { page, complaints } = watched;
  const token = page.getByLabel('Access token');
  expect([await token.getAttribute('type'), await token.getAttribute('autocomplete')]).toEqual(['password', 'off']);
  await token.fill('a-token-of-somebody-else');
  await execute(page).click();
  expect(await responseOn(page)).toEqual({
    status: '401',
    body: { error: 40102, message: 'the access token is not accepted' },
  });
  await screenshot(page, 'desktop-light-rejected');

  expect(await kept(page)).toEqual([{}, {}, '', `${service.url}/docs`]);
  await page.reload();
  await execute(page).click();
  expect(await responseOn(page)).toMatchObject({ status: '401', body: { error: 40101 } });
  // The browser itself writes a line for each of the two.
  expect(complaints).toHaveLength(2);
  expectAllWell({ ...watched, complaints: complaints.filter((text) => !text.includes('401')) }, service.url);
});

test('the field says where a token comes from, and keeps it for this tab if asked to, no longer than that', async () => {
  const watched = await openPage(`${service.url}/docs`, desktop);
  const { page } = watched;
  const [token, keep] = [page.getByLabel('Access token'), page.getByLabel('Keep it for this tab')];
  expect(await page.locator('#token-hint').textContent()).toMatch(/operator of this service/);
  // As it is copied from a curl command.
  await token.fill(`Authorization: Bearer ${TOKEN}`);
  await keep.check();
  expect(await kept(page)).toEqual([{}, { 'access token for /docs': TOKEN }, '', `${service.url}/docs`]);

  await page.reload();
  expect([await token.inputValue(), await keep.isChecked()]).toEqual([TOKEN, true]);
  await editor(page).fill('{"id": 4, "name": "Fern"}');
  await execute(page).click();
  expect(await responseOn(page)).toEqual({ status: '200', body: { name: 'Fern' } });

  await keep.uncheck();
  expect(await kept(page)).toEqual([{}, {}, '', `${service.url}/docs`]);
  await page.reload();
  expect([await token.inputValue(), await keep.isChecked()]).toEqual(['', false]);
  expectAllWell(watched, service.url);
});

test('in a browser that keeps nothing, the page works and offers neither to keep the token nor to copy', async () => {
  // Over plain HTTP a page of another machine has no clipboard.
  const blocked = `Object.defineProperty(navigator, 'clipboard', { value: undefined });
    Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException('', 'SecurityError'); } })`;
  const watched = await openPage(`${service.url}/docs`, desktop, blocked);
  const { page } = watched;
  expect(await page.getByLabel('Keep it for this tab').isVisible()).toBe(false);
  expect(await page.getByText('Copy', { exact: true }).isVisible()).toBe(false);
  await page.getByLabel('Access token').fill(TOKEN);
  await editor(page).fill('{"id": 5, "name": "Fern"}');
  await execute(page).click();
  expect(await responseOn(page)).toEqual({ status: '200', body: { name: 'Fern' } });
  expectAllWell(watched, service.url);
});

test('the root leads to the page, where the operation can be tried without scrolling', async () => {
  const { page } = await openPage(service.url, desktop);
  expect(page.url()).toBe(`${service.url}/docs`);
  const bottoms = await Promise.all(
    [page.getByLabel('Access token'), editor(page), execute(page)].map(async (element) => {
      const { y, height } = (await element.boundingBox()) ?? { y: Number.NaN, height: 0 };
      return y + height;
    }),
  );
  expect(Math.max(...bottoms)).toBeLessThan(desktop.viewport.height);
});

test('every error is a row with its number, its meaning and a message', async () => {
  const { page } = await openPage(`${service.url}/docs`, desktop);
  const rows = await page
    .locator('.errors tr:has(td)')
    .evaluateAll((all: readonly { readonly cells: Iterable<{ readonly textContent: string }> }[]) =>
      all.map(({ cells }) => Array.from(cells, ({ textContent }) => textContent)),
    );
  const numbers = Object.values(errorCatalogue).map(({ error, meaning }) => [String(error), meaning]);
  expect(rows.map(([number, meaning]) => [number, meaning])).toEqual(numbers);
  expect(rows).toContainEqual(['40401', 'Path not found.', 'path not found']);
});

test('without user input, the service chooses the request ID', async () => {
  const { page } = await openPage(`${service.url}/docs`, desktop);
  const [request] = await Promise.all([page.waitForRequest('**/plants'), execute(page).click()]);
  expect(await request.allHeaders()).not.toHaveProperty('x-request-id');
});

test('it works below a path of a proxy', async () => {
  const base = `${await proxyAt('/green', service.url)}/green`;
  const watched: Watched = await openPage(`${base}/docs`, desktop);
  const { page, requests } = watched;
  await page.getByLabel('Access token').fill(TOKEN);
  await editor(page).fill('{"id": 3, "name": "Fern"}');
  await execute(page).click();
  expect(await responseOn(page)).toEqual({ status: '200', body: { name: 'Fern' } });
  expect(requests.at(-1)).toBe(`${base}/plants`);
  expectAllWell(watched, base);
});

/** The button that sends the request. */
function execute(page: Page) {
  return page.getByRole('button', { name: 'Execute' });
}

/** Presses Tab until the focus is on the button with this name, or on an element of this kind. */
async function tabTo(page: Page, target: string): Promise<void> {
  const seen: string[] = [];
  for (let presses = 0; presses < 30; presses += 1) {
    await page.keyboard.press('Tab');
    const [kind = '', text = ''] = (await page.evaluate(
      '[document.activeElement.tagName, document.activeElement.innerText]',
    )) as string[];
    if (kind === target || text === target) return;
    seen.push(`${kind} ${text.slice(0, 20)}`);
  }
  throw new Error(`Tab does not lead to ${target}, but to ${seen.join(', ')}`);
}

/** All that a page can leave in the browser. */
async function kept(page: Page): Promise<unknown> {
  const all = 'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])';
  return JSON.parse((await page.evaluate(all)) as string);
}

function widthOf(page: Page): Promise<unknown> {
  return page.evaluate('Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)');
}

/** For a person to look at, beside the other reports. */
async function screenshot(page: Page, name: string, fullPage = true): Promise<void> {
  const directory = join(import.meta.dirname, '../../../../reports/browser');
  await page.screenshot({ path: join(directory, `docs-${name}.png`), fullPage });
}

/** A proxy that serves a service below a path, and nothing beside it. */
async function proxyAt(path: string, url: string): Promise<string> {
  const proxy = createServer((incoming, outgoing) => {
    const { method, headers, url: target = '' } = incoming;
    if (!target.startsWith(`${path}/`)) return void outgoing.writeHead(502).end();
    const onwards = request(`${url}${target.slice(path.length)}`, { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    incoming.pipe(onwards);
  });
  return `http://127.0.0.1:${await listening(proxy, onTestFinished)}`;
}
