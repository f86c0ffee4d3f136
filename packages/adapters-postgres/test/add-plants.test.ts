import { type AddResult, StoreUnavailable } from '@plant-store/domain';
import { runSql } from '@plant-store/testing-postgres';
import { expect, onTestFinished, test, vi } from 'vitest';
import { insertFree } from '../src/add-plants.ts';
import { addTaken } from '../src/add-taken.ts';
import { openDatabase } from '../src/database.ts';
import { completeOptions } from '../src/options.ts';
import { hold, migratedDatabase } from './open-store.ts';

const fern = { id: 1n, name: 'Fern' };

test('a plant that is deleted after its id was found taken is added', async () => {
  const { url, db } = await setUp();
  expect(await insertFree(db, [fern])).toEqual(new Set());
  await runSql(url, 'DELETE FROM plants');
  const answer = vi.fn<(id: bigint, result: AddResult) => void>();
  await addTaken(db, [fern], 1_000, answer);
  expect(answer.mock.calls).toEqual([[1n, { outcome: 'added' }]]);
});

test('a row that is held is given up when its time is up, with what to do about it', async () => {
  const { url, db } = await setUp();
  await hold(url, 'SELECT FROM plants WHERE id = 1 FOR UPDATE');
  const adding = addTaken(db, [fern], 100, () => {});
  await expect(adding).rejects.toThrow(StoreUnavailable);
  await expect(adding).rejects.toThrow('somebody has held the row of plant 1 for 100 ms: end the transaction');
});

/** A database that has the plant. */
async function setUp() {
  const url = await migratedDatabase();
  await runSql(url, `INSERT INTO plants VALUES (1, 'Fern')`);
  const db = openDatabase(completeOptions({ connectionString: url }));
  onTestFinished(() => db.destroy());
  return { url, db };
}
