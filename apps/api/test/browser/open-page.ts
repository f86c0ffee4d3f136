import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, expect, onTestFinished } from 'vitest';
import { findChromium } from './find-chromium.ts';

let browser: Promise<Browser> | undefined;
afterAll(async () => (await browser)?.close());

/** What a page did: requests, bodies, errors and warnings. */
export interface Watched {
  readonly page: Page;
  /** Every URL that the page requested. */
  readonly requests: readonly string[];
  /** The texts of the requests' bodies that it sent, as they went out. */
  readonly sent: readonly string[];
  /** Errors and warnings of the console, exceptions, and what the Content-Security-Policy blocked. */
  readonly complaints: readonly string[];
}

/**
 * Opens the page in a browser profile of its own, which is gone at the end of the test.
 * @param before a script that runs before those of the page.
 */
export async function openPage(url: string, options: BrowserContextOptions = {}, before = ''): Promise<Watched> {
  browser ??= chromium.launch({
    executablePath: findChromium(process.env),
    // Nothing but this machine has an address.
    args: ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
  });
  const context = await (await browser).newContext(options);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const requests: string[] = [];
  const sent: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    requests.push(request.url());
    const body = request.postData();
    if (body !== null) sent.push(body);
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  await page.addInitScript(
    `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => console.error('CSP', violatedDirective, blockedURI))`,
  );
  await page.addInitScript(before);
  await page.goto(url);
  await editor(page).waitFor();
  return { page, requests, sent, complaints };
}

/** The field with the NewPlant to send. */
export function editor(page: Page) {
  return page.locator('textarea.body');
}

/** The response to the last request. */
export async function responseOn(page: Page): Promise<{ readonly status: string | null; readonly body: unknown }> {
  const response = page.locator('.response');
  const status = await response.locator('.status').textContent();
  return { status, body: JSON.parse((await response.locator('code').textContent()) ?? '') };
}

/** The page sent requests only to its own service, and nothing went wrong. */
export function expectAllWell({ requests, complaints }: Watched, url: string): void {
  const { origin } = new URL(url);
  const elsewhere = requests.filter((request) => !request.startsWith(`${origin}/`) && !request.startsWith('data:'));
  expect({ elsewhere, complaints }).toEqual({ elsewhere: [], complaints: [] });
}
