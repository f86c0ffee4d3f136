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
  expect(await insertFree(db, [fern])).toEqual({ free: new Set(), refused: new Map() });
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

test('500 plants of which every other one is refused take five statements, and are told apart', async () => {
  const { url, db } = await setUp();
  await runSql(url, 'ALTER TABLE plants ADD CONSTRAINT even CHECK (id % 2 = 0) NOT VALID');
  const statements: unknown[] = [];
  const counted = db.withPlugin({
    transformQuery({ node }) {
      statements.push(node);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const plants = Array.from({ length: 500 }, (_, at) => ({ id: BigInt(at), name: `"${at}\\ 🌱`, tag: '' }));
  const { free, refused } = await insertFree(counted, plants);
  expect(statements.length).toBeLessThanOrEqual(5);
  expect([...free]).toEqual(plants.map(({ id }) => id).filter((id) => id % 2n === 0n));
  expect(refused.size).toBe(250);
  expect(refused.get(3n)).toMatchObject({ code: '23514', message: expect.stringContaining('even') });
  expect(await runSql(url, `SELECT name, tag FROM plants WHERE id = 498`)).toEqual([{ name: '"498\\ 🌱', tag: '' }]);
  expect(await runSql(url, 'SELECT count(*)::int FROM plants')).toEqual([{ count: 251 }]);
});

test('an error that is no plant’s is not taken for one in a batch that is refused', async () => {
  const { url, db } = await setUp();
  await runSql(url, 'ALTER TABLE plants ADD CONSTRAINT even CHECK (id % 2 = 0) NOT VALID');
  await hold(url, `INSERT INTO plants VALUES (8, 'held')`);
  const plants = [3n, 4n, 8n].map((id) => ({ id, name: 'Moss' }));
  await expect(insertFree(db, plants)).rejects.toMatchObject({ code: '23514' });
  expect(await runSql(url, 'SELECT id FROM plants')).toHaveLength(1);
});

/** A database that has the plant. */
async function setUp() {
  const url = await migratedDatabase();
  await runSql(url, `INSERT INTO plants VALUES (1, 'Fern')`);
  const db = openDatabase(completeOptions({ connectionString: url }));
  onTestFinished(() => db.destroy());
  return { url, db };
}
