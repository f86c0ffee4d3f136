import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { createPlant, PlantRefused, type PlantRepository } from '@plant-store/domain';
import { expect, test } from 'vitest';
import { importPlants, type PlantImport, type Progress } from '../../src/bulk/import-plants.ts';
import type { Line, Reject } from '../../src/bulk/line.ts';

/** Lines with plants of these ids, or reasons to reject them. */
function* lines(records: Iterable<bigint | string>, name?: string): Generator<Line> {
  let line = 0;
  for (const record of records) {
    line += 1;
    if (typeof record === 'string') yield { line, reason: record };
    else yield { line, plant: { id: record, name: name ?? `line ${line}` } };
  }
}

async function imported(read: Iterable<Line>, add: PlantRepository['add'], given: Partial<PlantImport> = {}) {
  const progress: Progress = { stored: 0, existing: 0, rejected: 0, stopped: undefined };
  const options = {
    createPlant: createPlant({ add }),
    keepGoing: false,
    signal: new AbortController().signal,
    progress,
    ...given,
  };
  const rejects: Reject[] = await Readable.from(importPlants(Readable.from(read), options)).toArray();
  return { rejects: rejects.map(({ line, reason }) => `${line}: ${reason}`), ...progress };
}

/** The earlier it is asked, the later it adds. */
function slowStore() {
  const stored = new Map<bigint, { readonly id: bigint; readonly name: string }>([[9n, { id: 9n, name: 'line 7' }]]);
  let pause = 10;
  const add: PlantRepository['add'] = async (plant) => {
    for (let left = pause--; left > 0; left -= 1) await setImmediate();
    const other = stored.get(plant.id);
    if (other) return { outcome: 'exists', plant: other };
    stored.set(plant.id, plant);
    return { outcome: 'added' };
  };
  return { stored, add };
}

test('of lines with the same id the first is stored, however slow it is, and one that is stored already counts', async () => {
  const { stored, add } = slowStore();
  const taken = (line: number, id: number) => `${line}: id: ${id} is taken by another plant, which is unchanged`;
  expect(await imported(lines([1n, 2n, 1n, 'x', 3n, 2n, 9n]), add)).toEqual({
    rejects: [taken(3, 1), '4: x', taken(6, 2)],
    stored: 4,
    existing: 1,
    rejected: 3,
    stopped: undefined,
  });
  expect([...stored.values()].map(({ name }) => name).sort()).toEqual(['line 1', 'line 2', 'line 5', 'line 7']);
});

const ids = (count: number) => Array.from({ length: count }, (_, at) => BigInt(at));

test('a plant that the store refuses is rejected, and a failure of another kind ends the import', async () => {
  let asked = 0;
  const ended = await imported(lines(ids(100_000)), async ({ id }) => {
    asked += 1;
    if (id === 0n) throw new PlantRefused('a trigger');
    throw new TypeError('undefined is not a plant');
  });
  expect(ended).toMatchObject({
    rejects: ['1: a trigger'],
    stored: 0,
    stopped: 'undefined is not a plant; run the same import again',
  });
  expect(asked).toBeLessThan(5_000);
});

test('an import that is interrupted completes what is in flight', async () => {
  const interruption = new AbortController();
  const add: PlantRepository['add'] = async ({ id }) => {
    if (id === 5n) interruption.abort();
    await setImmediate();
    return { outcome: 'added' };
  };
  expect(await imported(lines(ids(9)), add, { signal: interruption.signal })).toMatchObject({ stored: 6, rejected: 0 });
});

test.each([
  [
    'all but one of a hundred',
    20_000,
    100,
    false,
    /^\d+ of \d+ lines are rejected; fix the file, or pass --keep-going$/,
  ],
  ['all but one of a hundred, with --keep-going', 20_000, 100, true, undefined],
  ['nine of ten', 20_000, 10, false, undefined],
  ['all but one of a hundred in a short file', 999, 100, false, undefined],
])('lines are rejected: %s of %i', async (_what, count, plantEvery, keepGoing, stopped) => {
  const records = ids(count).map((id) => (Number(id) % plantEvery === 0 ? id : 'x'));
  const ended = await imported(lines(records), async () => ({ outcome: 'added' }), { keepGoing });
  expect(ended.stopped).toEqual(stopped && expect.stringMatching(stopped));
  if (stopped) expect(ended.rejected).toBeLessThan(3_000);
  else expect(ended.stored + ended.rejected).toBe(count);
});

test.each([
  ['plants', 'Fern', 1_000],
  ['text', 'x'.repeat(2 ** 20), 17],
])('only so many %s are in flight', async (_what, name, expected) => {
  let [inFlight, most] = [0, 0];
  const add: PlantRepository['add'] = async () => {
    inFlight += 1;
    most = Math.max(most, inFlight);
    await setImmediate();
    inFlight -= 1;
    return { outcome: 'added' };
  };
  expect(await imported(lines(ids(3_000), name), add)).toMatchObject({ stored: 3_000 });
  expect(most).toBe(expected);
});
