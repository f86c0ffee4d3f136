import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { migrateSqlite, openSqlite } from '@plant-store/adapters-sqlite';
import { INT64_MAX, INT64_MIN, isStorableText, type Plant, type PlantStore, textFields } from '@plant-store/domain';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeDirectory } from './temporary-directory.ts';

const int64 = fc.bigInt({ min: INT64_MIN, max: INT64_MAX });
/** What fast-check's own unit `binary` generates, but that builds a table of all of Unicode: half a second of CPU. */
const unit = fc
  .oneof(fc.integer({ min: 1, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));
const text = fc.oneof(fc.string({ maxLength: 50 }), fc.string({ unit, maxLength: 50 })).filter(isStorableText);
const texts = Object.fromEntries(textFields.map((field) => [field, text])) as Record<keyof Plant, typeof text>;
const plants = fc.record(texts, { requiredKeys: ['name'], noNullPrototype: true });

let directory: string;
let store: PlantStore;

beforeAll(async () => {
  directory = await makeDirectory();
  const path = join(directory, 'plants.sqlite');
  await migrateSqlite({ path });
  store = await openSqlite({ path });
});

afterAll(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

test('every int64 is a distinct id, and every storable text is read back unchanged', async () => {
  const stored = new Map<bigint, object>();
  await fc.assert(
    fc.asyncProperty(int64, plants, async (id, plant) => {
      const expected = stored.get(id) ?? plant;
      const { outcome } = await store.plants.add({ id, ...plant });
      expect(outcome).toBe(stored.has(id) ? 'exists' : 'added');
      stored.set(id, expected);
      expect(await store.plants.add({ id, name: 'other' })).toEqual({ outcome: 'exists', plant: expected });
    }),
    { numRuns: 500 },
  );
});
