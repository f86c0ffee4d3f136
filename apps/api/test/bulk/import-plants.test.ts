import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { createPlant, type NewPlant, PlantRefused, type PlantRepository } from '@plant-store/domain';
import { expect, test } from 'vitest';
import { importPlants, type PlantImport, type Progress } from '../../src/bulk/import-plants.ts';
import { type Line, type Reject, readRecord } from '../../src/bulk/records.ts';

/** Lines with plants of these ids, or reasons to reject them. */
const lines = (records: readonly (bigint | string)[], name?: string) =>
  records.map((record, at): Line => {
    const line = at + 1;
    return typeof record === 'string'
      ? { line, reason: record }
      : { line, ...readRecord({ id: record, name: name ?? `line ${line}` }) };
  });

async function imported(read: readonly Line[], add: PlantRepository['add']) {
  const progress: Progress = { stored: 0, existing: 0, rejected: 0, stopped: undefined };
  const signal = new AbortController().signal;
  const options: PlantImport = { createPlant: createPlant({ add }), keepGoing: false, signal, progress };
  const rejects: Reject[] = await Readable.from(importPlants(Readable.from(read), options)).toArray();
  return { rejects: rejects.map(({ line, reason }) => `${line}: ${reason}`), ...progress };
}

test('of lines with the same id the first is stored, however slow it is, and one that is stored already counts', async () => {
  const stored = new Map<bigint, NewPlant>([[9n, { id: 9n, name: 'line 7' }]]);
  let pause = 10;
  /** The earlier it is asked, the later it adds. */
  const add: PlantRepository['add'] = async (plant) => {
    for (let left = pause--; left > 0; left -= 1) await setImmediate();
    const other = stored.get(plant.id);
    if (other) return { outcome: 'exists', plant: other };
    stored.set(plant.id, plant);
    return { outcome: 'added' };
  };
  const taken = (line: number, id: number) => `${line}: id: ${id} is taken by another plant, which is unchanged`;
  expect(await imported(lines([1n, 2n, 1n, 'x', 3n, 2n, 9n]), add)).toEqual({
    rejects: [taken(3, 1), '4: x', taken(6, 2)],
    ...{ stored: 4, existing: 1, rejected: 3, stopped: undefined },
  });
  expect([...stored.values()].map(({ name }) => name).sort()).toEqual(['line 1', 'line 2', 'line 5', 'line 7']);
});

const ids = (count: number) => Array.from({ length: count }, (_, at) => BigInt(at));

test('a plant that the store refuses is rejected, and a failure of another kind ends the import', async () => {
  let asked = 0;
  const { rejects, stored, stopped } = await imported(lines(ids(100_000)), async ({ id }) => {
    asked += 1;
    if (id === 0n) throw new PlantRefused('a trigger');
    throw new TypeError('undefined is not a plant');
  });
  expect([rejects, stored]).toEqual([['1: a trigger'], 0]);
  expect(stopped).toBe('undefined is not a plant; run the same import again');
  expect(asked).toBeLessThan(5_000);
});

test.each([
  ['plants', 'Fern', 1_000],
  ['text', 'x'.repeat(2 ** 20), 17],
])('only so many %s are in flight', async (_what, name, expected) => {
  let [inFlight, most] = [0, 0];
  const add: PlantRepository['add'] = async () => {
    most = Math.max(most, ++inFlight);
    await setImmediate();
    inFlight -= 1;
    return { outcome: 'added' };
  };
  expect(await imported(lines(ids(3_000), name), add)).toMatchObject({ stored: 3_000 });
  expect(most).toBe(expected);
});
