import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { httpContestant } from '../src/contestants/http-contestant.ts';
import { startGenerator } from '../src/load/generator.ts';
import type { Table } from '../src/stores/table.ts';
import { anOrder } from './an-order.ts';

/** A table that grows by `rowsMore()` rows each time it is counted. */
function aTable(rowsMore: () => number): Table {
  let rows = 0;
  return {
    url: 'memory:',
    count: async () => (rows += rowsMore()),
    settle: async () => {},
    drop: async () => {},
  };
}

async function measureEcho(table: Table) {
  const generator = startGenerator();
  onTestFinished(() => generator.stop());
  const echo = httpContestant({
    name: 'echo',
    description: 'responds with 200 and stores nothing',
    engine: 'sqlite',
    program: join(import.meta.dirname, '../src/contestants/programs/node-http-echo.ts'),
  });
  const running = await echo.start({ table, generator });
  onTestFinished(() => running.stop());
  return running.measure(anOrder);
}

test('figures include the usage of the process if the table has the created plants', async () => {
  const figures = await measureEcho(aTable(() => 100));
  expect(figures).toMatchObject({ outcomes: { '200': 100 }, rowsAdded: 100 });
  expect(figures?.cpuPer1000).toBeGreaterThan(0);
  expect(figures?.rss).toBeGreaterThan(10e6);
});

test.each([0, 99, 101])('figures are invalid if 100 plants were created and the table has %d', async (rows) => {
  await expect(measureEcho(aTable(() => rows))).rejects.toThrow('its figures are invalid');
});
