import { join } from 'node:path';
import { openSqlite, sqliteMigrationStatus } from '@plant-store/adapters-sqlite';
import { expect, test } from 'vitest';
import { migratedFile } from './migrated-file.ts';
import { formatPlants } from './processes/plants-on-a-pipe.ts';
import { remainingLines, start } from './processes/start.ts';
import { temporaryDirectory } from './temporary-directory.ts';

test('two processes add concurrently: each shared id goes to one of them, and nothing is lost', async () => {
  const path = await migratedFile();
  const ids = Array.from({ length: 1_000 }, (_, at) => BigInt(at));
  // From both ends, so that each of them has something to add and they meet.
  const processes = [
    { name: 'one', plants: ids.map((id) => ({ id, name: 'one' })), started: await start('add-plants.ts', path) },
    {
      name: 'two',
      plants: ids.toReversed().map((id) => ({ id, name: 'two' })),
      started: await start('add-plants.ts', path),
    },
  ];
  const winners = new Map<string, string>();
  await Promise.all(
    processes.map(async ({ name, plants, started }) => {
      started.child.stdin.end(formatPlants(plants));
      for (const line of await remainingLines(started)) {
        const [id = '', outcome] = line.split(' ');
        if (outcome !== 'added') continue;
        expect(winners.has(id)).toBe(false);
        winners.set(id, name);
      }
    }),
  );
  expect(winners.size).toBe(ids.length);
  expect(new Set(winners.values())).toEqual(new Set(['one', 'two']));

  const store = await openSqlite({ path });
  for (const [id, name] of winners)
    expect(await store.plants.add({ id: BigInt(id), name: 'late' })).toEqual({ outcome: 'exists', plant: { name } });
  await store.close();
});

test('of 100 plants that race for one id through two stores, one is stored and all others get it', async () => {
  const path = await migratedFile();
  const stores = [await openSqlite({ path }), await openSqlite({ path })];
  const racers = Array.from({ length: 50 }, (_, at) => `racer ${at}`);
  const results = await Promise.all(
    stores.flatMap((store, side) =>
      racers.map(async (racer) => {
        const name = `${racer} of store ${side}`;
        return { name, ...(await store.plants.add({ id: 1n, name })) };
      }),
    ),
  );
  const winners = results.filter(({ outcome }) => outcome === 'added');
  expect(winners).toHaveLength(1);
  const plant = { name: winners[0]?.name };
  for (const result of results) if (result.outcome === 'exists') expect(result.plant).toEqual(plant);
  await Promise.all(stores.map((store) => store.close()));
});

test('eight processes migrate one new file at once: all succeed', async () => {
  const path = join(await temporaryDirectory(), 'plants.sqlite');
  const processes = await Promise.all(Array.from({ length: 8 }, () => start('migrate.ts', path)));
  const outputs = processes.map(remainingLines);
  for (const { child } of processes) child.stdin.end();
  const written = await Promise.all(outputs);
  const states = await sqliteMigrationStatus({ path });
  expect(states.every(({ applied }) => applied)).toBe(true);
  expect(written).toEqual(Array(8).fill([JSON.stringify(states)]));
});
