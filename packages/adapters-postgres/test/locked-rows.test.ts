import { setTimeout as sleep } from 'node:timers/promises';
import { type StoreObserver, unobserved } from '@plant-store/store-kit';
import { openTransaction, runSql } from '@plant-store/testing/postgres';
import { expect, test, vi } from 'vitest';
import { openStore, trigger } from './open-store.ts';

const fern = { id: 1n, name: 'Fern' };

/** Waits until no statement of the database waits for a lock. Each attempt to add a locked plant waits for the lock timeout. */
const noneWaitsForALock = (url: string) =>
  expect
    .poll(
      () =>
        runSql(
          url,
          `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        ),
      { timeout: 2_000 },
    )
    .toEqual([]);

test.each(['SELECT FROM plants WHERE id = 1 FOR NO KEY UPDATE', 'DELETE FROM plants WHERE id = 1'])(
  'while another session has %s in an open transaction, the other plants of the batch get their results',
  async (statement) => {
    const { store, url } = await openStore();
    const add = (...ids: bigint[]) => Promise.all(ids.map((id) => store.plants.add({ ...fern, id })));
    await add(1n, 2n);
    const holder = await openTransaction(url, statement);
    const adding = add(1n);
    expect(await add(2n, 3n)).toMatchObject([{ outcome: 'exists' }, { outcome: 'added' }]);
    await noneWaitsForALock(url);
    await holder.end();
    expect(await adding).toEqual([{ outcome: 'exists', plant: { name: 'Fern' } }]);
  },
);

test('adds of a locked plant occupy no connection, are no outage, and name the session with the lock', async () => {
  const circuit = vi.fn<StoreObserver['circuit']>();
  const { store, url } = await openStore({ poolSize: 2, timeoutMs: 4_000, observer: { ...unobserved, circuit } });
  await openTransaction(url, `INSERT INTO plants VALUES (1, 'Moss')`);
  const failures: Promise<unknown>[] = [];
  for (let round = 1n; round <= 4n; round += 1n) {
    failures.push(expect(store.plants.add(fern)).rejects.toThrow());
    await sleep(100);
    expect(await store.plants.add({ ...fern, id: 100n + round })).toEqual({ outcome: 'added' });
  }
  await Promise.all(failures);
  await noneWaitsForALock(url);
  // An add whose last attempt times out has another message.
  const reason =
    /^pid \d+, role ".+", application ".*", since ".+" has locked the row of plant 1: end its transaction$/;
  await expect.poll(() => store.plants.add(fern).catch(({ message }) => message), { timeout: 40_000 }).toMatch(reason);
  expect(circuit.mock.calls).toEqual([['closed']]);
});

test('the message names the session that has locked the table', async () => {
  const { store, url } = await openStore({ timeoutMs: 4_000 });
  await openTransaction(url, 'LOCK TABLE plants');
  const holder = /: pid \d+, role ".+", application ".*", since ".+" has locked the table plants, or rows of it/;
  await expect(store.plants.add(fern)).rejects.toThrow(holder);
});

test('a batch with refused and locked plants takes two commits of one message each, and each plant has its own outcome', async () => {
  const { store, url } = await openStore({ maxWrites: 1, timeoutMs: 6_000 });
  await runSql(
    url,
    `ALTER TABLE plants ADD CHECK (name <> 'Fern'); CREATE TABLE commits (transaction xid8, sent timestamptz);
     ${trigger('INSERT INTO commits VALUES (pg_current_xact_id(), statement_timestamp())')}`,
  );
  await openTransaction(url, `INSERT INTO plants VALUES (7, 'Moss')`);
  const plants = Array.from({ length: 300 }, (_, at) => ({ id: BigInt(at), name: at % 10 ? 'Ivy' : 'Fern' }));
  const adding = plants.map((plant) => store.plants.add(plant));
  const outcomes = await Promise.allSettled(adding.toSpliced(7, 1));
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(30);
  const [commits] = await runSql(url, 'SELECT count(DISTINCT (transaction, sent))::int AS count FROM commits');
  expect(commits).toEqual({ count: 1 });
  await expect(adding[7]).rejects.toThrow('has locked the row of plant 7');
});

test('after the deadline of a batch, the server stops to insert its plants individually, and keeps none', async () => {
  const { store, url } = await openStore({ timeoutMs: 2_000 });
  await runSql(url, `ALTER TABLE plants ADD CHECK (name <> 'Fern'); ${trigger('PERFORM pg_sleep(0.2)')}`);
  const adding = Array.from({ length: 100 }, (_, at) =>
    store.plants.add({ id: BigInt(at), name: at ? 'Ivy' : 'Fern' }),
  );
  for (const { status } of await Promise.allSettled(adding)) expect(status).toBe('rejected');
  const asleep = () =>
    runSql(url, `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`);
  // All plants take 20 s.
  await expect.poll(asleep, { timeout: 8_000 }).toEqual([]);
  expect(await runSql(url, 'SELECT FROM plants')).toEqual([]);
});
