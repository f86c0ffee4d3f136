import { type NewPlant, PlantRefused } from '@plant-store/domain';
import { serverEngine, plants as table } from '@plant-store/sql-store';
import { hold, runSql } from '@plant-store/testing-postgres';
import type { KyselyPlugin } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Database, openDatabase } from '../src/driver/database.ts';
import { isTransient, translateError } from '../src/errors.ts';
import { insertBatchInto } from '../src/insert-batch.ts';
import { completeOptions } from '../src/options.ts';
import { statementsOf } from '../src/statements.ts';
import { migratedDatabase } from './open-store.ts';

const { added, exists } = table;
const insertBatch = ({ statements, kysely }: Database, items: readonly NewPlant[], mayWait: boolean) =>
  insertBatchInto(table, statementsOf(table, statements), kysely)(items, 0, mayWait);
const fern = { id: 1n, name: 'Fern' };

test('locked rows are not waited for: with or without them, what is free is inserted, and the rest conflicts', async () => {
  const { url, db } = await setUp();
  await hold(url, `INSERT INTO plants VALUES (2, 'Moss'); DELETE FROM plants WHERE id = 1`);
  const batch = (...ids: bigint[]) => ids.map((id) => ({ ...fern, id }));
  expect(await insertBatch(db, batch(1n, 2n, 3n), false)).toEqual(['conflict', 'conflict', added]);
  expect(await insertBatch(db, batch(1n, 2n, 4n), true)).toEqual(['conflict', 'conflict', added]);
});

test('what another session has locked is left, what is found exists, and what nobody has is absent', async () => {
  const { url, db } = await setUp();
  await runSql(url, `INSERT INTO plants VALUES (2, 'Moss')`);
  await hold(url, 'SELECT FROM plants WHERE id = 1 FOR UPDATE');
  const done = vi.fn();
  const brought = { ...statementsOf(table, db.statements), insertBatch: vi.fn() };
  const { settle } = serverEngine(table, brought, { translateError, isTransient, close: () => db.close() });
  await settle?.(plants(1n, 2n, 3n), 0, done);
  expect(done.mock.calls).toEqual([
    [2n, exists({ name: 'Moss' })],
    [3n, 'absent'],
  ]);
});

test('500 plants of which every other one is rejected take five statements, and each gets its own result', async () => {
  const { url, db } = await setUp();
  await runSql(url, 'ALTER TABLE plants ADD CONSTRAINT even CHECK (id % 2 = 0) NOT VALID');
  const sent: unknown[] = [];
  const run: Database['statements']['run'] = (text, values) => {
    sent.push(text);
    return db.statements.run(text, values);
  };
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      sent.push(node);
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const counted = { ...db, statements: { run }, kysely: db.kysely.withPlugin(plugin) };
  const plants = Array.from({ length: 500 }, (_, at) => ({ id: BigInt(at), name: `"${at}\\ 🌱`, tag: '' }));
  const outcomes = await insertBatch(counted, plants, true);
  expect(sent.length).toBeLessThanOrEqual(5);
  const refused = {
    refused: new PlantRefused('PostgreSQL: new row for relation "plants" violates check constraint "even" (23514)'),
  };
  expect(outcomes).toEqual(plants.map(({ id }) => (id % 2n === 0n ? added : refused)));
  expect(await runSql(url, `SELECT name, tag FROM plants WHERE id = 498`)).toEqual([{ name: '"498\\ 🌱', tag: '' }]);
  expect(await runSql(url, 'SELECT count(*)::int FROM plants')).toEqual([{ count: 251 }]);
});

test('a plant that another session is inserting is distinguished from those that are rejected, stored, or free', async () => {
  const { url, db } = await setUp();
  await runSql(url, 'ALTER TABLE plants ADD CHECK (id <> 3)');
  await hold(url, `INSERT INTO plants VALUES (8, 'held')`);
  const moss = (...ids: bigint[]) => ids.map((id) => ({ id, name: 'Moss' }));
  expect(await insertBatch(db, moss(1n, 4n, 8n), true)).toEqual(['conflict', added, 'conflict']);
  const refused = { refused: expect.any(Error) };
  expect(await insertBatch(db, moss(1n, 3n, 6n, 8n), true)).toEqual(['conflict', refused, added, 'conflict']);
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
  await expect(insertBatch(db, plants, true)).rejects.toMatchObject({ code: '23514' });
  expect(await runSql(url, 'SELECT id FROM plants')).toHaveLength(1);
});

test('plants are inserted in the order of their ids, so that writers never deadlock', async () => {
  const { url, db } = await setUp();
  await runSql(
    url,
    `CREATE TABLE log (id int8);
     CREATE FUNCTION log() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log VALUES (NEW.id); RETURN NEW; END $$;
     CREATE TRIGGER log BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION log()`,
  );
  await insertBatch(db, plants(9n, 5n, 7n), true);
  expect(await runSql(url, 'SELECT id FROM log ORDER BY ctid')).toEqual(['5', '7', '9'].map((id) => ({ id })));
});

const plants = (...ids: bigint[]) => ids.map((id) => ({ id, name: 'Moss' }));

/** A database in which the plant is stored. */
async function setUp() {
  const url = await migratedDatabase();
  await runSql(url, `INSERT INTO plants VALUES (1, 'Fern')`);
  const db = openDatabase(completeOptions({ connectionString: url }));
  onTestFinished(() => db.close());
  return { url, db };
}
