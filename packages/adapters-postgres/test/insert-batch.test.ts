import type { NewPlant } from '@plant-store/domain';
import { serverEngine, plants as table } from '@plant-store/sql-store';
import { hold, runSql } from '@plant-store/testing-postgres';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Database, openDatabase } from '../src/driver/database.ts';
import { isTransient, translateError } from '../src/errors.ts';
import { insertBatchBy } from '../src/insert-batch.ts';
import { completeOptions } from '../src/options.ts';
import { statementsOf } from '../src/statements.ts';
import { migratedDatabase } from './open-store.ts';

const { added, exists } = table;
function insertBatch({ statements }: Database, items: readonly NewPlant[], mayWait: boolean) {
  const { insert, notStored } = statementsOf(table, statements);
  return insertBatchBy(table, insert, notStored)(items, 0, mayWait);
}
const fern = { id: 1n, name: 'Fern' };

test('a batch with locked rows is not inserted: what is stored conflicts, and the rest is written again in parts', async () => {
  const { url, db } = await setUp();
  await hold(url, `INSERT INTO plants VALUES (2, 'Moss'); DELETE FROM plants WHERE id = 1`);
  const batch = (...ids: bigint[]) => ids.map((id) => ({ ...fern, id }));
  expect(await insertBatch(db, batch(1n, 2n, 3n), true)).toEqual(['conflict', 'split', 'split']);
  expect(await insertBatch(db, batch(2n, 3n), false)).toEqual(['split', 'split']);
  expect(await insertBatch(db, batch(3n), false)).toEqual([added]);
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
