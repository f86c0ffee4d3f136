import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { create, type RunningService, scratchDirectory, startService, TOKEN } from '../running-service.ts';
import { editor, openPage } from './open-page.ts';

let service: RunningService;

beforeAll(async () => {
  service = await startService({ DATABASE_URL: 'memory:' });
});

afterAll(async () => {
  service.process.kill('SIGTERM');
  await service.ended;
});

/** Ids of three languages in a row, and bodies with them: what is typed by many, and what loses something on the way. */
const bodies: readonly (readonly [first: bigint, bodyWith: (id: bigint) => string])[] = [
  [7n, (id) => `{\n  "id": ${id},\n  "name": "Fern",\n  "tag": "shade"\n}`],
  [9_223_372_036_854_775_801n, (id) => `{"id": ${id}, "name": "Fern"}`],
  [9_007_199_254_740_993n, (id) => `{"id": ${id}.0, "name": "Fern"}`],
  [17n, (id) => `{"id": ${id}, "name": "'$HOME' \\"\`\${x}\\u00e9\\ud83c\\udf3f🌿%s\\\\n", "x": [null, true, 1e3]}`],
];

test.each([
  ['curl', 'bash', 0n],
  ['TypeScript', process.execPath, 2n],
  ['Python', 'python3', 4n],
])('the request as code for %s does what it says, to the last digit', async (language, program, offset) => {
  const { page } = await openPage(`${service.url}/docs`);
  await page.getByLabel('Access token').fill(TOKEN);
  expect(await page.getByText('Copy', { exact: true }).isVisible()).toBe(true);
  for (const [first, bodyWith] of bodies) {
    const id = first + offset;
    const code = await codeFor(page, language, bodyWith(id));
    expect(code).not.toContain(TOKEN);
    expect(await run(program, code)).toMatch(/\b200\b/);
    // That very plant is under this very id, and nothing under its neighbour.
    expect((await create(service.url, bodyWith(id))).status).toBe(200);
    expect((await create(service.url, `{"id":${id},"name":"another"}`)).status).toBe(400);
    expect((await create(service.url, `{"id":${id + 1n},"name":"another"}`)).status).toBe(200);
  }
  expect(await run(program, await codeFor(page, language, 'not JSON'))).toMatch(/\b400\b.*"error":40001/s);
});

test('JavaScript is warned of an id that its numbers cannot hold, and of no other', async () => {
  const { page } = await openPage(`${service.url}/docs`);
  const code = await codeFor(page, 'TypeScript', '{"id": 9007199254740993, "name": "Fern"}');
  expect(code).toContain('9007199254740993 would become 9007199254740992');
  for (const id of ['7', '9007199254740991', '9007199254740992', '-9007199254740991']) {
    const exact = await codeFor(page, 'TypeScript', `{"id": ${id}, "name": "Fern"}`);
    expect(exact).toContain(`JSON.stringify({"id": ${id}`);
    expect(exact).not.toContain('would become');
  }
});

/** The code that the page shows for a body. */
async function codeFor(page: Page, language: string, body: string): Promise<string> {
  await editor(page).fill(body);
  await page.getByLabel(language, { exact: true }).check();
  return (await page.locator('.code code').textContent()) ?? '';
}

/** Runs code with the token in the environment. */
async function run(program: string, code: string): Promise<string> {
  const path = join(await scratchDirectory(onTestFinished), 'request.mts');
  await writeFile(path, code);
  const { stdout } = await promisify(execFile)(program, [path], { env: { ...process.env, API_TOKEN: TOKEN } });
  return stdout;
}
