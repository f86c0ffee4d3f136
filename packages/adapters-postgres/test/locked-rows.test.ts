import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailable } from '@plant-store/domain';
import { type StoreObserver, unobserved } from '@plant-store/store-kit';
import { hold, runSql } from '@plant-store/testing-postgres';
import { expect, test, vi } from 'vitest';
import { waitingForLocks } from './backends.ts';
import { openStore } from './open-store.ts';

const fern = { id: 1n, name: 'Fern' };
const plants = (count: number) => Array.from({ length: count }, (_, at) => ({ id: BigInt(at), name: `plant ${at}` }));

test.each(['SELECT FROM plants WHERE id = 1 FOR NO KEY UPDATE', 'DELETE FROM plants WHERE id = 1'])(
  'while another session holds %s open, the other plants of the batch get their results, new and existing ones',
  async (statement) => {
    const { store, url } = await openStore();
    const others = plants(50).filter(({ id }) => id !== 1n);
    await Promise.all([fern, ...others.slice(0, 10)].map((plant) => store.plants.add(plant)));
    const holder = await hold(url, statement);

    const adding = [fern, fern].map((plant) => store.plants.add(plant));
    const outcomes = (await Promise.all(others.map((plant) => store.plants.add(plant)))).map(({ outcome }) => outcome);
    expect(outcomes).toEqual([...Array(10).fill('exists'), ...Array(39).fill('added')]);
    expect(await waitingForLocks(url)).toEqual([]);

    await holder.letGo();
    expect(await Promise.all(adding)).toEqual(Array(2).fill({ outcome: 'exists', plant: { name: 'Fern' } }));
  },
);

test.each(['DELETE FROM plants WHERE id = 1', `INSERT INTO plants VALUES (2, 'Moss')`])(
  'while another session holds %s open, single adds of that plant hold no connection and are not an outage',
  async (statement) => {
    const circuit = vi.fn<StoreObserver['circuit']>();
    const { store, url } = await openStore({ poolSize: 2, timeoutMs: 700, observer: { ...unobserved, circuit } });
    await store.plants.add(fern);
    await hold(url, statement);

    const held = statement.startsWith('DELETE') ? fern : { ...fern, id: 2n };
    const failures: Promise<unknown>[] = [];
    for (let round = 1n; round <= 4n; round += 1n) {
      failures.push(store.plants.add(held).catch((error: unknown) => error));
      await sleep(100);
      expect(await store.plants.add({ ...fern, id: 100n + round })).toEqual({ outcome: 'added' });
    }
    for (const failure of await Promise.all(failures)) expect(failure).toBeInstanceOf(StoreUnavailable);
    expect(await waitingForLocks(url)).toEqual([]);
    // One whose last attempt does not end in time is only told so.
    await vi.waitFor(
      () =>
        expect(store.plants.add(held)).rejects.toThrow(
          /^pid \d+, .* has locked the row of plant \d: end its transaction$/,
        ),
      20_000,
    );
    expect(circuit.mock.calls).toEqual([['closed']]);
  },
);

test('of a batch with refused and locked plants each has its outcome in two commits', async () => {
  const { store, url } = await openStore({ maxWrites: 1 });
  await runSql(url, `ALTER TABLE plants ADD CHECK (name <> 'Fern')`);
  await runSql(
    url,
    `CREATE TABLE commits (transaction xid8);
     CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN INSERT INTO commits VALUES (pg_current_xact_id()); RETURN NULL; END $$;
     CREATE TRIGGER note AFTER INSERT ON plants EXECUTE FUNCTION note()`,
  );
  await hold(url, `INSERT INTO plants VALUES (7, 'Moss')`);
  const adding = plants(300).map((plant) =>
    store.plants.add(plant.id % 10n === 0n ? { ...plant, name: 'Fern' } : plant),
  );
  const outcomes = await Promise.allSettled(adding.filter((_, at) => at !== 7));
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(30);
  expect(await runSql(url, 'SELECT count(DISTINCT transaction)::int AS commits FROM commits')).toEqual([
    { commits: 1 },
  ]);
  await expect(adding[7]).rejects.toThrow('has locked the row of plant 7');
});

test('plants are inserted in the order of their ids, so that writers never deadlock', async () => {
  const { store, url } = await openStore();
  await runSql(
    url,
    `CREATE TABLE log (id int8);
     CREATE FUNCTION log() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log VALUES (NEW.id); RETURN NEW; END $$;
     CREATE TRIGGER log BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION log()`,
  );
  await Promise.all([9n, 5n, 7n].map((id) => store.plants.add({ id, name: 'Moss' })));
  expect(await runSql(url, 'SELECT id FROM log ORDER BY ctid')).toEqual(['5', '7', '9'].map((id) => ({ id })));
});
