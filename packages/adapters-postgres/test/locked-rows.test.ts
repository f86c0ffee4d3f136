import { setTimeout as sleep } from 'node:timers/promises';
import { type StoreObserver, unobserved } from '@plant-store/store-kit';
import { hold, runSql } from '@plant-store/testing/postgres';
import { expect, test, vi } from 'vitest';
import { openStore, trigger } from './open-store.ts';

const fern = { id: 1n, name: 'Fern' };

/** The statements of the database's backends that wait for a lock. */
const waitingForLocks = (url: string) =>
  runSql(url, `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`);

test.each(['SELECT FROM plants WHERE id = 1 FOR NO KEY UPDATE', 'DELETE FROM plants WHERE id = 1'])(
  'while another session holds %s open, the other plants of the batch get their results, new and existing ones',
  async (statement) => {
    const { store, url } = await openStore();
    const add = (...ids: bigint[]) => Promise.all(ids.map((id) => store.plants.add({ ...fern, id })));
    await add(1n, 2n);
    const holder = await hold(url, statement);
    const adding = add(1n);
    expect(await add(2n, 3n)).toMatchObject([{ outcome: 'exists' }, { outcome: 'added' }]);
    expect(await waitingForLocks(url)).toEqual([]);
    await holder.letGo();
    expect(await adding).toEqual([{ outcome: 'exists', plant: { name: 'Fern' } }]);
  },
);

test('single adds of a locked plant hold no connection, are no outage, and say who has locked it', async () => {
  const circuit = vi.fn<StoreObserver['circuit']>();
  const { store, url } = await openStore({ poolSize: 2, timeoutMs: 700, observer: { ...unobserved, circuit } });
  await hold(url, `INSERT INTO plants VALUES (1, 'Moss')`);
  const failures: Promise<unknown>[] = [];
  for (let round = 1n; round <= 4n; round += 1n) {
    failures.push(expect(store.plants.add(fern)).rejects.toThrow());
    await sleep(100);
    expect(await store.plants.add({ ...fern, id: 100n + round })).toEqual({ outcome: 'added' });
  }
  await Promise.all(failures);
  expect(await waitingForLocks(url)).toEqual([]);
  // One whose last attempt does not end in time is only told so.
  const reason =
    /^pid \d+, role ".+", application ".*", since ".+" has locked the row of plant 1: end its transaction$/;
  await expect.poll(() => store.plants.add(fern).catch(({ message }) => message), { timeout: 20_000 }).toMatch(reason);
  expect(circuit.mock.calls).toEqual([['closed']]);
});

test('who has locked the table is named', async () => {
  const { store, url } = await openStore({ timeoutMs: 1_600 });
  await hold(url, 'LOCK TABLE plants');
  const holder = /: pid \d+, role ".+", application ".*", since ".+" has locked the table plants, or rows of it/;
  await expect(store.plants.add(fern)).rejects.toThrow(holder);
});

test('of a batch with refused and locked plants each has its outcome in two commits', async () => {
  const { store, url } = await openStore({ maxWrites: 1 });
  await runSql(
    url,
    `ALTER TABLE plants ADD CHECK (name <> 'Fern'); CREATE TABLE commits (transaction xid8);
     ${trigger('INSERT INTO commits VALUES (pg_current_xact_id())')}`,
  );
  await hold(url, `INSERT INTO plants VALUES (7, 'Moss')`);
  const plants = Array.from({ length: 300 }, (_, at) => ({ id: BigInt(at), name: at % 10 ? 'Ivy' : 'Fern' }));
  const adding = plants.map((plant) => store.plants.add(plant));
  const outcomes = await Promise.allSettled(adding.toSpliced(7, 1));
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(30);
  const [commits] = await runSql(url, 'SELECT count(DISTINCT transaction)::int AS count FROM commits');
  expect(commits).toEqual({ count: 1 });
  await expect(adding[7]).rejects.toThrow('has locked the row of plant 7');
});
