import { INT64_MAX, INT64_MIN } from '@plant-store/domain';
import { plants } from '@plant-store/sql-store';
import { freshDatabase, runSql } from '@plant-store/testing-postgres';
import fc from 'fast-check';
import pg from 'pg';
import { expect, test } from 'vitest';
import { arrayOf } from '../src/driver/array-literal.ts';
import { openKysely } from '../src/driver/database.ts';
import { completeOptions } from '../src/options.ts';
import { openStore } from './open-store.ts';

test('every int64 is stored and read back exactly', async () => {
  const { store, url } = await openStore();
  const db = openKysely(completeOptions({ connectionString: url }));
  await fc.assert(
    fc.asyncProperty(fc.bigInt({ min: INT64_MIN, max: INT64_MAX }), async (id) => {
      await store.plants.add({ id, name: String(id) });
      const row = await db.selectFrom('plants').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
      expect(row['id']).toBe(id);
      expect(plants.recordIn(row)).toEqual({ id, name: String(id) });
    }),
  );
  await db.destroy();
});

test('PostgreSQL reads every element of an array of texts as it was', async () => {
  const texts = ['Fern', '', ' ', 'a "quoted" \\ name', '\\"', '{1,2}', 'NULL', null];
  const [row] = await runSql(await freshDatabase(), 'SELECT $1::text[] AS texts', [arrayOf(texts)]);
  expect(row?.['texts']).toEqual(texts);
});

test('other users of pg in this process still read an int64 as they did', async () => {
  const { store } = await openStore();
  await store.check();
  expect(pg.types.getTypeParser(pg.types.builtins.INT8)('1')).toBe('1');
});
