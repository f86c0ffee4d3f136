import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openMemory } from '@plant-store/adapters-memory';
import { migrateSqlite, openSqlite } from '@plant-store/adapters-sqlite';
import type { PlantStore } from '@plant-store/domain';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type EmptiableStore, expectAgreesWithMemory } from './parity/agrees-with-memory.ts';
import { historyOf, type Sequence, sequences } from './parity/history.ts';

test('SQLite answers a sequence of adds as memory does, and holds the same plants afterwards', {
  timeout: 120_000,
}, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'plant-store-'));
  const store = await emptiableSqlite(join(directory, 'plants.db'));
  try {
    await expectAgreesWithMemory('SQLite', store);
  } finally {
    await store.close();
    await rm(directory, { recursive: true });
  }
});

test.each<[difference: string, store: () => PlantStore, shortest: Sequence]>([
  ['takes an empty tag for none', forgetsEmptyTags, [[{ id: 0n, name: '', tag: '' }]]],
  ['tells two of a race that each was added', looksThenStores, [[expect.anything(), expect.anything()]]],
])('a store that %s is found out, by the shortest sequence that shows it', async (_, store, shortest) => {
  const agree = fc.asyncProperty(sequences, async (sequence) => {
    expect(await historyOf(sequence, store())).toEqual(await historyOf(sequence, openMemory()));
  });
  const { failed, counterexample } = await fc.check(agree, { numRuns: 1_000 });
  expect(failed).toBe(true);
  expect(counterexample).toEqual([shortest]);
});

async function emptiableSqlite(path: string): Promise<EmptiableStore> {
  await migrateSqlite({ path });
  return {
    ...(await openSqlite({ path })),
    async empty() {
      using database = new DatabaseSync(path);
      database.exec('DELETE FROM plants');
    },
  };
}

function forgetsEmptyTags(): PlantStore {
  const store = openMemory();
  return {
    ...store,
    plants: { add: ({ tag, ...plant }) => store.plants.add(tag ? { ...plant, tag } : plant) },
  };
}

/** Between the look and the write there is time for another one. */
function looksThenStores(): PlantStore {
  const stored = new Map<bigint, { name: string; tag?: string }>();
  return {
    ...openMemory(),
    plants: {
      async add({ id, ...plant }) {
        const existing = stored.get(id);
        await Promise.resolve();
        stored.set(id, existing ?? plant);
        return existing ? { outcome: 'exists', plant: existing } : { outcome: 'added' };
      },
    },
  };
}
