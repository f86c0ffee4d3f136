import { postgresHarness } from '@plant-store/adapters-postgres/harness';
import { StoreUnavailable } from '@plant-store/domain';
import { freshDatabase } from '@plant-store/testing-postgres';
import { expect, test } from 'vitest';

const nobody = '127.0.0.1:1';

test('of several hosts, a store is verified on the primary', async () => {
  const [, user, host, database] = /^postgres:\/\/(.*)@(.*)\/(.*)$/.exec(await freshDatabase()) ?? [];
  const { open, dispose } = await postgresHarness(`postgres://${user}@${nobody},${host}/${database}`).prepare();
  const store = await open();
  expect(await store.plants.add({ id: 1n, name: 'Fern' })).toEqual({ outcome: 'added' });
  await store.close();
  await dispose();
});

test('without a primary, the error has the reason of each host', async () => {
  const preparing = postgresHarness(`postgres://postgres@${nobody},127.0.0.1:2/x`).prepare();
  await expect(preparing).rejects.toThrow('connect ECONNREFUSED 127.0.0.1:1, connect ECONNREFUSED 127.0.0.1:2');
  await expect(preparing).rejects.toBeInstanceOf(StoreUnavailable);
});
