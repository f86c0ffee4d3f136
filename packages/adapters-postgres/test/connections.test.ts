import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type StoreObserver, StoreUnavailable } from '@plant-store/domain';
import { unobserved } from '@plant-store/group-commit';
import { type DedicatedServer, runSql, startDedicatedServer } from '@plant-store/testing-postgres';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { PostgresOptions } from '../src/options.ts';
import { backends, lockPlants, terminate, waitingForLocks } from './backends.ts';
import { hold, migratedDatabase, openStore } from './open-store.ts';
import { start } from './processes/start.ts';

// A dedicated server: these tests inspect its processes, and a shared one may be behind a pooler.
let server: DedicatedServer;
beforeAll(async () => {
  server = await startDedicatedServer();
});
afterAll(() => server.stop());

const fern = { id: 1n, name: 'Fern' };
const plants = (count: number) => Array.from({ length: count }, (_, at) => ({ id: BigInt(at), name: `plant ${at}` }));

test('an idle connection that is terminated is reported and replaced', async () => {
  const onError = vi.fn<(error: Error) => void>();
  const { store, url } = await open({ onError });
  await store.plants.add(fern);
  await terminate(url, await backends(url));
  await vi.waitFor(() => expect(onError).toHaveBeenCalledTimes(1));
  expect(onError.mock.calls[0]?.[0].message).toMatch(/^idle connection to PostgreSQL lost: ./);
  expect(await store.plants.add({ ...fern, id: 2n })).toEqual({ outcome: 'added' });
});

test('busy connections that are terminated are replaced, and their adds are retried', async () => {
  const { store, url } = await open({ maxBatch: 1, maxWrites: 5 });
  const lock = await lockPlants(url);
  const adds = Promise.allSettled(plants(5).map((plant) => store.plants.add(plant)));
  const busy = await vi.waitFor(async () => {
    const pids = await backends(url, lock.pid);
    expect(pids).toHaveLength(5);
    return pids;
  });
  await terminate(url, busy);
  await lock.unlock();
  for (const add of await adds) expect(add).toMatchObject({ value: { outcome: 'added' } });
  expect((await backends(url)).filter((pid) => busy.includes(pid))).toEqual([]);
});

test('if two stores add the same plant and both lose their connections, at most one gets the outcome "added"', async () => {
  const { store, url } = await open({ maxBatch: 1 });
  const { store: another } = await openStore({ connectionString: url, maxBatch: 1 });
  for (const plant of plants(10)) {
    const lock = await lockPlants(url);
    const adds = Promise.allSettled([store, another].map(({ plants: { add } }) => add(plant)));
    const busy = await vi.waitFor(async () => {
      const pids = await backends(url, lock.pid);
      expect(pids).toHaveLength(2);
      return pids;
    });
    // While they commit.
    await Promise.all([lock.unlock(), terminate(url, busy)]);
    const outcomes = (await adds).map((add) => (add.status === 'fulfilled' ? add.value.outcome : 'failed'));
    expect(outcomes.filter((outcome) => outcome === 'added').length).toBeLessThanOrEqual(1);
    expect(outcomes).not.toContain('failed');
  }
});

test('a connection whose statement times out stays open until the statement ends: backends never exceed the pool size', async () => {
  const { store, url } = await open({
    poolSize: 3,
    maxWrites: 3,
    maxBatch: 1,
    timeoutMs: 200,
    connectWithinMs: 200,
  });
  await Promise.all(plants(3).map((plant) => store.plants.add(plant)));
  const pool = await backends(url);
  expect(pool).toHaveLength(3);

  const lock = await lockPlants(url);
  for (let round = 1; round <= 3; round += 1) {
    const adds = await Promise.allSettled(plants(10).map((plant) => store.plants.add(plant)));
    for (const add of adds) expect(add).toMatchObject({ reason: expect.any(StoreUnavailable) });
    expect(await backends(url, lock.pid)).toEqual(pool);
  }
  await lock.unlock();
  await vi.waitFor(() => store.plants.add({ id: 100n, name: 'after' }));
  expect(await backends(url)).toEqual(pool);
});

