import type { StoreAt } from '@plant-store/contracts-stores';
import type { AddResult } from '@plant-store/domain';
import { expect, onTestFinished, test } from 'vitest';
import { storeAt } from '../../src/stores/index.ts';
import { plantStore, scratchDirectory } from '../running-service.ts';
import { storesWithoutServer } from './without-server.ts';

// Every new version of the service migrates when it starts, and several may start at once. Adapters of a server test this
// themselves.

test.each(storesWithoutServer)('migrations of $engine that are run again change nothing', async ({ url }) => {
  const { store } = await newPlace(url);
  const migrated = await store.migrate();
  expectAllApplied(migrated);
  const { durable } = (await store.harness()).capabilities;
  expect(await added(store)).toEqual({ outcome: 'added' });
  expect(await store.migrate()).toEqual(migrated);
  expect(await store.status()).toEqual(migrated);
  if (durable) expect(await added(store)).toEqual({ outcome: 'exists', plant: { name: 'Fern' } });
});

test.each(storesWithoutServer)('migrations of $engine may be run at once, by two processes', async ({ url }) => {
  const { DATABASE_URL, store } = await newPlace(url);
  for (const _ of ['on a new place', 'where all are applied']) {
    const both = [1, 2].map(() => plantStore(['migrate', 'up'], { DATABASE_URL }));
    const ended = await Promise.all(both.map(async ({ ended, output }) => ({ code: await ended, output: output() })));
    expect(ended).toMatchObject([{ code: 0 }, { code: 0 }]);
    expectAllApplied(await store.status());
  }
  await Promise.all([store.migrate(), store.migrate()]);
  expectAllApplied(await store.status());
});

async function newPlace(url: (directory: string) => string) {
  const DATABASE_URL = url(await scratchDirectory(onTestFinished));
  return { DATABASE_URL, store: storeAt(DATABASE_URL, { onError: (error) => expect.unreachable(error.message) }) };
}

function expectAllApplied(migrations: Awaited<ReturnType<StoreAt['status']>>): void {
  expect(migrations.filter(({ applied }) => !applied)).toEqual([]);
}

async function added(at: StoreAt): Promise<AddResult> {
  const store = await at.open();
  try {
    return await store.plants.add({ id: 1n, name: 'Fern' });
  } finally {
    await store.close();
  }
}
