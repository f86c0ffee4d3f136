import { distributeCitus, openCitus } from '@plant-store/adapters-citus';
import { StoreMisconfigured } from '@plant-store/domain';
import { runSql } from '@plant-store/testing-postgres';
import { expect, onTestFinished, test, vi } from 'vitest';
import { citusDatabase, migratedDatabase, nodes } from './stand-in-for-citus.ts';

const fern = { id: 1n, name: 'Fern' };
const added = { outcome: 'added' };

async function open(connectionString: string) {
  const store = await openCitus({ connectionString });
  onTestFinished(() => store.close());
  return store;
}

test('plants are stored before Citus is there, before the table is distributed, and after', async () => {
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

test.each([
  [`commits = 'off'`, `commits = 'on'`, /synchronous_commit is off, .*ALTER SYSTEM/],
  [`commits = 'standby'`, `commits = 'on'`, /cannot store plants: it is a standby/],
  ['responds = false', 'responds = true', /cannot store plants: connection refused/],
])('a node with %s keeps plants from being acknowledged, and is named', async (fault, mended, message) => {
  const connectionString = await citusDatabase();
  await distributeCitus({ connectionString });
  const store = await open(connectionString);
  await store.check();
  await runSql(connectionString, `UPDATE pg_dist_node SET ${fault} WHERE nodeport = 9702`);
  await expect(store.check()).rejects.toThrow(message);
  await expect(store.check()).rejects.toThrow(nodes.odd);
  await expect(open(connectionString).then(({ plants }) => plants.add(fern))).rejects.toThrow(message);
  if (fault.includes('off')) await expect(store.plants.add(fern)).rejects.toThrow(StoreMisconfigured);
  await runSql(connectionString, `UPDATE pg_dist_node SET ${mended}`);
  await store.check();
  await vi.waitFor(async () => expect(await store.plants.add(fern)).toHaveProperty('outcome'));
});
