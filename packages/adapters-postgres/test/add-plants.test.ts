import { StoreUnavailable } from '@plant-store/domain';
import { runSql } from '@plant-store/testing-postgres';
import type { KyselyPlugin } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { addPlants } from '../src/add-plants.ts';
import { openDatabase } from '../src/database.ts';
import { completeOptions } from '../src/options.ts';
import { migratedDatabase } from './open-store.ts';

const fern = { id: 1n, name: 'Fern' };
const insert = `INSERT INTO plants VALUES (1, 'Fern')`;
const remove = 'DELETE FROM plants';

/** Adds the plant to a database that has it, while somebody runs one of the statements after each empty result. */
async function addAmid(statements: string[]) {
  const url = await migratedDatabase();
  await runSql(url, insert);
  const interfere: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      const statement = result.rows.length === 0 && statements.shift();
      if (statement) await runSql(url, statement);
      return result;
    },
  };
  const db = openDatabase(completeOptions({ connectionString: url }));
  onTestFinished(() => db.destroy());
  return addPlants(db.withPlugin(interfere), [fern]);
}

test('a plant that is deleted between the two statements is added', async () => {
  expect(await addAmid([remove])).toEqual([{ outcome: 'added' }]);
});

test('a plant that is there and gone again and again is given up', async () => {
  const relentless = addAmid([remove, insert, remove, insert, remove, insert]);
  await expect(relentless).rejects.toThrow(
    new StoreUnavailable('plants are there and gone again: something deletes them while they are being added'),
  );
});
