import { openTransaction } from '@plant-store/testing/postgres';
import { expect, test } from 'vitest';
import { openStore } from './open-store.ts';

const fern = { id: 1n, name: 'Fern' };
const exists = { outcome: 'exists', plant: { name: 'Fern' } };

test.each(['SELECT FROM plants WHERE id = 1 FOR UPDATE', 'DELETE FROM plants WHERE id = 1'])(
  'P3/F5 while another session has %s in an open transaction, the same plant gets the same result',
  async (statement) => {
    const { store, url } = await openStore();
    await store.plants.add(fern);
    await openTransaction(url, statement);
    expect(await store.plants.add(fern)).toEqual(exists);
  },
);

test('P3/F5 P5/F5 while another session has inserted a plant and not committed it, the others of its batch are stored', async () => {
  const { store, url } = await openStore();
  const holder = await openTransaction(url, `INSERT INTO plants VALUES (1, 'Moss')`);
  const settled: bigint[] = [];
  const add = async (id: bigint) => {
    const result = await store.plants.add({ ...fern, id });
    settled.push(id);
    return result;
  };
  const adding = [1n, 2n, 3n].map(add);
  await Promise.all(adding.slice(1));
  expect(await add(4n)).toEqual({ outcome: 'added' });
  expect(settled).not.toContain(1n);
  await store.check();
  await holder.end();
  expect(await adding[0]).toEqual({ outcome: 'added' });
});
