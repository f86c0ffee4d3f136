import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { PlantRefused, type PlantRepository, StoreUnavailable } from '@plant-store/domain';
import { expect, test } from 'vitest';
import { importPlants, type PlantImport, type Progress } from '../../src/bulk/import/import-plants.ts';
import type { Reject } from '../../src/bulk/import/rejects.ts';
import type { Line } from '../../src/bulk/records/line.ts';

/** Lines with plants of these ids, or reasons to reject them. */
async function* lines(records: Iterable<bigint | string>): AsyncGenerator<Line> {
  let line = 0;
  for (const record of records) {
    line += 1;
    const place = { line, end: line };
    yield typeof record === 'string'
      ? { ...place, reason: record }
      : { ...place, plant: { id: record, name: `line ${line}` } };
  }
}

async function imported(
  records: Iterable<bigint | string>,
  add: PlantRepository['add'],
  given: Partial<PlantImport> = {},
) {
  const progress: Progress = { stored: 0, existing: 0, rejected: 0, bytes: 0, stopped: undefined };
  const options = { add, keepGoing: false, signal: new AbortController().signal, progress, ...given };
  const rejects: Reject[] = await Readable.from(importPlants(lines(records), options)).toArray();
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
  expect(await imported([1n, 2n, 1n, 'x', 3n, 2n, 9n], add)).toEqual({
    rejects: [taken(3, 1), '4: x', taken(6, 2)],
    stored: 4,
    existing: 1,
    rejected: 3,
    bytes: 7,
    stopped: undefined,
  });
  expect([...stored.values()].map(({ name }) => name).sort()).toEqual(['line 1', 'line 2', 'line 5', 'line 7']);
});

test('a plant that the store refuses is rejected, and a failure of another kind ends the import', async () => {
  let asked = 0;
  const ended = await imported(
    (function* () {
      for (let id = 1n; id < 100_000n; id += 1n) yield id;
    })(),
    async ({ id }) => {
      asked += 1;
      if (id === 1n) throw new PlantRefused('a trigger');
      throw new TypeError('undefined is not a plant');
    },
  );
  expect(ended).toMatchObject({ rejects: ['1: a trigger'], stored: 0, stopped: 'undefined is not a plant' });
  expect(asked).toBeLessThan(5_000);
});

test('an import that is interrupted completes what is in flight, and says so even if the store does not respond', async () => {
  const interruption = new AbortController();
  const add: PlantRepository['add'] = async ({ id }) => {
    if (id === 5n) interruption.abort();
    await setImmediate();
    if (id === 4n) throw new StoreUnavailable('the store is slow');
    return { outcome: 'added' };
  };
  const ended = await imported([1n, 2n, 3n, 4n, 5n, 6n, 7n], add, { signal: interruption.signal });
  expect(ended).toMatchObject({ stored: 4, rejected: 0, stopped: 'interrupted' });
});

const lineNumber = (plantEvery: number) =>
  Array.from({ length: 20_000 }, (_, at) => (at % plantEvery === 0 ? BigInt(at) : 'x'));

test.each([
  ['all lines but one of a hundred', 100, false, /^\d+ of \d+ lines are rejected; fix the file, or pass --keep-going$/],
  ['all lines but one of a hundred, with --keep-going', 100, true, undefined],
  ['nine of ten', 10, false, undefined],
])('%s are rejected', async (_what, plantEvery, keepGoing, stopped) => {
  const ended = await imported(lineNumber(plantEvery), async () => ({ outcome: 'added' }), { keepGoing });
  expect(ended.stopped).toEqual(stopped && expect.stringMatching(stopped));
  if (stopped) expect(ended.rejected).toBeLessThan(3_000);
  else expect(ended.stored + ended.rejected).toBe(20_000);
});

test('only so many plants, and bytes, are in flight', async () => {
  let [inFlight, most] = [0, 0];
  const add: PlantRepository['add'] = async () => {
    inFlight += 1;
    most = Math.max(most, inFlight);
    await setImmediate();
    inFlight -= 1;
    return { outcome: 'added' };
  };
  const ids = Array.from({ length: 5_000 }, (_, at) => BigInt(at));
  expect(await imported(ids, add)).toMatchObject({ stored: 5_000 });
  expect(most).toBe(1_000);

  most = 0;
  async function* large(): AsyncGenerator<Line> {
    for (let line = 1; line <= 100; line += 1)
      yield { line, end: line * 2 ** 20, plant: { id: BigInt(line), name: '' } };
  }
  const progress: Progress = { stored: 0, existing: 0, rejected: 0, bytes: 0, stopped: undefined };
  const options = { add, keepGoing: false, signal: new AbortController().signal, progress };
  await Readable.from(importPlants(large(), options)).toArray();
  expect(progress.stored).toBe(100);
  expect(most).toBe(16);
});
