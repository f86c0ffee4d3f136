import { distributeCitus, openCitus } from '@plant-store/adapters-citus';
import { runSql } from '@plant-store/testing/postgres';
import { expect, onTestFinished, test } from 'vitest';
import { citusDatabase, migratedDatabase, nodes } from './stand-in-for-citus.ts';

const fern = { id: 1n, name: 'Fern' };
const added = { outcome: 'added' };

async function open(connectionString: string) {
  const store = await openCitus({ connectionString, timeoutMs: 20_000, connectWithinMs: 10_000 });
  onTestFinished(() => store.close());
  return store;
}

test('plants are stored without Citus, before the table is distributed, and after', async () => {
  const plain = await open(await migratedDatabase());
  await plain.check();
  expect(await plain.plants.add(fern)).toEqual(added);
  const connectionString = await citusDatabase();
  const store = await open(connectionString);
  await store.check();
  expect(await store.plants.add(fern)).toEqual(added);
  await runSql(connectionString, 'TRUNCATE plants');
  await distributeCitus({ connectionString });
  await store.check();
  expect(await store.plants.add(fern)).toEqual(added);
});

test('commits never use synchronous_commit = off, even if the database sets it, and even in a bisected batch', async () => {
  const connectionString = await migratedDatabase();
  await runSql(
    connectionString,
    `ALTER DATABASE ${new URL(connectionString).pathname.slice(1)} SET synchronous_commit = off;
     ALTER TABLE plants ADD CHECK (name <> 'refused'); CREATE TABLE seen (setting text);
     CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       INSERT INTO seen VALUES (current_setting('synchronous_commit')); RETURN NEW; END $$;
     CREATE TRIGGER see BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION see()`,
  );
  const { plants } = await open(connectionString);
  const adding = ['Fern', 'refused', 'Moss'].map((name, at) => plants.add({ id: BigInt(at), name }));
  expect((await Promise.allSettled(adding)).filter(({ status }) => status === 'rejected')).toHaveLength(1);
  expect(await runSql(connectionString, 'SELECT DISTINCT setting FROM seen')).toEqual([{ setting: 'on' }]);
});

test.each([
  [`commits = 'off'`, `commits = 'on'`, /synchronous_commit is off, .*ALTER SYSTEM/],
  [`commits = 'standby'`, `commits = 'on'`, /cannot store plants: it is a standby/],
  ['responds = false', 'responds = true', /cannot store plants: connection refused/],
])('if a node has %s, no plant is acknowledged, and the message names the node', async (fault, fixed, message) => {
  const connectionString = await citusDatabase();
  await distributeCitus({ connectionString });
  const store = await open(connectionString);
  await store.check();
  await runSql(connectionString, `UPDATE pg_dist_node SET ${fault} WHERE nodeport = 9702`);
  await expect(store.check()).rejects.toThrow(message);
  await expect(store.check()).rejects.toThrow(nodes.odd);
  await expect(open(connectionString).then(({ plants }) => plants.add(fern))).rejects.toThrow(message);
  if (fault.includes('off')) await expect(store.plants.add(fern)).rejects.toThrow(message);
  await runSql(connectionString, `UPDATE pg_dist_node SET ${fixed}`);
  await store.check();
  await expect.poll(() => store.plants.add(fern).catch(String)).toHaveProperty('outcome');
});

test('a node whose commits are no longer durable, and a table in place of the former one, are noticed beside adds', async () => {
  for (const [change, message] of [
    [`UPDATE pg_dist_node SET commits = 'off' WHERE nodeport = 9702`, /synchronous_commit is off/],
    ['ALTER TABLE plants RENAME TO former; CREATE TABLE plants (LIKE former INCLUDING ALL)', /lacks plant \d+/],
  ] as const) {
    const connectionString = await citusDatabase();
    await distributeCitus({ connectionString });
    const { plants } = await open(connectionString);
    let id = 0n;
    const add = () => plants.add({ ...fern, id: id++ }).then(({ outcome }) => outcome, String);
    await add();
    await runSql(connectionString, change);
    await expect.poll(add).toMatch(message);
  }
});
