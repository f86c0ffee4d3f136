import { setTimeout as sleep } from 'node:timers/promises';
import { runSql } from '@plant-store/testing/postgres';
import { expect, test } from 'vitest';
import { migratedDatabase, openStore } from './open-store.ts';

const RENAMED = 'ALTER TABLE plants RENAME TO former';
const LACKS = /took the place of the table plants, and lacks plant \d+: put the former table back/;

// Nothing here calls check.
test.each([
  [`${RENAMED}; CREATE TABLE plants (LIKE former INCLUDING ALL)`, LACKS],
  [
    `${RENAMED}; CREATE TABLE plants (LIKE former INCLUDING ALL) PARTITION BY RANGE (id);
     CREATE TABLE part PARTITION OF plants DEFAULT`,
    LACKS,
  ],
  ['ALTER TABLE plants SET UNLOGGED', /plants is unlogged, so a crash of the server empties it/],
  ['ALTER TABLE plants ALTER name TYPE varchar(9)', /the column name is of the type character varying\(9\), not text/],
])('beside adds, %s is noticed', async (change, reason) => {
  const { store, url } = await openStore();
  let next = 0n;
  const add = () => store.plants.add({ id: next++, name: 'Fern' });
  const failures: string[] = [];
  const client = async () => {
    while (failures.length === 0) {
      await add().catch(({ message }) => failures.push(message));
      await sleep(2);
    }
  };
  const clients = Promise.all([client(), client(), client()]);
  // The store knows the table and a plant by then.
  await expect.poll(() => next).toBeGreaterThan(10n);
  await runSql(url, `BEGIN; ${change}; COMMIT`);
  await clients;
  expect(failures[0]).toMatch(reason);
  await expect(add()).rejects.toThrow(/ \(circuit breaker open\)$/);
});

test('a table that replaced another is used if it has its plants', async () => {
  const { store, url } = await openStore();
  for (const id of [1n, 2n]) await store.plants.add({ id, name: 'Fern' });
  await runSql(
    url,
    `BEGIN; ${RENAMED}; CREATE TABLE plants (LIKE former INCLUDING ALL); INSERT INTO plants TABLE former; COMMIT`,
  );
  await sleep(600);
  expect(await store.plants.add({ id: 3n, name: 'Moss' })).toEqual({ outcome: 'added' });
  await store.check();
});

const REINDEX = 'REINDEX INDEX CONCURRENTLY plants_pkey';
const FURTHER = 'CREATE UNIQUE INDEX further ON plants (id, name)';

// Each refuses some of the plants if their ids are not looked up after a unique violation.
test.each([
  [REINDEX, 'SELECT 1', REINDEX, 2_000],
  ['there is a further unique index with the id', FURTHER, undefined, 500],
  ['there is a unique index without the id', 'CREATE UNIQUE INDEX further ON plants (name)', undefined, 500],
])(
  'while %s, a plant that several services send at once is acknowledged by each',
  async (_, before, meanwhile, count) => {
    const connectionString = await migratedDatabase();
    await runSql(connectionString, before);
    // Batches of one plant, because those of several insert them again individually.
    const opening = Array.from({ length: 3 }, () => openStore({ connectionString, maxBatch: 1 }));
    const stores = await Promise.all(opening);
    let isEnding = false;
    const changing = (async () => {
      while (meanwhile && !isEnding) await runSql(connectionString, meanwhile);
    })();
    const outcomes: string[] = [];
    for (let first = 0; first < count; first += 20) {
      const plants = Array.from({ length: 20 }, (_, at) => ({ id: BigInt(first + at), name: `Fern ${first + at}` }));
      const adding = stores.flatMap(({ store }) => plants.map((plant) => store.plants.add(plant)));
      outcomes.push(...(await Promise.all(adding.map((each) => each.then(({ outcome }) => outcome, String)))));
    }
    isEnding = true;
    await changing;
    expect(new Set(outcomes)).toEqual(new Set(['added', 'exists']));
    expect(outcomes.filter((outcome) => outcome === 'added')).toHaveLength(count);
  },
);

test('a unique index without the id refuses another plant, alone and beside others', async () => {
  const { store, url } = await openStore();
  await runSql(url, 'CREATE UNIQUE INDEX ON plants (name)');
  await store.plants.add({ id: 1n, name: 'Fern' });
  const add = (id: bigint, name: string) => store.plants.add({ id, name }).then(({ outcome }) => outcome, String);
  const refused = expect.stringMatching(/^PlantRefused: .* \(23505\)$/);
  expect(await add(2n, 'Fern')).toEqual(refused);
  expect(await Promise.all([add(3n, 'Fern'), add(4n, 'Moss'), add(1n, 'Fern')])).toEqual([refused, 'added', 'exists']);
});
