import { setImmediate } from 'node:timers/promises';
import { type CreatePlant, type NewPlant, PlantRefused, StoreUnavailable } from '@plant-store/domain';
import { expect, test } from 'vitest';
import { importPlants, type Progress } from '../src/import/import-plants.ts';
import type { Reject } from '../src/import/rejects.ts';
import type { Line } from '../src/records/line.ts';
import { readNdjson } from '../src/records/read-ndjson.ts';

test('of lines with the same id the first is stored, however slow it is', async () => {
  const stored = new Map<bigint, NewPlant>();
  let pause = 10;
  /** The earlier it is called, the later it writes. */
  const create: CreatePlant = async (plant) => {
    for (let left = pause--; left > 0; left -= 1) await setImmediate();
    const other = stored.get(plant.id);
    if (other) return { outcome: 'id-taken', id: plant.id };
    stored.set(plant.id, plant);
    return { outcome: 'created', plant };
  };
  const rejected: Reject[] = [];
  const stop = await importPlants(lines([1n, 2n, 1n, 3n, 1n, 2n]), {
    create,
    fromLine: 1,
    concurrency: 100,
    onRejected: async (reject) => void rejected.push(reject),
    signal: new AbortController().signal,
    progress: { stored: 0, rejected: 0, bytes: 0, skipped: undefined, waitingFor: undefined },
  });
  expect(stop).toBeUndefined();
  expect([...stored.values()].map(({ name }) => name).sort()).toEqual(['line 1', 'line 2', 'line 4']);
  expect(rejected.map(({ line }) => line)).toEqual([3, 5, 6]);
});

test('a plant that the store refuses is rejected, and a defect stops the import and rejects nothing', async () => {
  const rejected: Reject[] = [];
  const stop = await importPlants(lines([1n, 2n, 3n]), {
    create: async (plant) => {
      if (plant.id === 1n) throw new PlantRefused('a trigger');
      throw new TypeError('undefined is not a plant');
    },
    fromLine: 1,
    concurrency: 1,
    onRejected: async (reject) => void rejected.push(reject),
    signal: new AbortController().signal,
    progress: { stored: 0, rejected: 0, bytes: 0, skipped: undefined, waitingFor: undefined },
  });
  expect(stop).toEqual({ line: 2, reason: 'undefined is not a plant' });
  expect(rejected).toEqual([{ line: 1, reason: 'a trigger' }]);
});

test('an interrupted import says so, even if the store no longer responds', async () => {
  const interruption = new AbortController();
  const stop = await importPlants(lines([1n, 2n]), {
    create: async () => {
      interruption.abort();
      throw new StoreUnavailable('the store is slow');
    },
    fromLine: 1,
    concurrency: 100,
    onRejected: async () => {},
    signal: interruption.signal,
    progress: { stored: 0, rejected: 0, bytes: 0, skipped: undefined, waitingFor: undefined },
  });
  expect(stop).toEqual({ line: 1, reason: 'interrupted' });
});

test('an import that is interrupted while skipping lines continues after them', async () => {
  async function* skipping(): AsyncGenerator<Line> {
    yield* lines([]);
    throw new Error('the operation was aborted');
  }
  const stop = await importPlants(skipping(), {
    create: async (plant) => ({ outcome: 'created', plant }),
    fromLine: 500,
    concurrency: 100,
    onRejected: async () => {},
    signal: AbortSignal.abort(),
    progress: { stored: 0, rejected: 0, bytes: 0, skipped: undefined, waitingFor: undefined },
  });
  expect(stop).toEqual({ line: 500, reason: 'interrupted' });
});

async function* lines(ids: bigint[]): AsyncGenerator<Line> {
  for (const [at, id] of ids.entries())
    yield { line: at + 1, bytes: 1, end: at + 1, plant: { id, name: `line ${at + 1}` } };
}

test('what is read and in flight is not done yet', async () => {
  const plants = [1, 2, 3, 4].map((id) => `{"id":${id},"name":"plant"}\n`);
  const text = `${plants.join('')}hello\n`;
  async function* chunks() {
    yield Buffer.from(text);
  }
  const progress: Progress = { stored: 0, rejected: 0, bytes: 0, skipped: undefined, waitingFor: undefined };
  const seen: number[] = [];
  await importPlants(readNdjson(chunks(), { maxBytes: 100, fromLine: 2 }), {
    create: async (plant) => {
      seen.push(progress.bytes);
      return { outcome: 'created', plant };
    },
    fromLine: 2,
    concurrency: 1,
    onRejected: async () => {},
    signal: new AbortController().signal,
    progress,
  });
  const line = plants[0]?.length ?? 0;
  // The line feed of the line in flight is counted.
  expect(seen).toEqual([0, 2 * line, 3 * line]);
  expect(progress).toMatchObject({ bytes: text.length, skipped: line + 1 });
});
