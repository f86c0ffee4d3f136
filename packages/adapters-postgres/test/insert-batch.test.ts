import { type AddResult, StoreUnavailable } from '@plant-store/domain';
import { runSql } from '@plant-store/testing-postgres';
import { expect, onTestFinished, test, vi } from 'vitest';
import { resolveConflicts } from '../src/conflicts.ts';
import { type Database, openDatabase } from '../src/driver/database.ts';
import { insertIfAbsent } from '../src/insert-batch.ts';
import { completeOptions } from '../src/options.ts';
import { hold, migratedDatabase } from './open-store.ts';

const fern = { id: 1n, name: 'Fern' };

test('a plant is added if the one with its id is deleted after it was found', async () => {
  const { url, db } = await setUp();
  expect(await insertIfAbsent(db, [fern])).toEqual({ ids: new Set(), refused: new Map() });
  await runSql(url, 'DELETE FROM plants');
  const onResult = vi.fn<(id: bigint, result: AddResult | Error) => void>();
  await resolveConflicts(db, [fern], performance.now() + 1_000, onResult);
  expect(onResult.mock.calls).toEqual([[1n, { outcome: 'added' }]]);
});

test('a plant that is rejected once its id is free does not affect the others of the batch', async () => {
  const { url, db } = await setUp();
  await runSql(url, `ALTER TABLE plants ADD UNIQUE (tag); UPDATE plants SET tag = 'taken'`);
  const onResult = vi.fn<(id: bigint, result: AddResult | Error) => void>();
  const plants = [2n, 3n].map((id) => ({ id, name: 'Moss', ...(id === 2n && { tag: 'taken' }) }));
  await resolveConflicts(db, plants, performance.now() + 1_000, onResult);
  expect(onResult.mock.calls).toEqual([
    [3n, { outcome: 'added' }],
    [2n, expect.objectContaining({ code: '23505' })],
  ]);
});

test.each([
  [1, 'the row of plant 1'],
  [4, 'rows among those of plants 1, 2, 3, …'],
])('waiting for %i locked rows times out with a hint', async (count, rows) => {
  const { url, db } = await setUp();
  await hold(
    url,
    `INSERT INTO plants SELECT id, 'Moss' FROM generate_series(2, 4) AS id; SELECT FROM plants WHERE id = 1 FOR UPDATE`,
  );
  const plants = Array.from({ length: count }, (_, at) => ({ ...fern, id: BigInt(at + 1) }));
  const adding = resolveConflicts(db, plants, performance.now() + 100, () => {});
  await expect(adding).rejects.toThrow(StoreUnavailable);
  await expect(adding).rejects.toThrow(`another session has locked ${rows}: end its transaction`);
});

test('500 plants of which every other one is rejected take five statements, and each gets its own result', async () => {
  const { url, db } = await setUp();
  await runSql(url, 'ALTER TABLE plants ADD CONSTRAINT even CHECK (id % 2 = 0) NOT VALID');
  const statements: unknown[] = [];
  const counted: Database = {
    ...db,
    statements: {
      run(text, values) {
        statements.push(text);
        return db.statements.run(text, values);
      },
    },
    kysely: db.kysely.withPlugin({
      transformQuery({ node }) {
        statements.push(node);
        return node;
      },
      transformResult: async ({ result }) => result,
    }),
  };
  const plants = Array.from({ length: 500 }, (_, at) => ({ id: BigInt(at), name: `"${at}\\ 🌱`, tag: '' }));
  const { ids, refused } = await insertIfAbsent(counted, plants);
  expect(statements.length).toBeLessThanOrEqual(5);
  expect([...ids]).toEqual(plants.map(({ id }) => id).filter((id) => id % 2n === 0n));
  expect(refused.size).toBe(250);
  expect(refused.get(3n)).toMatchObject({ code: '23514', message: expect.stringContaining('even') });
  expect(await runSql(url, `SELECT name, tag FROM plants WHERE id = 498`)).toEqual([{ name: '"498\\ 🌱', tag: '' }]);
  expect(await runSql(url, 'SELECT count(*)::int FROM plants')).toEqual([{ count: 251 }]);
});

test('a plant that another session is inserting is distinguished from those that are rejected, stored, or free', async () => {
  const { url, db } = await setUp();
  await runSql(url, 'ALTER TABLE plants ADD CHECK (id <> 3)');
  await hold(url, `INSERT INTO plants VALUES (8, 'held')`);
  const moss = (...ids: bigint[]) => ids.map((id) => ({ id, name: 'Moss' }));
  expect(await insertIfAbsent(db, moss(1n, 4n, 8n))).toEqual({ ids: new Set([4n]), refused: new Map() });
  const { ids, refused } = await insertIfAbsent(db, moss(1n, 3n, 6n, 8n));
  expect([...ids]).toEqual([6n]);
  expect([...refused.keys()]).toEqual([3n]);
});

test('an error that no plant has caused is not attributed to one when a batch is rejected', async () => {
  const { url, db } = await setUp();
  await runSql(
    url,
    `ALTER TABLE plants ADD CONSTRAINT even CHECK (id % 2 = 0) NOT VALID;
     CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE disk_full; END $$;
     CREATE TRIGGER fail BEFORE INSERT ON plants FOR EACH ROW WHEN (NEW.id = 8) EXECUTE FUNCTION fail()`,
  );
  const plants = [3n, 4n, 8n].map((id) => ({ id, name: 'Moss' }));
  await expect(insertIfAbsent(db, plants)).rejects.toMatchObject({ code: '23514' });
  expect(await runSql(url, 'SELECT id FROM plants')).toHaveLength(1);
});

/** A database in which the plant is stored. */
async function setUp() {
  const url = await migratedDatabase();
  await runSql(url, `INSERT INTO plants VALUES (1, 'Fern')`);
  const db = openDatabase(completeOptions({ connectionString: url }));
  onTestFinished(() => db.close());
  return { url, db };
}
