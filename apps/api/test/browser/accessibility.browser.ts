import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningService, scratchDirectory, startService, TOKEN } from '../running-service.ts';
import { accessibilityFaults } from './accessibility-faults.ts';
import { editor, expectAllWell, openPage, responseOn } from './open-page.ts';

const cleanUps: (() => void | Promise<void>)[] = [];
let service: RunningService;

beforeAll(async () => {
  const directory = await scratchDirectory((cleanUp) => cleanUps.push(cleanUp));
  service = await startService({ DATABASE_URL: `sqlite:${join(directory, 'plants.db')}` });
});

afterAll(async () => {
  service.process.kill('SIGTERM');
  await service.ended;
  for (const cleanUp of cleanUps) await cleanUp();
});

describe.each(['light', 'dark'] as const)('in the %s', (colorScheme) => {
  test('everything can be read and has a name: the operation to try, its code, a response', async () => {
    const watched = await openPage(`${service.url}/docs`, { viewport: { width: 1280, height: 900 }, colorScheme });
    const { page } = watched;
    const atRest = await accessibilityFaults(page);
    expect(atRest.faults).toEqual([]);
    expect(atRest.textsSeen).toBeGreaterThan(80);
    // With the comment that warns of such an id.
    await editor(page).fill('{"id": 9223372036854775807, "name": "Fern"}');
    for (const language of ['TypeScript', 'Python']) {
      await page.getByLabel(language).check();
      expect((await accessibilityFaults(page, '.code')).faults).toEqual([]);
    }

    await page.getByLabel('Access token').fill(TOKEN);
    await page.getByRole('button', { name: 'Execute' }).click();
    await responseOn(page);
    expect((await accessibilityFaults(page, '.operation')).faults).toEqual([]);
    expectAllWell(watched, service.url);
  });
});

test('what cannot be read and what has no name is found', async () => {
  const { page } = await openPage(`${service.url}/docs`);
  await page.evaluate(`
    document.querySelector('h2 small').style.color = '#999';
    document.querySelector('.body').removeAttribute('id');
    document.querySelector('.operation p').style.backgroundImage = 'linear-gradient(#fff, #000)';
  `);
  const { faults } = await accessibilityFaults(page, '.operation');
  expect(faults.map((fault) => fault.replace(/ .*/, '')).sort()).toEqual(['color-contrast', 'color-contrast', 'label']);
});
