import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailable } from '@plant-store/domain';
import { type StoreObserver, unobserved } from '@plant-store/sql-store';
import { hold, runSql } from '@plant-store/testing-postgres';
import { expect, test, vi } from 'vitest';
import { waitingForLocks } from './backends.ts';
import { openStore } from './open-store.ts';

const fern = { id: 1n, name: 'Fern' };
const plants = (count: number) => Array.from({ length: count }, (_, at) => ({ id: BigInt(at), name: `plant ${at}` }));

test.each([
  'SELECT FROM plants WHERE id = 1 FOR NO KEY UPDATE',
  'SELECT FROM plants WHERE id = 1 FOR UPDATE',
  `UPDATE plants SET name = 'Moss' WHERE id = 1`,
  'DELETE FROM plants WHERE id = 1',
])(
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

test('while another session holds an INSERT open, the other plants of the batch get their results, new and existing ones', async () => {
  const { store, url } = await openStore();
  const others = plants(50).filter(({ id }) => id !== 1n);
  await Promise.all(others.slice(0, 10).map((plant) => store.plants.add(plant)));
  const holder = await hold(url, `INSERT INTO plants VALUES (1, 'Moss')`);

  const adding = [fern, fern].map((plant) => store.plants.add(plant));
  const outcomes = (await Promise.all(others.map((plant) => store.plants.add(plant)))).map(({ outcome }) => outcome);
  expect(outcomes).toEqual([...Array(10).fill('exists'), ...Array(39).fill('added')]);

  await holder.letGo();
  expect(await Promise.all(adding)).toEqual([{ outcome: 'added' }, { outcome: 'exists', plant: { name: 'Fern' } }]);
});

test.each([
  'DELETE FROM plants WHERE id = 1',
  `UPDATE plants SET id = 2 WHERE id = 1`,
  `INSERT INTO plants VALUES (2, 'Moss')`,
])(
  'while another session holds %s open, single adds of that plant hold no connection and are not an outage',
  async (statement) => {
    const circuit = vi.fn<StoreObserver['circuit']>();
    const { store, url } = await openStore({ poolSize: 2, timeoutMs: 2_000, observer: { ...unobserved, circuit } });
    await store.plants.add(fern);
    await hold(url, statement);

    const held = statement.startsWith('DELETE') ? fern : { ...fern, id: 2n };
    const failures: Promise<unknown>[] = [];
    for (let round = 1n; round <= 8n; round += 1n) {
      failures.push(store.plants.add(held).catch((error: unknown) => error));
      await sleep(100);
      expect(await store.plants.add({ ...fern, id: 100n + round })).toEqual({ outcome: 'added' });
    }
    for (const failure of await Promise.all(failures)) expect(failure).toBeInstanceOf(StoreUnavailable);
    expect(await waitingForLocks(url)).toEqual([]);
    // One whose last attempt does not end in time is only told so.
    await vi.waitFor(
      () =>
        expect(store.plants.add(held)).rejects.toThrow(/has locked the row of plant .* \(pg_stat_activity shows it\)/),
      20_000,
    );
    expect(circuit.mock.calls).toEqual([['closed']]);
  },
);

test('a retry waits for a locked row no longer than the first attempt would have', async () => {
  const { store, url } = await openStore({ timeoutMs: 400 });
  // The seventh attempt, some 200 ms after the first, fails with a transient error.
  await runSql(
    url,
    `CREATE SEQUENCE attempts;
     CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN IF nextval('attempts') = 7 THEN RAISE serialization_failure; END IF; RETURN NEW; END $$;
     CREATE TRIGGER fail BEFORE INSERT ON plants FOR EACH ROW WHEN (NEW.name = 'Fern') EXECUTE FUNCTION fail()`,
  );
  const attempts = () => runSql(url, 'SELECT last_value FROM attempts');
  await hold(url, `INSERT INTO plants VALUES (1, 'Moss')`);
  await expect(store.plants.add(fern)).rejects.toThrow(StoreUnavailable);
  await sleep(100);
  const last = await attempts();
  await sleep(250);
  expect(await attempts()).toEqual(last);
});
