import type { AddResult } from '@plant-store/domain';
import { runSql } from '@plant-store/testing-postgres';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { resolveConflicts, rowsOf } from '../src/conflicts.ts';
import { type Database, openDatabase } from '../src/driver/database.ts';
import { insertIfAbsent } from '../src/insert-batch.ts';
import { insertEach } from '../src/insert-each.ts';
import { completeOptions } from '../src/options.ts';
import { hold, migratedDatabase } from './open-store.ts';

const fern = { id: 1n, name: 'Fern' };

test('a plant is added if the one with its id is deleted after it was found', async () => {
  const { url, db } = await setUp();
  expect(await insertIfAbsent(db, [fern])).toEqual({ ids: new Set(), refused: new Map() });
  await runSql(url, 'DELETE FROM plants');
  const onResult = vi.fn<(id: bigint, result: AddResult | Error) => void>();
  await resolveConflicts(rowsOf(db), [fern], onResult);
  expect(onResult.mock.calls).toEqual([[1n, { outcome: 'added' }]]);
});

test('a plant that is rejected once its id is free does not affect the others of the batch', async () => {
  const { url, db } = await setUp();
  await runSql(url, `ALTER TABLE plants ADD UNIQUE (tag); UPDATE plants SET tag = 'taken'`);
  const onResult = vi.fn<(id: bigint, result: AddResult | Error) => void>();
  const plants = [2n, 3n].map((id) => ({ id, name: 'Moss', ...(id === 2n && { tag: 'taken' }) }));
  await resolveConflicts(rowsOf(db), plants, onResult);
  expect(onResult.mock.calls).toEqual([
    [3n, { outcome: 'added' }],
    [2n, expect.objectContaining({ code: '23505' })],
  ]);
});

test('locked rows are left, and not waited for', async () => {
  const { url, db } = await setUp();
  await hold(url, `INSERT INTO plants VALUES (2, 'Moss'); SELECT FROM plants WHERE id = 1 FOR UPDATE`);
  const onResult = vi.fn<(id: bigint, result: AddResult | Error) => void>();
  await resolveConflicts(
    rowsOf(db),
    [1n, 2n, 3n].map((id) => ({ ...fern, id })),
    onResult,
  );
  expect(onResult.mock.calls).toEqual([[3n, { outcome: 'added' }]]);
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

const failure = (code: string) => Object.assign(new pg.DatabaseError('of a test', 9, 'error'), { code });
const plants = (...ids: bigint[]) => ids.map((id) => ({ id, name: 'Moss' }));

/** A database that responds to statements with these, in turn: rows of ids, or a failure. It has no transactions. */
function standIn(...responses: readonly (readonly number[] | Error)[]) {
  const sent: { readonly text: string; readonly ids: unknown }[] = [];
  const left = [...responses];
  const run: Database['statements']['run'] = async (text, [ids]) => {
    sent.push({ text, ids });
    const response = left.shift() ?? [];
    if (response instanceof Error) throw response;
    return response.map((id) => [`${id}`]);
  };
  const transaction = vi.fn<() => never>();
  return { db: { statements: { run }, kysely: { transaction } } as unknown as Database, sent, transaction };
}

test('ids are inserted in order, so that writers never deadlock; of a single plant without arrays', async () => {
  const { db, sent } = standIn();
  await insertIfAbsent(db, plants(3n, 1n, 2n));
  await insertIfAbsent(db, plants(4n));
  expect(sent.map(({ ids }) => ids)).toEqual(['{1,2,3}', '4']);
});

test('after a lock the plants that are stored are left out, and the others inserted with one statement', async () => {
  const { db, sent, transaction } = standIn(failure('55P03'), [2], [1, 3]);
  expect(await insertIfAbsent(db, plants(1n, 2n, 3n))).toEqual({ ids: new Set([1n, 3n]), refused: new Map() });
  expect(sent.map(({ ids }) => ids)).toEqual(['{1,2,3}', '{1,2,3}', '{1,3}']);
  expect(transaction).not.toHaveBeenCalled();
});

test.each([
  ['a refusal of a single plant', plants(1n), '23514'],
  ['an outage', plants(1n, 2n), '53100'],
])('%s is thrown at once: no plant is tried on its own', async (_, batch, code) => {
  const { db, sent, transaction } = standIn(failure(code));
  await expect(insertIfAbsent(db, batch)).rejects.toMatchObject({ code });
  expect(sent).toHaveLength(1);
  expect(transaction).not.toHaveBeenCalled();
});

test('without plants nothing is sent', async () => {
  const { db, transaction } = standIn();
  expect(await insertEach(db.kysely, [])).toEqual({ ids: new Set(), refused: new Map() });
  expect(transaction).not.toHaveBeenCalled();
});

test('conflicts: what is found is not asked for again', async () => {
  const rows = {
    lockSkipLocked: vi.fn(async () => new Map([[1n, { name: 'Fern' }]])),
    notStored: vi.fn(async () => plants(2n)),
    insertEach: vi.fn(async () => ({ ids: new Set([2n]), refused: new Map<bigint, Error>() })),
  };
  await resolveConflicts(rows, plants(1n), () => {});
  expect(rows.notStored).not.toHaveBeenCalled();
  await resolveConflicts(rows, plants(1n, 2n), () => {});
  expect(rows.notStored).toHaveBeenCalledExactlyOnceWith(plants(2n));
});

/** A database in which the plant is stored. */
async function setUp() {
  const url = await migratedDatabase();
  await runSql(url, `INSERT INTO plants VALUES (1, 'Fern')`);
  const db = openDatabase(completeOptions({ connectionString: url }));
  onTestFinished(() => db.close());
  return { url, db };
}
