import { join } from 'node:path';
import axe, { type AxeResults } from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { create, type RunningService, startService, TOKEN } from '../running-service.ts';

/** What axe finds in the markup of swagger-ui, which has no option for it. An entry that is no longer found fails, too. */
const known = {
  'button-name': 'The button that closes the dialog has no name.',
  'color-contrast': 'Some texts are too pale, for example the version.',
  label: 'The text box of the body has no label.',
  'label-content-name-mismatch': 'The button "Authorize" of the dialog is named "Apply credentials".',
  'nested-interactive': 'The button that opens the operation contains a link.',
  'scrollable-region-focusable': 'On a phone, the keyboard cannot scroll the curl command.',
  'select-name': 'The lists of servers and examples have no label.',
};
const found = new Set<string>();

let browser: Browser;
let service: RunningService;

beforeAll(async () => {
  browser = await chromium.launch({ executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium' });
  service = await startService({ DATABASE_URL: 'memory:' });
});

afterAll(async () => {
  await browser?.close();
  service?.process.kill('SIGTERM');
  await service?.ended;
});

const desktop = { viewport: { width: 1280, height: 900 } };
const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

test.each([
  { name: 'desktop-light', ...desktop, colorScheme: 'light', id: 9_007_199_254_740_993n },
  { name: 'desktop-dark', ...desktop, colorScheme: 'dark', id: 9_007_199_254_740_997n },
  { name: 'phone-light', ...phone, colorScheme: 'light', id: 9_007_199_254_741_001n },
  { name: 'phone-dark', ...phone, colorScheme: 'dark', id: 9_007_199_254_741_005n },
] as const)(
  '$name: a plant is created exactly, and nothing is blocked, lost or too wide',
  async ({ name, id, ...options }) => {
    const { page, complaints } = await openPage(options);
    await inspect(page, `${name}-1-loaded`, options.viewport.width);
    const isDark = await page.evaluate("document.documentElement.classList.contains('dark-mode')");
    expect(isDark).toBe(options.colorScheme === 'dark');
    await authorize(page, () => inspect(page, `${name}-2-authorize`, options.viewport.width));

    const body = `{"id": ${id}, "name": "Fern", "tag": "shade"}`;
    const { sent, curl, status, record } = await execute(page, body);
    await inspect(page, `${name}-3-executed`, options.viewport.width);
    expect([status, record]).toEqual(['200', { name: 'Fern', tag: 'shade' }]);
    expect([sent, curl]).toEqual([body, expect.stringContaining(`-d '${body}'`)]);
    // That id is taken, and its neighbour, to which a double rounds the id, is free.
    expect((await create(service.url, `{"id": ${id}, "name": "Rose"}`)).status).toBe(400);
    expect((await create(service.url, `{"id": ${id - 1n}, "name": "Rose"}`)).status).toBe(200);
    expect(complaints).toEqual([]);
  },
);

test('axe has found nothing serious but what is known', () => {
  expect([...found].toSorted()).toEqual(Object.keys(known).toSorted());
});

/** Opens the page and collects what goes wrong there. */
async function openPage(options: object): Promise<{ readonly page: Page; readonly complaints: string[] }> {
  const context = await browser.newContext(options);
  onTestFinished(() => context.close());
  // A step that cannot be done fails with its own name, before the test does.
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (message) => complaints.push(`${message.text()} ${message.location().url}`));
  page.on('request', (each) => {
    if (!each.url().startsWith('data:') && new URL(each.url()).origin !== service.url) complaints.push(each.url());
  });
  page.on('requestfailed', (each) => complaints.push(`${each.url()} ${each.failure()?.errorText}`));
  await page.addInitScript(
    `addEventListener('securitypolicyviolation', (event) => console.error('blocked', event.violatedDirective, event.blockedURI))`,
  );
  await page.goto(`${service.url}/docs`);
  await page.getByText('Create plant').waitFor();
  return { page, complaints };
}

async function authorize(page: Page, look: () => Promise<void>): Promise<void> {
  await page.getByRole('button', { name: 'Authorize' }).click();
  const dialog = page.locator('.modal-ux');
  await dialog.getByRole('textbox').fill(TOKEN);
  await look();
  await dialog.getByRole('button', { name: 'Apply credentials' }).click();
  await dialog.getByRole('button', { name: 'Close' }).click();
}

async function execute(page: Page, body: string) {
  await page.getByText('Create plant').click();
  await page.getByRole('button', { name: 'Try it out' }).click();
  await page.locator('.body-param textarea').fill(body);
  const [created] = await Promise.all([page.waitForRequest('**/plants'), page.getByText('Execute').click()]);
  const live = page.locator('.live-responses-table .response');
  const status = await live.locator('.response-col_status').textContent();
  const record: unknown = JSON.parse((await live.locator('pre').first().textContent()) ?? '');
  const curl = await page.locator('.curl-command pre').textContent();
  return { sent: created.postData(), curl, status, record };
}

/** Keeps a screenshot for people, has axe look at the page, and checks that nothing is wider than the screen. */
async function inspect(page: Page, name: string, width: number): Promise<void> {
  await page.screenshot({ path: join(import.meta.dirname, `../../../../reports/browser/${name}.png`), fullPage: true });
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
  for (const { id, impact } of violations) if (impact === 'serious' || impact === 'critical') found.add(id);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
}