test('a connection whose statement never ends is eventually closed', async () => {
  const { store, url } = await open({ poolSize: 1, timeoutMs: 100, connectWithinMs: 100, dropAfterMs: 300 });
  const lock = await lockPlants(url);
  await expect(store.plants.add(fern)).rejects.toThrow(/did not respond within 100 ms/);
  const [first] = await backends(url, lock.pid);
  await vi.waitFor(async () => {
    await store.plants.add(fern).catch(() => {});
    expect((await backends(url, lock.pid)).filter((pid) => pid !== first)).not.toEqual([]);
  }, 5_000);
  // The statement is cancelled as well: otherwise its backend would keep waiting and hold a slot of the server.
  await vi.waitFor(async () => expect(await backends(url, lock.pid)).not.toContain(first));
});

test('a store closes while one of its statements has timed out', async () => {
  const { store, url } = await open({ timeoutMs: 100 });
  const lock = await lockPlants(url);
  await expect(store.plants.add(fern)).rejects.toThrow(StoreUnavailable);
  await store.close();
  await lock.unlock();
  await vi.waitFor(async () => expect(await backends(url)).toEqual([]));
});

test('waiting for a connection has its own timeout', async () => {
  const { store, url } = await open({ poolSize: 1, maxBatch: 1, connectWithinMs: 100, timeoutMs: 3_000 });
  await lockPlants(url);
  const [first, second] = plants(2).map((plant) => store.plants.add(plant));
  await expect(second).rejects.toThrow('timeout exceeded when trying to connect');
  await expect(first).rejects.toThrow(/did not respond within 3000 ms/);
});

test('a process exits once its store is closed, even while the server hangs', async () => {
  const child = start('close-store.ts', await migratedDatabase(server.url));
  const exit = once(child, 'exit');
  await once(child.stdout, 'data');
  await server.pause();
  child.stdin.end();
  expect(await exit).toEqual([0, null]);
  await server.resume();
});

test('a connection stays open after an error of a statement', async () => {
  const { store, url } = await open();
  await runSql(url, 'ALTER TABLE plants ADD CHECK (id > 0)');
  await store.plants.add(fern);
  const pool = await backends(url);
  await expect(store.plants.add({ ...fern, id: -1n })).rejects.toMatchObject({ code: '23514' });
  expect(await backends(url)).toEqual(pool);
});

test.each([
  'SELECT FROM plants WHERE id = 1 FOR NO KEY UPDATE',
  'SELECT FROM plants WHERE id = 1 FOR UPDATE',
  `UPDATE plants SET name = 'Moss' WHERE id = 1`,
  'DELETE FROM plants WHERE id = 1',
])(
  'while another session holds %s open, the other plants of the batch get their results, new and existing ones',
  async (statement) => {
    const { store, url } = await open();
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
  const { store, url } = await open();
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
    const { store, url } = await open({ poolSize: 2, timeoutMs: 600, observer: { ...unobserved, circuit } });
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
    await expect(store.plants.add(held)).rejects.toThrow(StoreUnavailable);
    expect(circuit.mock.calls).toEqual([['closed']]);
  },
);

test('a retry waits for a locked row no longer than the first attempt would have', async () => {
  const { store, url } = await open({ timeoutMs: 400 });
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

test('a connection to a server that has become a standby is not used again', async () => {
  const { store, url } = await open();
  await setReadOnly(url, 'on');
  await expect(store.plants.add(fern)).rejects.toThrow('connect to the primary');
  await expect(store.check()).rejects.toThrow(StoreUnavailable);
  await setReadOnly(url, 'off');
  await vi.waitFor(async () => expect(await store.plants.add(fern)).toEqual({ outcome: 'added' }));
});

async function open(options: Partial<PostgresOptions> = {}) {
  return openStore({ ...options, connectionString: await migratedDatabase(server.url) });
}

/** Of the database's connections from now on; set from another one, which can still write. */
async function setReadOnly(url: string, value: 'on' | 'off'): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  await runSql(server.url, `ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`);
}
