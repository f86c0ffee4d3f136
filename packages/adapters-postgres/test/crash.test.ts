import type { NewPlant, PlantStore } from '@plant-store/domain';
import { runSql, startDedicatedServer } from '@plant-store/testing-postgres';
import { expect, onTestFinished, test, vi } from 'vitest';
import { migratedDatabase, openStore } from './open-store.ts';

test('a server that is killed under load has every plant that was answered, and the store goes on', async () => {
  const server = await startDedicatedServer();
  onTestFinished(() => server.stop());
  const { store, url } = await openStore({ connectionString: await migratedDatabase(server.url) });

  const answered: NewPlant[] = [];
  const adders = Array.from({ length: 20 }, (_, at) => addUntilFailure(store, BigInt(at) << 32n, answered));
  await vi.waitFor(() => expect(answered.length).toBeGreaterThan(500), { timeout: 10_000 });
  await server.kill();
  await Promise.all(adders);

  await server.start();
  const rows = await runSql(url, 'SELECT id, name FROM plants');
  const stored = new Map(rows.map(({ id, name }) => [id, name]));
  expect(answered.filter(({ id, name }) => stored.get(String(id)) !== name)).toEqual([]);
  expect(await store.plants.add({ id: -1n, name: 'after the crash' })).toEqual({ outcome: 'added' });
}, 30_000);

async function addUntilFailure(store: PlantStore, firstId: bigint, answered: NewPlant[]): Promise<void> {
  for (let id = firstId; ; id += 1n) {
    const plant = { id, name: `plant ${id}` };
    try {
      await store.plants.add(plant);
    } catch {
      return;
    }
    answered.push(plant);
  }
}
