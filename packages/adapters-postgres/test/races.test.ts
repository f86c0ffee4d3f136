import { runSql } from '@plant-store/testing-postgres';
import { expect, test } from 'vitest';
import { openStore } from './open-store.ts';

test('of 100 plants that race for one id over two stores, one is stored and all others get it', async () => {
  const { store, url } = await openStore();
  const { store: other } = await openStore({ connectionString: url });
  const results = await Promise.all(
    Array.from({ length: 100 }, (_, at) => (at % 2 ? store : other).plants.add({ id: 1n, name: `racer ${at}` })),
  );
  const [stored] = await runSql(url, 'SELECT name FROM plants');
  const winner = results.findIndex(({ outcome }) => outcome === 'added');
  expect(stored).toEqual({ name: `racer ${winner}` });
  expect(results.toSpliced(winner, 1)).toEqual(Array(99).fill({ outcome: 'exists', plant: stored }));
});
