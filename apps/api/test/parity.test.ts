import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openMemory } from '@plant-store/adapters-memory';
import type { PlantStore } from '@plant-store/domain';
import { scratchDirectory } from '@plant-store/testing-servers';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../src/index.ts';
import { storeAt } from '../src/stores/index.ts';
import { expectFirstWins, faultsOf, type Sequence, seed, sequences } from './parity/history.ts';
import { storesWithoutServer } from './stores/without-server.ts';

/** What empties a place while the store is open. Where it is not known, the store is closed and opened again, which is slower. */
const emptying: Readonly<Record<string, (directory: string) => void>> = {
  sqlite(directory) {
    using database = new DatabaseSync(join(directory, 'plants.db'));
    database.exec('DELETE FROM plants');
  },
};

test.each(storesWithoutServer)(
  `$engine stores the first plant of an id and answers with it, for any sequence of adds (PARITY_SEED=${seed})`,
  async ({ engine, url }) => {
    const empty = emptying[engine];
    const directory = await scratchDirectory(onTestFinished);
    let store = await opened(url(directory));
    try {
      await expectFirstWins(async () => {
        if (empty) empty(directory);
        else {
          await store.close();
          await rm(directory, { recursive: true });
          await mkdir(directory);
          store = await opened(url(directory));
        }
        return store;
      });
    } finally {
      await store.close();
    }
  },
);

async function opened(url: string): Promise<PlantStore> {
  const engine = storeAt(readConfig({ DATABASE_URL: url }), { onError: (error) => expect.unreachable(error.message) });
  await engine.migrate();
  return engine.open();
}

test.each<[difference: string, store: () => PlantStore, shortest: Sequence]>([
  ['stores an empty tag as none', forgetsEmptyTags, [[{ id: 0n, name: '', tag: '' }]]],
  ['reports two plants of a race as added', looksThenStores, [[expect.anything(), expect.anything()]]],
])('a store that %s is detected, with the shortest sequence that shows it', async (_, store, shortest) => {
  const agree = fc.asyncProperty(sequences, async (sequence) => {
    expect(await faultsOf(sequence, store())).toEqual([]);
  });
  const { failed, counterexample } = await fc.check(agree, { numRuns: 1_000 });
  expect(failed).toBe(true);
  expect(counterexample).toEqual([shortest]);
});

function forgetsEmptyTags(): PlantStore {
  const store = openMemory();
  return {
    ...store,
    plants: { ...store.plants, add: ({ tag, ...plant }) => store.plants.add(tag ? { ...plant, tag } : plant) },
  };
}

/** Between the look and the write there is time for another one. */
function looksThenStores(): PlantStore {
  const stored = new Map<bigint, { name: string; tag?: string }>();
  const store = openMemory();
  return {
    ...store,
    plants: {
      ...store.plants,
      async add({ id, ...plant }) {
        const existing = stored.get(id);
        await Promise.resolve();
        stored.set(id, existing ?? plant);
        return existing ? { outcome: 'exists', plant: existing } : { outcome: 'added' };
      },
    },
  };
}
